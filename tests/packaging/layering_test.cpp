// SPDX-License-Identifier: MIT
// Modules include only modules of lower layers, as the #include lines show.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

using Modules = std::set<std::string>;

// The modules that each module of the engine may include besides itself and base. A row is complete: it also lists
// modules that may be included indirectly.
const std::map<std::string, Modules>& may_include() {
  static const std::map<std::string, Modules> rules = [] {
    const Modules memory{"trace"};
    const Modules tensor{"memory", "trace"};
    const Modules graph{"tensor", "memory", "trace"};
    Modules transform = graph;
    transform.insert("graph");
    Modules schedule = transform;
    schedule.insert({"transform", "planner"});
    Modules runtime = schedule;
    runtime.insert("schedule");
    Modules backends = runtime;
    backends.insert("runtime");
    Modules bench = backends;
    bench.insert({"attach", "backends", "peaks"});
    Modules models = graph;
    models.insert("graph");
    Modules run = backends;
    run.insert({"backends", "models"});
    Modules generate = run;
    generate.insert("run");
    Modules lesson = generate;
    lesson.insert("generate");
    return std::map<std::string, Modules>{{"base", {}},
                                          {"trace", {}},
                                          {"attach", {"trace"}},
                                          {"audit", {"trace"}},
                                          {"allocator_sim", {"trace"}},
                                          {"peaks", tensor},
                                          {"planner", {}},
                                          {"memory", memory},
                                          {"tensor", tensor},
                                          {"graph", graph},
                                          {"transform", transform},
                                          {"schedule", schedule},
                                          {"runtime", runtime},
                                          {"backends", backends},
                                          {"bench", bench},
                                          {"models", models},
                                          {"run", run},
                                          {"generate", generate},
                                          {"train", generate},
                                          {"lesson", lesson}};
  }();
  return rules;
}

struct Include {
  const SourceFile* file;
  std::string target;  // as written between the brackets or quotes
};

std::vector<Include> includes_of(const std::vector<SourceFile>& tree) {
  static const std::regex line_form(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
  std::vector<Include> out;
  for (const SourceFile& file : tree) {
    if (!file.is_cpp()) continue;
    for (const std::string& line : lines_of(file.text))
      if (std::smatch m; line.size() < 300 && std::regex_match(line, m, line_form)) out.push_back({&file, m[1]});
  }
  return out;
}

// The n-th folder of a path, "" after the last one: part("engine/graph/op.cpp", 1) is "graph".
std::string part(const std::string& path, int n) {
  size_t begin = 0;
  for (; n > 0; --n) {
    const size_t slash = path.find('/', begin);
    if (slash == std::string::npos) return "";
    begin = slash + 1;
  }
  const size_t end = path.find('/', begin);
  return end == std::string::npos ? "" : path.substr(begin, end - begin);
}

// The path below engine/ for public and private headers: "graph/op.h" for engine/include/arenascope/graph/op.h,
// <arenascope/graph/op.h> and "engine/graph/op.h". Empty: not in the engine.
std::string in_engine(const std::string& path) {
  for (const std::string_view root : {"engine/include/arenascope/", "engine/", "arenascope/"})
    if (path.starts_with(root)) return path.substr(root.size());
  return "";
}

}  // namespace

TEST_CASE("no engine module includes a higher layer") {
  const auto tree = source_tree();
  int seen = 0;
  for (const Include& include : includes_of(tree)) {
    const std::string target = in_engine(include.target);
    if (!include.file->in("engine/") || target.empty()) continue;
    const std::string module_name = part(in_engine(include.file->path), 0), other = part(target, 0);
    CAPTURE(include.file->path);
    CAPTURE(include.target);
    if (module_name.empty() || other.empty()) continue;  // <arenascope/planner.h>, at the top
    const auto rule = may_include().find(module_name);
    REQUIRE_MESSAGE(rule != may_include().end(), "the module is not in the table");
    CHECK_MESSAGE((other == module_name || other == "base" || rule->second.count(other) == 1),
                  include.file->path << " includes <" << include.target << ">, which is in a higher layer");
    ++seen;
  }
  CHECK(seen > 100);
}

TEST_CASE("the architecture page lists every engine module and every required dependency") {
  std::map<std::string, std::string> texts;
  for (const char* name : {"docs/dev/architecture.md", "cmake/ArenascopeDependencies.cmake"}) {
    std::ifstream in(std::filesystem::path(ARENASCOPE_SOURCE_DIR) / name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    texts[name] = text.str();
  }
  const std::string& page = texts["docs/dev/architecture.md"];
  const std::string folder = std::string(ARENASCOPE_SOURCE_DIR) + "/engine";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || name == "include") continue;
    CHECK_MESSAGE(may_include().count(name) == 1, "engine/" << name << " is not in the table of layers");
    CHECK_MESSAGE(page.find("`engine/" + name + "`") != std::string::npos, "the page lacks engine/" << name);
  }
  static const std::regex required("\nfind_package\\((\\w+) REQUIRED\\)");
  const std::string& packages = texts["cmake/ArenascopeDependencies.cmake"];
  for (std::sregex_iterator m(packages.begin(), packages.end(), required), end; m != end; ++m)
    if ((*m)[1] != "Threads")
      CHECK_MESSAGE(page.find((*m)[1].str()) != std::string::npos, "the page lacks " << (*m)[1]);
}

TEST_CASE("private headers of a module are included by that module only") {
  const auto tree = source_tree();
  for (const Include& include : includes_of(tree)) {
    if (!include.target.starts_with("engine/") || !include.file->in("engine/")) continue;
    if (include.target == "engine/attach/arenascope_client.h") continue;  // installed as it is, for other programs
    CHECK_MESSAGE(part(in_engine(include.file->path), 0) == part(in_engine(include.target), 0),
                  include.file->path << " includes \"" << include.target << "\", which is not installed");
    CHECK_MESSAGE(!include.file->in("engine/include/"),
                  include.file->path << " is installed, but \"" << include.target << "\" is not");
  }
}

TEST_CASE("the auditor shares the codec with the trace module and nothing else") {
  const Modules codec{"trace/events.h",    "trace/bind_event.h", "trace/info.h",   "trace/sink.h",
                      "trace/recording.h", "trace/wire.h",       "trace/gunzip.h", "trace/json_records.h"};
  int seen = 0;
  const auto tree = source_tree();
  for (const Include& include : includes_of(tree)) {
    const std::string to = in_engine(include.target);
    const bool ours = include.file->in("engine/audit/") || include.file->in("engine/include/arenascope/audit/");
    if (ours && part(to, 0) == "trace") {
      CHECK_MESSAGE(codec.count(to) == 1, include.file->path << " includes <" << include.target << ">");
      ++seen;
    }
    // The values that the auditor recomputes must not depend on its results.
    if (part(to, 0) == "audit")
      CHECK_MESSAGE((ours || include.file->in("app/cli/") || include.file->in("tests/")),
                    include.file->path << " includes <" << include.target << ">");
  }
  CHECK(seen > 2);
}

TEST_CASE("a backend does not include another backend") {
  const auto tree = source_tree();
  for (const Include& include : includes_of(tree)) {
    const std::string from = in_engine(include.file->path), to = in_engine(include.target);
    if (!include.file->in("engine/") || part(from, 0) != "backends" || part(to, 0) != "backends") continue;
    CHECK_MESSAGE(part(from, 1) == part(to, 1), include.file->path << " includes <" << include.target << ">");
  }
}

TEST_CASE("the engine includes neither Qt nor views nor programs") {
  const auto tree = source_tree();
  static const std::regex qt("Q[A-Z][A-Za-z0-9]*|Qt[A-Z].*|q[a-z0-9]+\\.h|qcustomplot.*");
  for (const Include& include : includes_of(tree)) {
    if (!include.file->in("engine/") && !include.file->in("tests/engine/") && !include.file->in("app/cli/") &&
        !include.file->in("app/common/") && !include.file->in("app/checks/"))
      continue;
    CHECK_MESSAGE(!std::regex_match(include.target, qt), include.file->path << " includes <" << include.target << ">");
    CHECK_MESSAGE(include.target.rfind("views/", 0) != 0, include.file->path << " includes <" << include.target << ">");
    if (include.file->in("engine/"))
      CHECK_MESSAGE(include.target.rfind("app/", 0) != 0, include.file->path << " includes <" << include.target << ">");
  }
}

TEST_CASE("views include only common views, and never the programs") {
  const auto tree = source_tree();
  for (const Include& include : includes_of(tree)) {
    if (!include.file->in("views/")) continue;
    const std::string view = part(include.file->path, 1);
    if (include.target.rfind("views/", 0) == 0) {
      const std::string other = part(include.target, 1);
      CHECK_MESSAGE((other == view || other == "common"), include.file->path << " includes <" << include.target << ">");
    }
    CHECK_MESSAGE(include.target.rfind("app/", 0) != 0, include.file->path << " includes <" << include.target << ">");
  }
}

// Libraries of data are linked by tests and the export of tables, which have no display.
TEST_CASE("data of views links Qt6::Core alone") {
  std::ifstream in(std::filesystem::path(ARENASCOPE_SOURCE_DIR) / "views/CMakeLists.txt", std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  CHECK(text.str().find("target_link_libraries(arenascope_present_${name} PUBLIC ${ARG_LIBS} Qt6::Core ") !=
        std::string::npos);
  for (const SourceFile& file : source_tree()) {
    if (!file.in("views/") || !file.path.ends_with("CMakeLists.txt")) continue;
    static const std::regex data_libs(R"(DATA_LIBS([^\n]*))");
    for (std::sregex_iterator m(file.text.begin(), file.text.end(), data_libs), end; m != end; ++m)
      CHECK_MESSAGE((*m)[1].str().find("Qt6::") == std::string::npos, file.path << ":" << (*m)[1].str());
  }
}

}  // namespace arenascope::test
