// SPDX-License-Identifier: MIT
// The importers' lists of shown and ignored fields are true: each field of traces generated here is changed, and shown
// fields change the result, ignored ones do not. And no file has a field that is in neither list.
#pragma once
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/engine/trace/import_fields.h"

namespace arenascope::test::fields {

using namespace arenascope::trace;
using Json = nlohmann::ordered_json;

// All that a sink is imported_text, as a text; problems apart.
class TextSink : public Sink {
 public:
  std::string text;
  void describe(const Description& description) override {
    std::visit([this](const auto& d) { note(d); }, description);
  }
  using Sink::events;
  void events(std::span<const TrackEvent> events) override {
    for (const auto& [track, e] : events)
      text += fmt::format("{}: {} {} {} {} {}\n", track.value, e.time, e.a, e.b, e.id, e.kind_extra);
  }

 private:
  void note(const ThreadInfo& t) {
    text += fmt::format("row {} {} {} {} {} {}\n", t.name, int(t.kind), t.device.value, t.process, t.thread, t.program);
  }
  void note(const NameInfo& n) { text += fmt::format("name {} {}\n", n.id.value, n.text); }
  void note(const CounterInfo& c) { text += fmt::format("counter {} {} {}\n", c.id.value, c.name, c.unit); }
  void note(const AllocatorInfo& a) { text += fmt::format("allocator {} {} {}\n", a.id, a.name, a.device.value); }
  void note(const RunInfo& r) { text += fmt::format("run {} {}\n", r.id.value, r.begin); }
  void note(const RunEnd& r) { text += fmt::format("end {} {}\n", r.id.value, r.end); }
  void note(const std::shared_ptr<const GraphInfo>& g) {
    for (const TensorInfo& t : g->nodes) text += fmt::format("node {} {}\n", t.name, t.op);
  }
  void note(const StackInfo& s) {
    text += "stack";
    for (const StackFrame& f : s.frames) text += fmt::format(" {} {} {}", f.function.value, f.file.value, f.line);
    for (const uint32_t a : s.allocations) text += fmt::format(" {}", a);
    text += '\n';
  }
  template <class T>
  void note(const T&) {}
};

inline std::string imported_text(const std::string& bytes) {
  TextSink sink;
  const auto report = open_trace(as_bytes(bytes), "trace", sink);
  return report.ok() ? sink.text : "refused";
}

using Paths = std::set<std::string>;

// Fields that are in neither list.
inline void check_known(ImportFormat format, const Paths& paths) {
  CHECK(!paths.empty());
  for (const std::string& path : paths) {
    CAPTURE(path);
    const ImportField* field = find_import_field(format, path);
    REQUIRE(field != nullptr);
    CHECK(field->shown.empty() != field->left_out.empty());
  }
}

// Which fields, changed, change what is imported_text.
struct Found {
  std::map<std::string, bool> fields;
  void add(const std::string& path, bool changes) { fields[path] = fields[path] || changes; }
  void check(ImportFormat format) const {
    for (const auto& [path, changes] : fields) {
      CAPTURE(path);
      const ImportField* field = find_import_field(format, path);
      REQUIRE(field != nullptr);
      CHECK(changes == !field->shown.empty());
    }
    // All that is said to be shown was tried.
    for (const ImportField& field : import_fields(format)) {
      if (field.shown.empty() || field.path.ends_with('*')) continue;
      CAPTURE(std::string(field.path));
      CHECK(fields.contains(std::string(field.path)));
    }
  }
};

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace arenascope::test::fields
