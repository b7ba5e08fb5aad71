// SPDX-License-Identifier: MIT
#include <arenascope/allocator_sim/replays.h>

namespace arenascope::allocator_sim {

Result<std::vector<Replay>> replays_of(const AllocatorProgram& program, std::span<const std::string> others,
                                       Bytes device_memory, const std::stop_token& stop) {
  std::vector<CachingSettings> asked;
  CachingSettings base;
  base.device_memory = device_memory;
  for (const std::string& text : others) {
    auto settings = parse_caching_settings(text, base);
    if (!settings) return settings.error();
    asked.push_back(*settings);
  }
  CachingSettings own = program.settings;
  std::vector<Replay> out{{to_string(own), true, std::nullopt}};
  const auto add = [&](const CachingSettings& settings, bool is_own, Start start) -> Status {
    if (stop.stop_requested()) return {};
    auto experiment = run_experiment(program, settings, start);
    if (!experiment) return experiment.error();
    out.push_back({to_string(settings), is_own, *experiment});
    return {};
  };
  if (!program.grows)
    if (const Status status = add(own, true, Start::Recorded); !status.ok()) return status.error();
  own.device_memory = device_memory;
  if (const Status status = add(own, true, Start::Empty); !status.ok()) return status.error();
  for (const CachingSettings& settings : asked)
    if (const Status status = add(settings, false, Start::Empty); !status.ok()) return status.error();
  return out;
}

}  // namespace arenascope::allocator_sim
