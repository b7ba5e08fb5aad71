// SPDX-License-Identifier: GPL-3.0-or-later
// The document's memory snapshot, its allocator's requests once more under other settings: on a thread of its own.
#pragma once
#include <arenascope/laboratory/replays.h>

#include <QStringList>

#include "background_job.h"

namespace arenascope::app {

class AllocatorReplays : public BackgroundJob {
  Q_OBJECT
 public:
  struct Device {
    uint32_t number = 0;
    Bytes recorded = 0;  // reserved at the most
    std::vector<laboratory::Replay> replays;
  };

  explicit AllocatorReplays(QObject* parent = nullptr) : BackgroundJob(parent) {}
  ~AllocatorReplays() override { finish(); }

  // Of the snapshot at `path`: what it did, and under each of `settings`. `memory`: of a device, 0: as much as is asked for.
  void begin(const QString& path, const QStringList& settings, Bytes memory);

  const std::vector<Device>& devices() const { return devices_; }
  const QString& problem() const { return problem_; }  // that ended the last one; empty: none did

 private:
  std::vector<Device> devices_;
  QString problem_;
};

}  // namespace arenascope::app
