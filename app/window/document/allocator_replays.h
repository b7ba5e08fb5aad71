// SPDX-License-Identifier: GPL-3.0-or-later
// Replays the allocator requests of a memory snapshot with other settings, on a background thread.
#pragma once
#include <arenascope/allocator_sim/replays.h>
#include <views/common/task.h>

#include <QStringList>

namespace arenascope::app {

class AllocatorReplays : public QObject {
  Q_OBJECT
 public:
  struct Device {
    uint32_t number = 0;
    Bytes recorded = 0;  // reserved peak
    std::vector<allocator_sim::Replay> replays;
  };

  explicit AllocatorReplays(views::TaskList* tasks);

  // Discards a running replay. Replays the snapshot at `path` with each of `settings`. `memory`: device memory in bytes, 0: unlimited.
  void begin(const QString& path, const QStringList& settings, Bytes memory);

  bool busy() const { return task_.running(); }
  const std::vector<Device>& devices() const { return devices_; }
  const QString& problem() const { return problem_; }  // error that ended the last replay; empty: none

 Q_SIGNALS:
  void changed();

 private:
  views::Task task_;
  std::vector<Device> devices_;
  QString problem_;
};

}  // namespace arenascope::app
