// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_thread.h"

#include <QCoreApplication>
#include <QPointer>

#include "run_worker.h"

namespace arenascope::app {

WorkerThread::WorkerThread(RunController* self, QObject* parent)
    : QObject(parent), shared_(std::make_shared<RunChannel>()) {
  shared_->tell = [alive = QPointer<WorkerThread>(this), self](std::function<void(RunController&)> f) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [alive, self, f = std::move(f)] {
          if (alive) f(*self);
        },
        Qt::QueuedConnection);
  };
  thread_ = std::thread([shared = shared_] {
    RunWorker(shared.get()).work();
    shared->tell([](RunController& c) { static_cast<WorkerThread&>(c).on_thread_finished(); });
  });
}

WorkerThread::~WorkerThread() {
  WorkerThread::request_quit();
  thread_.join();
}

void WorkerThread::request_quit() {
  ++shared_->resume_epoch;
  shared_->quit = true;
  shared_->control.abort();
  shared_->jobs.wake();
}

void WorkerThread::close_async(std::unique_ptr<RunController> controller) {
  WorkerThread* gone = controller.release();
  gone->disconnect();
  gone->setParent(QCoreApplication::instance());  // its destructor waits for unfinished workers
  gone->retired_ = true;
  gone->request_quit();
}

void WorkerThread::on_thread_finished() {
  if (retired_) deleteLater();
}

void WorkerThread::set_state(RunState state) {
  if (state == state_) return;
  state_ = state;
  Q_EMIT state_changed();
}

void WorkerThread::submit(Job job, bool interrupt) {
  if (interrupt) leave_pause();
  ++submitted_jobs_;
  shared_->jobs.push([job = std::move(job), number = submitted_jobs_](RunWorker& worker) {
    worker.set_job_number(number);
    job(worker);
  });
  if (interrupt) shared_->control.abort();
}

// The worker reports the resumed run with a delay; until then nothing may treat it as paused.
void WorkerThread::leave_pause() {
  ++shared_->resume_epoch;
  if (state_ == RunState::Paused) set_state(RunState::Running);
}

}  // namespace arenascope::app
