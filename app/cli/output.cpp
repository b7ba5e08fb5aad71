// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include <arenascope/base/printable.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

void put(std::FILE* stream, std::string_view text) {
  const std::string shown = printable_lines(text);
  (void)std::fwrite(shown.data(), 1, shown.size(), stream);
}

int fail(ExitStatus status, const std::string& message) {
  std::string line = message;
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';  // one line per message, even if a name from a file contains line breaks
  print(stderr, "arenascope-cli: {}\n", line);
  return status;
}

Json with_report(const Context& context, const Json& object) {
  Json all{{"report", context.report}};
  if (!context.incomplete.empty()) all["report"]["incomplete"] = context.incomplete;
  all.update(object);
  return all;
}

void print_json(const Context& context, const Json& object) {
  print("{}\n", with_report(context, object).dump(1, ' ', false, Json::error_handler_t::replace));
}

struct Progress::State {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false, shown = false;
  std::string name;
  double part = -1;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::thread thread;

  void draw() {
    constexpr int kWidth = 30;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::string bar(kWidth, ' ');
    if (part >= 0) {
      for (int i = 0; i < kWidth; ++i) bar[static_cast<size_t>(i)] = i < part * kWidth ? '#' : '.';
    } else {
      const int at = static_cast<int>(seconds * 8) % (kWidth - 3);
      for (int i = 0; i < 3; ++i) bar[static_cast<size_t>(at + i)] = '#';
    }
    const std::string line = fmt::format("\r\033[K{:<18} [{}] {:.0f} s", printable(name), bar, seconds);
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
    shown = true;
  }
};

Progress::Progress() : state_(new State) {
  if (!isatty(STDERR_FILENO)) return;
  state_->thread = std::thread([s = state_.get()] {
    std::unique_lock lock(s->mutex);
    if (s->ended.wait_for(lock, std::chrono::seconds(1), [s] { return s->done; })) return;
    while (!s->done) {
      s->draw();
      s->ended.wait_for(lock, std::chrono::milliseconds(125), [s] { return s->done; });
    }
  });
}

Progress::~Progress() {
  {
    std::lock_guard lock(state_->mutex);
    state_->done = true;
  }
  state_->ended.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
  if (state_->shown) std::fputs("\r\033[K", stderr);
}

void Progress::phase(const std::string& name, double part) {
  std::lock_guard lock(state_->mutex);
  state_->name = name;
  state_->part = part;
}

}  // namespace arenascope::cli
