// SPDX-License-Identifier: GPL-3.0-or-later
// For commands without a user: handles events until something is so, asleep between them.
#pragma once
#include <QEventLoop>
#include <QTimer>

#include <functional>

namespace arenascope::app {

inline bool wait_until(const std::function<bool()>& done, int ms) {
  if (done()) return true;
  QEventLoop loop;
  QTimer look;
  QObject::connect(&look, &QTimer::timeout, &loop, [&] {
    if (done()) loop.quit();
  });
  look.start(5);
  QTimer::singleShot(ms, &loop, &QEventLoop::quit);
  loop.exec();
  return done();
}

}  // namespace arenascope::app
