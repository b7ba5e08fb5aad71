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
  return Error{fmt::format("{} '{}' is none of:{}", key, value, names)};
}

}  // namespace

Result<Settings> read_settings(const BackendOptions& options) {
  Settings s;
  for (const auto& [key, value] : options) {
    Status ok;
    if (key == "device") {
      const auto read = std::from_chars(value.data(), value.data() + value.size(), s.runtime.device);
      if (read.ec != std::errc() || read.ptr != value.data() + value.size())
        ok = Error{fmt::format("device '{}' is no number", value)};
    } else if (key == "platform") {
      s.runtime.platform = value;
    } else if (key == "cache") {
      s.runtime.cache_folder = value;
    } else if (key == "precision") {
      ok = choose(key, value, {{"high", Precision::High}, {"normal", Precision::Normal}, {"low", Precision::Low}},
                  s.runtime.precision);
    } else if (key == "tuning") {
      ok = choose(key, value,
                  {{"none", TuneLevel::None},
                   {"fast", TuneLevel::Fast},
                   {"normal", TuneLevel::Normal},
                   {"wide", TuneLevel::Wide},
                   {"heavy", TuneLevel::Heavy}},
                  s.runtime.tuning);
    } else if (key == "profiling") {
      ok = choose(key, value, {{"on", true}, {"off", false}}, s.runtime.profiling);
    } else if (key == "kernels") {
      ok = choose(key, value, {{"fast", true}, {"plain", false}}, s.fast);
    } else if (key == "memory") {
      ok = choose(key, value,
                  {{"buffer", MemoryObjects::Buffer}, {"image", MemoryObjects::Image}, {"auto", MemoryObjects::Auto}},
                  s.memory);
    } else if (key == "sizes") {
      ok = choose(key, value, {{"exact", false}, {"packed", true}}, s.packed_sizes);
    } else if (key == "power") {
      ok = choose(key, value, {{"high", Power::High}, {"normal", Power::Normal}, {"low", Power::Low}}, s.runtime.power);
    } else if (key == "export-cache") {
      s.runtime.export_cache = value;
    } else if (key == "import-cache") {
      s.runtime.import_cache = value;
    } else if (key == "replay") {
      ok = choose(key, value, {{"on", true}, {"off", false}}, s.replay);
    } else if (key == "pool") {
      ok = choose(key, value,
                  {{"bounded", PoolOptions{}},
                   {"any", PoolOptions{std::numeric_limits<double>::infinity(), 0, false}},
                   {"separate", PoolOptions{1, 0, true}}},
                  s.pool);
    } else {
      ok =
          Error{fmt::format("there is no OpenCL option '{}'; there are: cache device export-cache import-cache kernels "
                            "memory platform pool power precision profiling replay sizes tuning",
                            key)};
    }
    if (!ok) return ok.error();
  }
  return s;
}

}  // namespace arenascope::opencl
