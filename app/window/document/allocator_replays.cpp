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

AllocatorReplays::AllocatorReplays(views::TaskList* tasks) : task_(tasks) {
  connect(&task_, &views::Task::changed, this, &AllocatorReplays::changed);
}

void AllocatorReplays::begin(const QString& path, const QStringList& settings, Bytes memory) {
  std::vector<std::string> texts;
  for (const QString& text : settings) texts.push_back(text.toStdString());
  task_.start(tr("Replaying allocator requests…"), [=, this, file = path.toStdString()](const views::TaskRun& run) {
    run.post([this, done = replay(file, texts, memory, run.stop())] {
      problem_ = done ? QString() : QString::fromStdString(done.error().message);
      if (done) devices_ = *done;
    });
  });
}

}  // namespace arenascope::app
