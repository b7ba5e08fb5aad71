// SPDX-License-Identifier: GPL-3.0-or-later
// Replays the allocator requests of a memory snapshot with other settings, on a background thread.
#pragma once
#include <arenascope/allocator_sim/replays.h>

#include <QStringList>

#include "background_job.h"

namespace arenascope::app {

class AllocatorReplays : public BackgroundJob {
  Q_OBJECT
 public:
  struct Device {
    uint32_t number = 0;
    Bytes recorded = 0;  // reserved peak
    std::vector<allocator_sim::Replay> replays;
  };

  explicit AllocatorReplays(QObject* parent = nullptr) : BackgroundJob(parent) {}
  ~AllocatorReplays() override { finish(); }

  // Replays the snapshot at `path` with each of `settings`. `memory`: device memory in bytes, 0: unlimited.
  void begin(const QString& path, const QStringList& settings, Bytes memory);

  const std::vector<Device>& devices() const { return devices_; }
  const QString& problem() const { return problem_; }  // error that ended the last replay; empty: none

 private:
  std::vector<Device> devices_;
  QString problem_;
};

}  // namespace arenascope::app
