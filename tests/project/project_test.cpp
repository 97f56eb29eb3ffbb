#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "frontend/project/files.hpp"
#include "frontend/project/module_scan.hpp"
#include "frontend/project/project.hpp"

namespace cairn {

namespace fs = std::filesystem;

namespace {

/// A folder of its own that is removed with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "cairn-project-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  Folder& write(const std::string& name, std::string_view text) {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string manifest(std::string_view name, std::string_view sources, std::string_view rest = "") {
  return "[project]\nname = \"" + std::string(name) + "\"\nsources = [" + std::string(sources) + "]\n" +
         std::string(rest);
}

/// What refuses the project, as CODE: MESSAGE; empty when it loads.
std::string refusal(const fs::path& operand) {
  SourceMap sources;
  const auto project = load_project(operand, sources);
  return project ? "" : std::string(text(project.error().code)) + ": " + project.error().message;
}

std::string refusal_of_manifest(std::string_view text_of_manifest) {
  const auto read = parse_manifest(text_of_manifest, "cairn.toml");
  return read ? "" : std::string(text(read.error().code)) + ": " + read.error().message;
}

}  // namespace

TEST_CASE("a single file is a project named by its stem and shown by its file name alone", "[project]") {
  Folder folder;
  folder.write("nested/seats.cairn", "fn f() {}\n");
  SourceMap sources;
  const auto project = load_project(folder.path() / "nested/seats.cairn", sources);
  REQUIRE(project);
  CHECK(project->manifest.name == "seats");
  CHECK(project->root == folder.path() / "nested");
  CHECK_FALSE(project->has_manifest);
  REQUIRE(sources.size() == 1);
  CHECK(sources.file(0).path == "seats.cairn");
  CHECK(sources.file(0).own);
}

TEST_CASE("a folder and a manifest by path give the same project", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("harbor", "\"src/a.cairn\", \"src/b.cairn\"", "[build]\nkind = \"exe\"\n"));
  folder.write("src/a.cairn", "fn a() {}\n").write("src/b.cairn", "fn b() {}\n");
  for (const fs::path& operand : {folder.path(), folder.path() / "cairn.toml"}) {
    SourceMap sources;
    const auto project = load_project(operand, sources);
    REQUIRE(project);
    CHECK(project->manifest.name == "harbor");
    CHECK(project->manifest.kind == ProjectKind::Executable);
    REQUIRE(project->files.size() == 2);
    CHECK(sources.file(1).path == "src/b.cairn");
  }
}

TEST_CASE("anything else than a program is refused without a verdict", "[project]") {
  Folder folder;
  folder.write("notes.txt", "x");
  CHECK(refusal(folder.path() / "gone.cairn").ends_with("gone.cairn does not exist."));
  CHECK(refusal(folder.path() / "notes.txt").contains("is no program"));
  CHECK(refusal(folder.path()).contains("holds no cairn.toml"));
}

TEST_CASE("dependencies load depth first in the order written, a diamond once, each before its user", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("site", "\"main.cairn\"",
                                      "[dependencies]\nplots = \"deps/plots\"\nunits = \"deps/plots/deps/units\"\n"));
  folder.write("main.cairn", "module site;\n");
  folder.write("deps/plots/cairn.toml",
               manifest("plots", "\"src/area.cairn\"", "[dependencies]\nunits = \"deps/units\"\n"));
  folder.write("deps/plots/src/area.cairn", "module plots.area;\n");
  folder.write("deps/plots/deps/units/cairn.toml", manifest("units", "\"units.cairn\""));
  folder.write("deps/plots/deps/units/units.cairn", "module units;\n");
  SourceMap sources;
  const auto project = load_project(folder.path(), sources);
  REQUIRE(project);
  REQUIRE(sources.size() == 3);
  CHECK(sources.file(0).path == "deps/plots/deps/units/units.cairn");
  CHECK(sources.file(1).path == "deps/plots/src/area.cairn");
  CHECK(sources.file(2).path == "main.cairn");
  CHECK_FALSE(sources.file(0).own);
  CHECK(sources.file(2).own);
  CHECK(project->packages.back().name == "site");
}

TEST_CASE("dependencies keep the order of the manifest, not of their names", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("site", "\"main.cairn\"", "[dependencies]\nzinc = \"z\"\nalum = \"a\"\n"));
  folder.write("main.cairn", "module site;\n");
  folder.write("z/cairn.toml", manifest("zinc", "\"z.cairn\"")).write("z/z.cairn", "module zinc;\n");
  folder.write("a/cairn.toml", manifest("alum", "\"a.cairn\"")).write("a/a.cairn", "module alum;\n");
  SourceMap sources;
  REQUIRE(load_project(folder.path(), sources));
  CHECK(sources.file(0).path == "z/z.cairn");
}

TEST_CASE("a module belongs to one project of the build", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("site", "\"main.cairn\"", "[dependencies]\nplots = \"plots\"\n"));
  folder.write("plots/cairn.toml", manifest("plots", "\"plots.cairn\""));
  folder.write("plots/plots.cairn", "module plots;\npub fn size() {}\n");
  folder.write("main.cairn", "module site;\n");
  CHECK(refusal(folder.path()).empty());
  SECTION("opened again by the user") {
    folder.write("main.cairn", "module plots;\npub fn extra() {}\nmodule site;\n");
    CHECK(refusal(folder.path()) ==
          "E-PROJECT-OR-ENVIRONMENT: module plots belongs to plots; site may not reopen it (main.cairn).");
  }
  SECTION("continued by a file without a header") {
    folder.write("main.cairn", "fn main() -> i32 { return 0; }\n");
    CHECK(refusal(folder.path()).contains("module plots belongs to plots; site may not reopen it"));
  }
}

TEST_CASE("a dependency declares inside modules only", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("site", "\"main.cairn\"", "[dependencies]\nplots = \"plots\"\n"));
  folder.write("main.cairn", "module site;\n");
  folder.write("plots/cairn.toml", manifest("plots", "\"plots.cairn\""));
  folder.write("plots/plots.cairn", "// module plots;\nfn size() {}\n");
  CHECK(refusal(folder.path()).contains("a library is modules only"));
  folder.write("plots/plots.cairn", "// a comment first\npub module plots;\nfn size() {}\n");
  CHECK(refusal(folder.path()).empty());
}

TEST_CASE("no project file opens std or a module inside it", "[project]") {
  Folder folder;
  folder.write("p.cairn", "module std.core;\n");
  CHECK(refusal(folder.path() / "p.cairn").contains("p.cairn opens module std.core"));
  folder.write("p.cairn", "module stdx;\nfn f() { let s = \"module std;\"; }\n");
  CHECK(refusal(folder.path() / "p.cairn").empty());
}

TEST_CASE("a dependency must be what the manifest says it is", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("site", "\"main.cairn\"", "[dependencies]\nplots = \"plots\"\n"));
  folder.write("main.cairn", "module site;\n").write("plots/plots.cairn", "module plots;\n");
  SECTION("a folder") {
    fs::remove_all(folder.path() / "plots");
    CHECK(refusal(folder.path()).contains("dependency plots (plots) does not exist"));
  }
  SECTION("with a manifest") { CHECK(refusal(folder.path()).contains("plots/cairn.toml does not exist")); }
  SECTION("of that name") {
    folder.write("plots/cairn.toml", manifest("plot", "\"plots.cairn\""));
    CHECK(refusal(folder.path()).contains("calls itself plot"));
  }
  SECTION("without vendored sources of its own") {
    folder.write("plots/cairn.toml", manifest("plots", "\"plots.cairn\"", "[foreign]\n\"a.cpp\" = []\n"));
    CHECK(refusal(folder.path()).contains("[foreign]"));
  }
  SECTION("named otherwise than the root project") {
    folder.write("cairn.toml", manifest("plots", "\"main.cairn\"", "[dependencies]\nplots = \"plots\"\n"));
    folder.write("plots/cairn.toml", manifest("plots", "\"plots.cairn\""));
    CHECK(refusal(folder.path()).contains("one name is one directory"));
  }
}

TEST_CASE("chains of dependencies are at most four deep", "[project]") {
  for (const int depth : {4, 5}) {
    Folder folder;
    std::string directory;
    for (int level = 0; level <= depth; ++level) {
      const std::string name = "p" + std::to_string(level);
      const std::string inner = "p" + std::to_string(level + 1);
      folder.write(
          directory + "cairn.toml",
          manifest(name, "\"m.cairn\"", level < depth ? "[dependencies]\n" + inner + " = \"" + inner + "\"\n" : ""));
      folder.write(directory + "m.cairn", "module " + name + ";\n");
      directory += inner + "/";
    }
    if (depth == 4) CHECK(refusal(folder.path()).empty());
    if (depth == 5) CHECK(refusal(folder.path()).contains("more than 4 dependencies deep"));
  }
}

TEST_CASE("no part of a path inside the project is a symbolic link", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("site", "\"src/main.cairn\"")).write("real/main.cairn", "fn f() {}\n");
  fs::create_directory_symlink("real", folder.path() / "src");
  CHECK(refusal(folder.path()).contains("behind a symbolic link, src"));
  fs::remove(folder.path() / "src");
  fs::rename(folder.path() / "real", folder.path() / "src");
  CHECK(refusal(folder.path()).empty());
}

TEST_CASE("listed contracts must exist", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("site", "\"main.cairn\"", "tests = [\"tests/fee.json\"]\n"));
  folder.write("main.cairn", "fn f() {}\n");
  CHECK(refusal(folder.path()).contains("tests/fee.json does not exist"));
  folder.write("tests/fee.json", "{}");
  CHECK(refusal(folder.path()).empty());
}

TEST_CASE("a source is UTF-8 text", "[project]") {
  Folder folder;
  folder.write("p.cairn", "// caf\xE9\n");
  CHECK(refusal(folder.path() / "p.cairn") == "E-RESOURCE-OR-IO: p.cairn is not UTF-8 text.");
  folder.write("p.cairn", "// caf\xC3\xA9\n");
  CHECK(refusal(folder.path() / "p.cairn").empty());
}

TEST_CASE("all sources together have at most 16,000,000 bytes", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("big", "\"a.cairn\", \"b.cairn\""));
  folder.write("a.cairn", std::string(8'000'000, ' ')).write("b.cairn", std::string(8'000'000, ' '));
  CHECK(refusal(folder.path()).empty());
  folder.write("b.cairn", std::string(8'000'001, ' '));
  CHECK(refusal(folder.path()).starts_with("E-SOURCE-LIMIT: "));
}

TEST_CASE("a file that may change what a project is, is watched", "[project]") {
  Folder folder;
  folder.write("cairn.toml", manifest("site", "\"main.cairn\"", "[dependencies]\nplots = \"plots\"\n"));
  folder.write("plots/cairn.toml", manifest("plots", "\"plots.cairn\""));
  const std::vector<fs::path> files = watched_files(folder.path());
  REQUIRE(files.size() == 4);
  CHECK(files[1] == folder.path() / "main.cairn");
  CHECK(files[3] == folder.path() / "plots/plots.cairn");
}

TEST_CASE("manifest keys, types, spellings and counts are exact", "[project]") {
  const std::string start = "[project]\nname = \"p\"\nsources = [\"a.cairn\"]\n";
  CHECK(refusal_of_manifest(start).empty());
  CHECK(refusal_of_manifest(start + "prebuild = \"make\"\n").contains("unknown manifest option project.prebuild"));
  CHECK(refusal_of_manifest(start + "[hooks]\n").contains("hooks are not supported"));
  CHECK(refusal_of_manifest("kind = 1\n" + start).contains("unknown manifest table or key kind"));
  CHECK(refusal_of_manifest("[project]\nsources = [\"a.cairn\"]\n").contains("project.name is required"));
  CHECK(refusal_of_manifest("[project]\nname = \"p\"\n").contains("project.sources is required"));
  CHECK(refusal_of_manifest("[project]\nname = \"9lives\"\nsources = [\"a.cairn\"]\n")
            .contains("project.name is 9lives"));
  CHECK(refusal_of_manifest("[project]\nname = 3\nsources = [\"a.cairn\"]\n").contains("must be a string"));
  CHECK(refusal_of_manifest("[project]\nname = \"p\"\nsources = []\n").contains("1 to 1024"));
  CHECK(refusal_of_manifest("[project]\nname = \"p\"\nsources = [\"a.txt\"]\n").contains("must end in .cairn"));
  CHECK(refusal_of_manifest("[project]\nname = \"p\"\nsources = [\"a.cairn\", \"a.cairn\"]\n").contains("twice"));
  CHECK(refusal_of_manifest(start + "tests = [\"t.cairn\"]\n").contains("must end in .json"));
  CHECK(refusal_of_manifest(start + "[build]\nkind = \"dll\"\n").contains("known are library, exe"));
  CHECK(refusal_of_manifest(start + "[build]\narch = \"riscv\"\n").contains("build.arch is riscv"));
  CHECK(refusal_of_manifest(start + "[build]\nlibraries = [\"z\"]\n").empty());
  CHECK(refusal_of_manifest(start + "[build]\nlibraries = [\"m\"]\n").contains("known are z"));
  CHECK(refusal_of_manifest(start + "[build]\nkind = \"exe\"\ntarget = \"aarch64-virt\"\n").empty());
  CHECK(refusal_of_manifest(start + "[build]\nkind = \"exe\"\ntarget = \"aarch64-virt\"\nlibraries = [\"z\"]\n")
            .contains("hosted"));
  CHECK(refusal_of_manifest(start + "[foreign]\n\"a.cpp\" = [\"f\", \"g\"]\n").empty());
  CHECK(refusal_of_manifest(start + "[foreign]\n\"a.c\" = []\n").contains(".cpp, .cc or .cu"));
  CHECK(refusal_of_manifest(start + "[foreign]\n\"a.cu\" = [\"1f\"]\n").contains("no C identifier"));
  CHECK(refusal_of_manifest("name = \n").contains("is no TOML: line 1"));
  CHECK(refusal_of_manifest(std::string(65537, ' ')).contains("at most 65536"));
}

TEST_CASE("paths of a manifest stay inside the project and have one spelling", "[project]") {
  for (const std::string_view path : {"a.cairn", "src/a.cairn", "a-b/c_d/e.f.cairn", "..a/b"})
    CHECK(is_project_path(path));
  for (const std::string_view path : {"", "/a", "a//b", "./a", "a/..", "../a", "a\\b", "a b", "a/", "\xC3\xA9"}) {
    CHECK_FALSE(is_project_path(path));
  }
}

TEST_CASE("a device target is sm_, a capability, and a suffix the capability has", "[project]") {
  for (const std::string_view target : {"sm_75", "sm_90", "sm_90a", "sm_100f", "sm_120f", "sm_100a"}) {
    CHECK(is_device_target(target));
  }
  for (const std::string_view target :
       {"", "sm_", "sm_9", "sm_09", "sm_1000", "sm_89a", "sm_90f", "sm_90A", "90", "gpu"}) {
    CHECK_FALSE(is_device_target(target));
  }
  CHECK(refusal_of_manifest(manifest("p", "\"a.cairn\"", "[build]\ndevice_target = \"sm_90\"\n")).empty());
  CHECK(refusal_of_manifest(manifest("p", "\"a.cairn\"", "[build]\ndevice_target = \"turing\"\n"))
            .starts_with("E-TARGET: "));
}

TEST_CASE("module headers are found by tokens, whatever else the text holds", "[project]") {
  const ModuleScan scan =
      scan_modules("// module no;\nmodule a.b ;\nfn f() { let s = \"module no;\"; }\npub module c;\n");
  CHECK(scan.modules == std::vector<std::string>{"a.b", "c"});
  CHECK_FALSE(scan.declares_before_header);
  CHECK(scan_modules("fn f() {}\nmodule a;\n").declares_before_header);
  CHECK_FALSE(scan_modules(" // nothing\n").declares_before_header);
  CHECK(scan_modules(" // nothing").empty);
  CHECK(scan_modules("module").modules == std::vector<std::string>{""});
}

TEST_CASE("UTF-8 has no overlong forms, surrogates or cut sequences", "[project]") {
  for (const std::string_view good : {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x8F\x94"}) CHECK(is_utf8(good));
  for (const std::string_view bad :
       {"\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3", "\xFF"}) {
    CHECK_FALSE(is_utf8(bad));
  }
}

}  // namespace cairn
