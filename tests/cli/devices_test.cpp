// Commands on programs with device work: targets, emulation, and what is said where there is no device (tools, 3.2).
#include <catch2/catch.hpp>

#include "cuda/tools.hpp"
#include "tests/cli/command_line.hpp"

namespace cairn::cli {

namespace {

constexpr std::string_view kDevice =
    "fn fill(n:usize, d:rw<u64>[n]@device) { parallel i in n { d[i] = 2; } }\n"
    "fn main() -> i32 {\n  let n:usize = 3;\n  buffer d:u64[n]@device = zeroed;\n  fill(d);\n"
    "  let s = reduce + for i in n yield d[i];\n  println(s);\n  return 0;\n}\n"
    "test six { let n:usize = 3; buffer d:u64[n]@device = zeroed; fill(d); let s = reduce + for i in n yield d[i]; "
    "assert_eq(s, 6); }\n";
constexpr std::string_view kHost = "fn main() -> i32 { println(6); return 0; }\n";
constexpr std::string_view kNote =
    "note: Device work runs on host threads, judged against sm_90; this is no device run.\n";

}  // namespace

TEST_CASE("an emulated run says what it is, on stderr or in its record", "[cli][devices]") {
  CommandLine cairn;
  cairn.write("p.cairn", kDevice);
  const ChildResult run = cairn({"run", "--emulate", "--device-target", "sm_90", "p.cairn"});
  CHECK(run.exit_code == 0);
  CHECK(run.out == "6\n");
  CHECK(run.err == kNote);
  const auto record = cairn.record({"run", "--emulate", "--device-target", "sm_90", "p.cairn"});
  CHECK(record["stdout"] == "6\n");
  CHECK(record["emulation"]["runs_on"] == "host");
  CHECK(record["emulation"]["judged_against"] == "sm_90");
  const auto tests = cairn.record({"test", "--emulate", "--device-target", "sm_90", "p.cairn"});
  CHECK(tests["status"] == "passed-finite-tests");
  CHECK(tests["blocks"]["emulation"]["judged_against"] == "sm_90");
}

TEST_CASE("a program without device work is left alone", "[cli][devices]") {
  CommandLine cairn;
  cairn.write("p.cairn", kHost);
  for (const auto& words :
       {std::vector<const char*>{"run", "p.cairn"}, std::vector<const char*>{"run", "--emulate", "p.cairn"},
        std::vector<const char*>{"run", "--emulate", "--device-target", "sm_70", "p.cairn"}}) {
    const ChildResult run = cairn(words);
    CHECK(run.out == "6\n");
    CHECK(run.err.empty());
  }
  CHECK_FALSE(cairn.record({"run", "--emulate", "p.cairn"}).contains("emulation"));
}

TEST_CASE("device work without a target is refused, and without a device nothing is said of the program",
          "[cli][devices]") {
  CommandLine cairn;
  cairn.write("p.cairn", kDevice);
  for (const char* command : {"run", "test"}) {
    const ChildResult no_target = cairn({command, "p.cairn"});
    CHECK(no_target.exit_code == 1);
    CHECK(no_target.err.starts_with("error[E-TARGET]: "));
    const ChildResult no_device = cairn({command, "--device-target", "sm_90", "p.cairn"});
    CHECK(no_device.exit_code == 2);
    CHECK(no_device.out.empty());
    CHECK(no_device.err.starts_with("unknown[E-PROJECT-OR-ENVIRONMENT]: "));
  }
  CHECK(cairn({"check", "p.cairn"}).exit_code == 0);
  CHECK(cairn({"check", "--device-target", "sm_70", "p.cairn"}).err.starts_with("error[E-TARGET-FEATURE]: "));
  CHECK(cairn({"run", "--emulate", "p.cairn"}).err.starts_with("error[E-TARGET]: "));
}

TEST_CASE("a bundle built for emulation runs emulated, another needs its device", "[cli][devices]") {
  CommandLine cairn;
  cairn.write("p.cairn", kDevice);
  const auto emulated =
      cairn.record({"build", "--emulate", "--device-target", "sm_90", "--kind", "exe", "--out", "a", "p.cairn"});
  CHECK(emulated["device_target"]["origin"] == "flag");
  CHECK(emulated["device_target"]["needs"] == nlohmann::json::array({"device_lanes"}));
  CHECK(emulated["emulation"]["runs_on"] == "host");
  CHECK(emulated["vm"]["device"]["backend"] == "emulated");
  const std::string bundle = emulated["artifact"];
  const ChildResult run = cairn({"run", bundle.c_str()});
  CHECK(run.out == "6\n");
  CHECK(run.err == kNote);
  CHECK(cairn({"run", "--emulate", bundle.c_str()}).exit_code == 2);
  const auto plain = cairn.record({"build", "--device-target", "sm_90", "--kind", "exe", "--out", "b", "p.cairn"});
  CHECK(plain["vm"]["device"]["backend"] ==
        (cuda::find_toolchain().nvrtc ? nlohmann::json("nvrtc") : nlohmann::json()));
  const std::string other = plain["artifact"];
  CHECK(cairn({"run", other.c_str()}).exit_code == 2);
  CHECK(cairn({"build", "--kind", "exe", "p.cairn"}).err.starts_with("error[E-TARGET]: "));
}

TEST_CASE("vendored CUDA is nothing the host can run", "[cli][devices]") {
  CommandLine cairn;
  cairn.write("cairn.toml",
              "[project]\nname = \"p\"\nsources = [\"p.cairn\"]\n[build]\nkind = \"exe\"\ndevice_target = "
              "\"sm_90\"\n[foreign]\n"
              "\"k.cu\" = []\n");
  cairn.write("p.cairn", kDevice);
  cairn.write("k.cu", "\n");
  CHECK(cairn({"check", "."}).exit_code == 0);
  const ChildResult refused = cairn({"check", "--emulate", "."});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.starts_with("error[E-EMULATE]: k.cu is vendored CUDA."));
}

}  // namespace cairn::cli
