// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/settings.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace arenascope::opencl {
namespace {

template <class Choice>
Status choose(const std::string& key, const std::string& value,
              std::initializer_list<std::pair<const char*, Choice>> choices, Choice& to) {
  std::string names;
  for (const auto& [text, choice] : choices) {
    if (value == text) {
      to = choice;
      return {};
    }
    names += fmt::format(" {}", text);
  }
  return Error{fmt::format("invalid {} '{}', expected one of:{}", key, value, names)};
}

// Options of the device and its queue. False: another key.
bool read_runtime(RuntimeOptions& r, const std::string& key, const std::string& value, Status& ok) {
  if (key == "device") {
    const auto read = std::from_chars(value.data(), value.data() + value.size(), r.device);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size())
      ok = Error{fmt::format("invalid device '{}', expected a number", value)};
  } else if (key == "platform") {
    r.platform = value;
  } else if (key == "cache") {
    r.cache_folder = value;
  } else if (key == "export-cache") {
    r.export_cache = value;
  } else if (key == "import-cache") {
    r.import_cache = value;
  } else if (key == "precision") {
    ok = choose(key, value, {{"high", Precision::High}, {"normal", Precision::Normal}, {"low", Precision::Low}},
                r.precision);
  } else if (key == "tuning") {
    ok = choose(key, value,
                {{"none", TuneLevel::None},
                 {"fast", TuneLevel::Fast},
                 {"normal", TuneLevel::Normal},
                 {"wide", TuneLevel::Wide},
                 {"heavy", TuneLevel::Heavy}},
                r.tuning);
  } else if (key == "profiling") {
    ok = choose(key, value, {{"on", true}, {"off", false}}, r.profiling);
  } else if (key == "power") {
    ok = choose(key, value, {{"high", Power::High}, {"normal", Power::Normal}, {"low", Power::Low}}, r.power);
  } else if (key == "svm") {
    ok = choose(key, value, {{"on", true}, {"off", false}}, r.svm);
  } else {
    return false;
  }
  return true;
}

// Options of storage and computation. False: another key.
bool read_use(Settings& s, const std::string& key, const std::string& value, Status& ok) {
  const std::initializer_list<std::pair<const char*, MemoryObjects>> objects{
      {"buffer", MemoryObjects::Buffer}, {"image", MemoryObjects::Image}, {"auto", MemoryObjects::Auto}};
  if (key == "kernels") {
    ok = choose(key, value, {{"fast", true}, {"plain", false}}, s.fast);
  } else if (key == "memory") {
    ok = choose(key, value, objects, s.memory);
  } else if (key == "filters") {
    ok = choose(key, value, objects, s.filters);
  } else if (key == "memory-mode") {
    ok = choose(key, value, {{"low", MemoryMode::Low}, {"normal", MemoryMode::Normal}, {"high", MemoryMode::High}},
                s.mode);
  } else if (key == "integer-dot") {
    ok = choose(key, value, {{"auto", DotChoice::Auto}, {"on", DotChoice::On}, {"off", DotChoice::Off}}, s.dot);
  } else if (key == "sizes") {
    ok = choose(key, value,
                {{"exact", BufferSizes::Exact}, {"packed", BufferSizes::Packed}, {"subgroups", BufferSizes::Subgroups}},
                s.sizes);
  } else if (key == "replay") {
    ok = choose(key, value, {{"on", true}, {"off", false}}, s.replay);
  } else if (key == "pool") {
    ok = choose(key, value,
                {{"bounded", PoolOptions{}},
                 {"any", PoolOptions{std::numeric_limits<double>::infinity(), 0, false}},
                 {"separate", PoolOptions{1, 0, true}}},
                s.pool);
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<Settings> read_settings(const BackendOptions& options) {
  Settings s;
  for (const auto& [key, value] : options) {
    Status ok;
    if (!read_runtime(s.runtime, key, value, ok) && !read_use(s, key, value, ok))
      ok =
          Error{fmt::format("unknown OpenCL option '{}'; available: cache device export-cache filters import-cache "
                            "integer-dot kernels "
                            "memory memory-mode platform pool power precision profiling replay sizes svm tuning",
                            key)};
    if (!ok) return ok.error();
  }
  return s;
}

}  // namespace arenascope::opencl
