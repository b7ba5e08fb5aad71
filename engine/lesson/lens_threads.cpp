// SPDX-License-Identifier: MIT
// The rows that thread ith of nth computes with its part of the work buffer, and a barrier with its generations.
#include <arenascope/backends/cpu/task_share.h>
#include <arenascope/runtime/barrier.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr int64_t kMaxThreads = 16;

LensFrames tasks(LensRun& run) {
  auto rows = lens_integer(run, "rows", 1, 4096);
  auto threads = lens_integer(run, "threads", 1, kMaxThreads);
  auto unit = lens_integer(run, "unit", 1, 64);
  auto work = lens_integer(run, "work bytes", 1, 4096);
  for (const auto* number : {&rows, &threads, &unit, &work})
    if (!*number) return number->error();
  const auto nth = static_cast<int>(*threads);
  const cpu::TaskShare last = cpu::task_share(*rows, nth - 1, nth, *unit, *work);
  const Bytes all = last.work_offset + last.work_bytes;
  LensStrip split{"rows", LensUnit::Slots, *rows, {}}, buffer{"work buffer", LensUnit::Bytes, all, {}};
  std::vector<LensFrame> frames;
  frames.push_back({LensEvent::Start, {}, {split, buffer}, {}});
  for (int ith = 0; ith < nth; ++ith) {
    for (LensStrip* strip : {&split, &buffer})
      for (LensCell& cell : strip->cells) cell.current = false;
    const cpu::TaskShare share = cpu::task_share(*rows, ith, nth, *unit, *work);
    const int64_t count = share.last_row - share.first_row;
    const std::string name = std::to_string(ith);
    if (count > 0) split.cells.push_back({share.first_row, count, CellKind::Data, name, true, -1});
    buffer.cells.push_back({share.work_offset, *work, CellKind::Data, name, true, -1});
    if (const Bytes padding = share.work_bytes - *work; padding > 0)
      buffer.cells.push_back({share.work_offset + *work, padding, CellKind::Padding, "", true, -1});
    frames.push_back({LensEvent::Share,
                      {name, std::to_string(nth), std::to_string(share.first_row), std::to_string(share.last_row)},
                      {split, buffer},
                      {{"rows", static_cast<double>(count)},
                       {"first", static_cast<double>(share.first_row)},
                       {"work", static_cast<double>(all)}}});
  }
  return frames;
}

// Real threads, each of which arrives as soon as it is permitted to.
class Arrivals {
 public:
  explicit Arrivals(int threads) : barrier_(threads, 0), permitted_(static_cast<size_t>(threads)) {
    frames.push_back(frame(LensEvent::Start, {}));
  }

  // All threads pass the barrier once per order.
  void meet(const std::vector<std::vector<int64_t>>& orders) {
    std::vector<std::thread> threads;
    for (int ith = 0; ith < barrier_.threads(); ++ith)
      threads.emplace_back([this, ith, rounds = orders.size()] {
        for (uint32_t round = 1; round <= rounds; ++round) {
          auto& permitted = permitted_[static_cast<size_t>(ith)];
          for (uint32_t now = permitted.load(); now < round; now = permitted.load()) permitted.wait(now);
          barrier_.meet(ith);
        }
      });
    for (const std::vector<int64_t>& order : orders) {
      ++generation_;
      int arrived = 0;
      for (const int64_t ith : order) {
        auto& permitted = permitted_[static_cast<size_t>(ith)];
        permitted.store(generation_);
        permitted.notify_one();
        while (barrier_.generation(static_cast<int>(ith)) < generation_) std::this_thread::yield();
        frames.push_back(frame(LensEvent::Arrived,
                               {std::to_string(ith), std::to_string(++arrived), std::to_string(barrier_.threads())},
                               static_cast<int>(ith)));
      }
      frames.push_back(frame(LensEvent::Released, {std::to_string(generation_)}));
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<LensFrame> frames;

 private:
  LensFrame frame(LensEvent event, std::vector<std::string> arguments, int current = -1) const {
    LensStrip flags{"generation of each thread", LensUnit::Slots, barrier_.threads(), {}};
    int arrived = 0;
    for (int ith = 0; ith < barrier_.threads(); ++ith) {
      const uint32_t generation = barrier_.generation(ith);
      const bool here = generation == generation_ && generation_ > 0;
      arrived += here ? 1 : 0;
      flags.cells.push_back(
          {ith, 1, here ? CellKind::Data : CellKind::Free, fmt::format("{}: {}", ith, generation), ith == current, -1});
    }
    return {event, std::move(arguments), {std::move(flags)}, {{"arrived", arrived}, {"generation", generation_}}};
  }

  Barrier barrier_;
  std::vector<std::atomic<uint32_t>> permitted_;  // generation up to which a thread may arrive
  uint32_t generation_ = 0;
};

LensFrames barrier(LensRun& run) {
  auto threads = lens_integer(run, "threads", 2, 4);
  if (!threads) return threads.error();
  std::vector<std::vector<int64_t>> orders;
  for (const std::string& text : split(lens_value(run, "order of arrival"), ";")) {
    auto order = lens_integers(run, text, "order of arrival", static_cast<size_t>(*threads), 0, *threads - 1);
    if (!order) return order.error();
    std::vector<int64_t> sorted = *order;
    std::ranges::sort(sorted);
    for (int64_t i = 0; i < *threads; ++i)
      if (sorted.size() != static_cast<size_t>(*threads) || sorted[static_cast<size_t>(i)] != i)
        return lens_expected(run, "order of arrival", fmt::format("0 … {}, each once", *threads - 1), text);
    orders.push_back(std::move(*order));
  }
  if (orders.empty() || orders.size() > 16) return lens_count(run, "order of arrival", 1, 16, orders.size());
  Arrivals arrivals(static_cast<int>(*threads));
  arrivals.meet(orders);
  return std::move(arrivals.frames);
}

constexpr LensParameter kTasks[] = {{"rows", "11"}, {"threads", "4"}, {"unit", "1"}, {"work bytes", "80"}};
constexpr LensParameter kBarrier[] = {{"threads", "3"}, {"order of arrival", "2 0 1; 1 2 0"}};

constexpr LensExperiment kThreadLenses[] = {
    {"tasks", "the rows and the part of the work buffer of each thread, ith of nth", kTasks, tasks},
    {"barrier", "threads that arrive at a barrier one by one", kBarrier, barrier},
};

}  // namespace

std::span<const LensExperiment> thread_lenses() { return kThreadLenses; }

}  // namespace arenascope::lesson
