// What is entered, entry by entry, and the program as a call.
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/embedding/host.hpp"

using namespace cairn::test;

namespace {

struct Entered {
  cairn_status status{};
  std::string shown;  // value and type, or what failed
  std::string notes;
};

Entered enter(cairn_session* session, std::string_view text) {
  cairn_entry entry{};
  Entered entered;
  entered.status = cairn_session_enter(session, text.data(), text.size(), &entry);
  entered.notes = entry.notes;
  if (entered.status != CAIRN_OK) {
    entered.shown = entry.code;
  } else if (entry.value != nullptr) {
    entered.shown = std::string(entry.value) + " : " + entry.type;
  }
  return entered;
}

cairn_session* session_of(const Host& host) {
  cairn_session* session = cairn_session_new(host.vm.get(), nullptr, nullptr);
  REQUIRE(session != nullptr);
  return session;
}

/// What a call writes to descriptor 1.
template <class Run>
std::string written(Run&& run) {
  std::fflush(stdout);
  std::FILE* const file = std::tmpfile();
  const int before = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(file), STDOUT_FILENO);
  run();
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace

TEST_CASE("entries grow one program: declarations, statements, and expressions with values", "[embedding]") {
  Host host;
  cairn_session* session = session_of(host);
  CHECK(enter(session, "fn twice(x:u64) -> u64 = x * 2;").status == CAIRN_OK);
  CHECK(enter(session, "let mut n:u64 = 20;\nn += 1;").status == CAIRN_OK);
  CHECK(enter(session, "twice(n)").shown == "42 : u64");
  CHECK(enter(session, "n").shown == "21 : u64");
  CHECK(enter(session, "println(\"out \", n);").shown.empty());
  CHECK(host.printed == "out 21\n");
  CHECK(enter(session, "let b = Buf[u64](3);\nlen(b)").shown == "3 : usize");
  cairn_session_free(session);
}

TEST_CASE("what is refused or traps leaves the session as it was, and it lives on", "[embedding]") {
  Host host;
  cairn_session* session = session_of(host);
  CHECK(enter(session, "let mut n:u64 = 7; let b = Buf[u64](2);").status == CAIRN_OK);
  const Entered refused = enter(session, "n = true;");
  CHECK(refused.status == CAIRN_REFUSED);
  CHECK(refused.shown == "E-TYPE-MISMATCH");
  const Entered trapped = enter(session, "n = 8; n = n / (n - 8);");
  CHECK(trapped.status == CAIRN_TRAPPED);
  CHECK(trapped.shown == "division");
  CHECK(enter(session, "n").shown == "7 : u64");
  CHECK(enter(session, "b[2]").shown == "bounds");
  CHECK(enter(session, "n + 1").shown == "8 : u64");
  CHECK(enter(session, "let n = 1;").shown == "E-SHADOW");
}

TEST_CASE("a session has its machine's limits, capabilities and host functions, and no more", "[embedding]") {
  cairn_options options = cairn_default_options();
  options.steps = 100'000;
  options.memory_bytes = 1 << 20;
  Host host(options);
  const cairn_host_function answer = [](void*, const cairn_value*, size_t, cairn_value* result) -> const char* {
    result->as.u64 = 42;
    return nullptr;
  };
  REQUIRE(cairn_register(host.vm.get(), "fn answer() -> u64 effects(io)", answer, nullptr) == CAIRN_OK);
  cairn_session* session = session_of(host);
  CHECK(enter(session, "while true { }").shown == "limit");
  CHECK(enter(session, "let big = Buf[u64](1000000);").shown == "allocation");
  CHECK(enter(session, "import host;").status == CAIRN_OK);
  CHECK(enter(session, "let mut got:u64 = 0; unsafe { got = host.answer(); }").status == CAIRN_OK);
  CHECK(enter(session, "got").shown == "42 : u64");
  CHECK(enter(session, "import std.time;").status == CAIRN_OK);
  CHECK(enter(session, "time.now()").status == CAIRN_TRAPPED);  // CAIRN_TIME was not given

  options = cairn_default_options();
  options.capabilities = CAIRN_TIME;
  Host trusting(options);
  cairn_session* other = session_of(trusting);
  CHECK(enter(other, "import std.time;").status == CAIRN_OK);
  CHECK(enter(other, "time.now()").status == CAIRN_OK);
}

TEST_CASE("a statement that runs too long is stopped by the clock, or by another thread", "[embedding]") {
  cairn_options options = cairn_default_options();
  options.wall_ms = 50;
  Host host(options);
  CHECK(enter(session_of(host), "while true { }").shown == "limit");

  Host patient;
  cairn_session* session = session_of(patient);
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) cairn_session_interrupt(session);
  });
  CHECK(enter(session, "while true { }").shown == "interrupt");
  over = true;
  other.join();
  static_cast<void>(enter(session, "0"));  // may be stopped by an interrupt that came between the two
  CHECK(enter(session, "1 + 1").shown == "2 : u64");
}

TEST_CASE("tasks, groups and rings live on from one entry to another, and end with the session", "[embedding]") {
  cairn_options options = cairn_default_options();
  options.capabilities = CAIRN_RINGS;
  Host host(options);
  const char* const declarations =
      "struct Three { a:u64; b:u64; c:Buf[u64]; }\n"
      "struct Many { a:u64; b:u64; c:u64; d:u64; e:u64; }\n"
      "fn make(n:usize) -> Three { let mut c = Buf[u64](n); for i in 0..n { c[i] = 7; } return Three(1, 2, c); }\n"
      "fn square(x:u64) -> u64 = x * x;\n"
      "fn spin(flag:ro<Atomic[u64]>) { while flag.load(Order.acquire) == 0 { } }\n";
  cairn_session* session = session_of(host);
  REQUIRE(enter(session, declarations).status == CAIRN_OK);
  // The types of the entry that waits are numbered otherwise than those of the one that spawned.
  REQUIRE(enter(session, "let t = spawn make(5);").status == CAIRN_OK);
  REQUIRE(enter(session, "{ let m = Many(1, 2, 3, 4, 5); let r = wait(t); println(m.e, r.a, r.b, len(r.c), r.c[4]); }")
              .status == CAIRN_OK);
  CHECK(host.printed == "51257\n");
  REQUIRE(enter(session, "let g = Group[u64](8);").status == CAIRN_OK);
  REQUIRE(enter(session, "for i in 0..5 { spawn square(u64(i)) into g; }").status == CAIRN_OK);
  REQUIRE(enter(session, "let mut sum:u64 = 0;\nfor _ in 0..3 { sum += collect(g); }").status == CAIRN_OK);
  REQUIRE(enter(session, "wait(g);").status == CAIRN_OK);
  REQUIRE(enter(session, "let h = Group[Three](4);\nspawn make(100) into h;\nwait(h);").status == CAIRN_OK);
  REQUIRE(enter(session, "let mut q = IoRing(4);\nq.timeout(1, 1);\nwait(q);").status == CAIRN_OK);
  // What runs when the session ends borrows what the session holds.
  REQUIRE(enter(session, "let flag = Atomic[u64](0);\nlet running = spawn spin(flag);").status == CAIRN_OK);
  cairn_session_free(session);

  // A trap ends the tasks of its own entry, before what they borrow goes.
  session = session_of(host);
  REQUIRE(enter(session, declarations).status == CAIRN_OK);
  CHECK(enter(session, "let f = Atomic[u64](0); let u = spawn spin(f); let x:u64 = 1 / (1 - 1);").shown == "division");
  CHECK(enter(session, "square(12)").shown == "144 : u64");
}

TEST_CASE("waiting for a task of an earlier entry stops by the clock and on an interrupt", "[embedding]") {
  const char* const spin = "fn spin(flag:ro<Atomic[u64]>) { while flag.load(Order.acquire) == 0 { } }";
  cairn_options options = cairn_default_options();
  options.wall_ms = 50;
  Host host(options);
  cairn_session* session = session_of(host);
  REQUIRE(enter(session, spin).status == CAIRN_OK);
  REQUIRE(enter(session, "let flag = Atomic[u64](0);\nlet t = spawn spin(flag);").status == CAIRN_OK);
  CHECK(enter(session, "wait(t);").status == CAIRN_TRAPPED);
  REQUIRE(enter(session, "let other = Atomic[u64](0);\nlet g = Group[void](2);").status == CAIRN_OK);
  REQUIRE(enter(session, "spawn spin(other) into g;").status == CAIRN_OK);
  CHECK(enter(session, "wait(g);").status == CAIRN_TRAPPED);
  CHECK(enter(session, "1 + 1").shown == "2 : u64");

  Host patient;
  session = session_of(patient);
  REQUIRE(enter(session, spin).status == CAIRN_OK);
  REQUIRE(enter(session, "let flag = Atomic[u64](0);\nlet t = spawn spin(flag);").status == CAIRN_OK);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cairn_session_interrupt(session);
  });
  CHECK(enter(session, "wait(t);").shown == "interrupt");
  other.join();
}

TEST_CASE("what an entry releases of an earlier one's memory is not held against its limit", "[embedding]") {
  cairn_options options = cairn_default_options();
  options.memory_bytes = 1 << 20;
  Host host(options);
  cairn_session* session = session_of(host);
  REQUIRE(enter(session, "let mut b = Buf[u64](100000);").status == CAIRN_OK);
  CHECK(enter(session, "{ b = Buf[u64](1); let c = Buf[u64](1000); println(len(c)); }").status == CAIRN_OK);
  CHECK(host.printed == "1000\n");
  CHECK(enter(session, "{ let c = Buf[u64](200000); println(len(c)); }").shown == "allocation");
}

TEST_CASE("a session sees the declarations of a program, and a refused program gives none", "[embedding]") {
  Host host;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "cairn_sessions_test";
  std::filesystem::create_directories(folder);
  const std::string good = (folder / "good.cairn").string();
  const std::string bad = (folder / "bad.cairn").string();
  std::ofstream(good) << "pub fn thrice(x:u64) -> u64 = x * 3;\n";
  std::ofstream(bad) << "pub fn thrice(x:u64) -> u64 = y * 3;\n";
  cairn_session* session = cairn_session_new(host.vm.get(), good.c_str(), nullptr);
  REQUIRE(session != nullptr);
  CHECK(enter(session, "thrice(5)").shown == "15 : u64");
  cairn_diagnostics* diagnostics = nullptr;
  CHECK(cairn_session_new(host.vm.get(), bad.c_str(), &diagnostics) == nullptr);
  REQUIRE(diagnostics != nullptr);
  CHECK(std::string(cairn_diagnostics_at(diagnostics, 0).code) == "E-UNBOUND");
  cairn_diagnostics_free(diagnostics);
  std::filesystem::remove_all(folder);
}

TEST_CASE("an entry of several lines is complete when its brackets are", "[embedding]") {
  const auto complete = [](std::string_view text) { return cairn_is_complete_entry(text.data(), text.size()); };
  CHECK(complete("1 + 2"));
  CHECK(complete("fn f() {\n}"));
  CHECK_FALSE(complete("fn f() {"));
  CHECK_FALSE(complete("let x = (1 +"));
  CHECK_FALSE(complete(""));
}

TEST_CASE("a command of the program runs inside its host, and gives its status", "[embedding]") {
  const auto status = [](std::initializer_list<const char*> words) {
    return cairn_command_line(static_cast<int>(words.size()), words.begin());
  };
  const std::string version = written([&] { CHECK(status({"cairn", "--version"}) == 0); });
  CHECK(version == "cairn " + std::string(cairn_version()) + "\n");
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "cairn_command_line_test.cairn";
  std::ofstream(path) << "fn main() -> i32 { println(6 * 7); return 3; }\n";
  const std::string text = path.string();
  CHECK(written([&] { CHECK(status({"cairn", "run", text.c_str()}) == 3); }) == "42\n");
  std::ofstream(path) << "fn main() -> i32 { return true; }\n";
  CHECK(written([&] {
          CHECK(status({"cairn", "check", "--format", "json", text.c_str()}) == 1);
        }).contains("E-TYPE-MISMATCH"));
  std::filesystem::remove(path);
}
