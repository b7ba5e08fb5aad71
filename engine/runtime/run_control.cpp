// SPDX-License-Identifier: MIT
#include <arenascope/runtime/run_control.h>

#include <utility>

namespace arenascope {

void RunControl::changed() {
  has_request_.store(mode_ != Mode::Run || until_.valid() || aborted_, std::memory_order_relaxed);
}

void RunControl::set_on_pause(std::function<void(Step next, bool paused)> on_pause) {
  std::lock_guard lock(mutex_);
  on_pause_ = std::move(on_pause);
}

void RunControl::pause() {
  std::lock_guard lock(mutex_);
  mode_ = Mode::Pause;
  changed();
}

void RunControl::resume() {
  {
    std::lock_guard lock(mutex_);
    mode_ = Mode::Run;
    until_ = Step::none();
    stepping_.store(false, std::memory_order_relaxed);
    changed();
  }
  condition_.notify_all();
}

void RunControl::step() {
  {
    std::lock_guard lock(mutex_);
    mode_ = Mode::StepOnce;
    stepping_.store(true, std::memory_order_relaxed);
    changed();
  }
  condition_.notify_all();
}

void RunControl::run_to(Step step) {
  {
    std::lock_guard lock(mutex_);
    mode_ = Mode::Run;
    until_ = step;
    stepping_.store(true, std::memory_order_relaxed);
    changed();
  }
  condition_.notify_all();
}

void RunControl::abort() {
  {
    std::lock_guard lock(mutex_);
    aborted_ = true;
    changed();
  }
  condition_.notify_all();
}

void RunControl::reset() {
  std::lock_guard lock(mutex_);
  aborted_ = false;
  changed();
}

bool RunControl::before(Step next, bool* paused) {
  std::unique_lock lock(mutex_);
  if (until_.valid() && next >= until_) {
    mode_ = Mode::Pause;
    until_ = Step::none();
  }
  if (mode_ == Mode::Pause && !aborted_) {
    if (paused) *paused = true;
    waiting_ = true;
    const auto on_pause = on_pause_;  // both calls of a pause go to the same one
    if (on_pause) {
      lock.unlock();
      on_pause(next, true);
      lock.lock();
    }
    condition_.wait(lock, [this] { return mode_ != Mode::Pause || aborted_; });
    waiting_ = false;
    if (on_pause) {
      lock.unlock();
      on_pause(next, false);
      lock.lock();
    }
  }
  if (mode_ == Mode::StepOnce) mode_ = Mode::Pause;
  changed();
  return !aborted_;
}

bool RunControl::aborted() const {
  std::lock_guard lock(mutex_);
  return aborted_;
}

bool RunControl::paused() const {
  std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace arenascope
