// SPDX-License-Identifier: GPL-3.0-or-later
// Processes events until `done` returns true or the timeout expires; for commands without a user.
#pragma once
#include <QEventLoop>
#include <QTimer>

#include <functional>

namespace arenascope::app {

inline bool wait_until(const std::function<bool()>& done, int ms) {
  if (done()) return true;
  QEventLoop loop;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
    if (done()) loop.quit();
  });
  timer.start(5);
  QTimer::singleShot(ms, &loop, &QEventLoop::quit);
  loop.exec();
  return done();
}

}  // namespace arenascope::app
