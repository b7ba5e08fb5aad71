// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interruption.h"

#include <semaphore.h>

#include <csignal>

namespace arenascope::cli {
namespace {

volatile std::sig_atomic_t came = 0;
sem_t arrived;  // sem_post() is async-signal-safe

void handle_signal(int signal) {
  came = signal;
  ::sem_post(&arrived);
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interruption::Interruption(RunControl& control) {
  came = 0;
  ::sem_init(&arrived, 0, 0);
  waiting_ = std::thread([&control] {
    while (::sem_wait(&arrived) != 0) {
    }
    if (came != 0) control.abort();
  });
  handle(handle_signal);
}

Interruption::~Interruption() {
  handle(SIG_DFL);
  ::sem_post(&arrived);
  waiting_.join();
  ::sem_destroy(&arrived);
}

int Interruption::signal() const { return came; }

}  // namespace arenascope::cli
