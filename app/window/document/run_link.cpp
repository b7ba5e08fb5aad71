// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_link.h"

#include <QCoreApplication>
#include <QPointer>

#include "run_worker.h"

namespace arenascope::app {

RunLink::RunLink(RunController* self, QObject* parent) : QObject(parent), shared_(std::make_shared<RunHandOver>()) {
  shared_->tell = [alive = QPointer<RunLink>(this), self](std::function<void(RunController&)> f) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [alive, self, f = std::move(f)] {
          if (alive) f(*self);
        },
        Qt::QueuedConnection);
  };
  thread_ = std::thread([shared = shared_] {
    RunWorker(shared.get()).work();
    shared->tell([](RunController& c) { static_cast<RunLink&>(c).take_end(); });
  });
}

RunLink::~RunLink() {
  RunLink::end();
  thread_.join();
}

void RunLink::end() {
  shared_->quit = true;
  shared_->cancel = true;
  shared_->control.abort();
  shared_->jobs.wake();
}

void RunLink::retire(std::unique_ptr<RunController> controller) {
  RunLink* gone = controller.release();
  gone->disconnect();
  gone->setParent(QCoreApplication::instance());  // whose end waits for those that are not through
  gone->retired_ = true;
  gone->end();
}

void RunLink::take_end() {
  if (retired_) deleteLater();
}

void RunLink::set_state(RunState state) {
  if (state == state_) return;
  state_ = state;
  Q_EMIT state_changed();
}

void RunLink::give(Job job, bool interrupt) {
  if (interrupt) leave_pause();
  ++asked_;
  shared_->jobs.give([job = std::move(job), asked = asked_](RunWorker& worker) {
    worker.set_asked(asked);
    job(worker);
  });
  if (interrupt) shared_->control.abort();
}

// The worker says that it goes on only a moment later, and until then nobody may take it as paused: neither who reads
// values, nor who waits for the next pause.
void RunLink::leave_pause() {
  ++shared_->moves;
  if (state_ == RunState::Paused) set_state(RunState::Running);
}

}  // namespace arenascope::app
