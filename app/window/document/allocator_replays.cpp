// SPDX-License-Identifier: GPL-3.0-or-later
#include "allocator_replays.h"

namespace arenascope::app {

namespace {

using Devices = std::vector<AllocatorReplays::Device>;

Result<Devices> replay(const std::string& path, const std::vector<std::string>& settings, Bytes memory,
                       const std::stop_token& stop) {
  auto programs = allocator_sim::read_allocator_programs(path);
  if (!programs) return programs.error();
  Devices out;
  for (const allocator_sim::AllocatorProgram& program : *programs) {
    auto replays = allocator_sim::replays_of(program, settings, memory, stop);
    if (!replays) return replays.error();
    out.push_back({program.device, program.reserved_peak, std::move(*replays)});
  }
  return out;
}

}  // namespace

void AllocatorReplays::begin(const QString& path, const QStringList& settings, Bytes memory) {
  std::vector<std::string> texts;
  for (const QString& text : settings) texts.push_back(text.toStdString());
  start([this, file = path.toStdString(), texts, memory](const Part& part) {
    auto done = replay(file, texts, memory, part.stop);
    tell(
        part,
        [this, done = std::move(done)] {
          problem_ = done ? QString() : QString::fromStdString(done.error().message);
          if (done) devices_ = *done;
        },
        true);
  });
}

}  // namespace arenascope::app
