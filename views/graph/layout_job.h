// SPDX-License-Identifier: GPL-3.0-or-later
// Prepares the picture of a graph on a worker. A new request cancels the previous one.
#pragma once
#include <views/common/background.h>

#include "graph_picture.h"

namespace arenascope::views {

class LayoutJob : public QObject {
  Q_OBJECT
 public:
  explicit LayoutJob(QObject* parent = nullptr);

  void start(const GraphRequest& request);
  void cancel();
  bool running() const { return running_; }

 Q_SIGNALS:
  void ready(std::shared_ptr<const arenascope::views::GraphPicture> picture);

 private:
  Background worker_;
  bool running_ = false;
  int number_ = 0;  // number of the latest request
};

}  // namespace arenascope::views
