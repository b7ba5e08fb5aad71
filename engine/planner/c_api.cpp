// SPDX-License-Identifier: MIT
#include <arenascope/planner.h>
#include <arenascope/planner/planner.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace {

using namespace arenascope;
using namespace arenascope::planner;

int refuse(const std::string& why, char* message, size_t size) {
  if (message != nullptr && size > 0) {
    const size_t n = std::min(why.size(), size - 1);
    std::memcpy(message, why.data(), n);
    message[n] = '\0';
  }
  return 1;
}

// Polls `cancelled` every two milliseconds until it goes out of scope.
class Watch {
 public:
  Watch(int (*cancelled)(void*), void* user, std::stop_source& source) {
    if (cancelled == nullptr) return;
    thread_ = std::jthread([this, cancelled, user, &source](std::stop_token end) {
      std::unique_lock lock(mutex_);
      while (!end.stop_requested()) {
        if (cancelled(user) != 0) {
          source.request_stop();
          return;
        }
        wake_.wait_for(lock, end, std::chrono::milliseconds(2), [] { return false; });
      }
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it ends first
};

}  // namespace

extern "C" int arenascope_plan(const arenascope_buffer* buffers, size_t count,
                               const arenascope_planner_options* options, int64_t* offsets, arenascope_result* result,
                               char* message, size_t message_size) {
  try {
    if (count > 0 && (buffers == nullptr || offsets == nullptr)) {
      return refuse("Buffers or offsets are missing.", message, message_size);
    }
    const arenascope_planner_options none{};
    const arenascope_planner_options& o = options != nullptr ? *options : none;
    const char* name = o.planner != nullptr ? o.planner : "search";
    const Planner* chosen = find_planner(name);
    if (chosen == nullptr) return refuse(fmt::format("There is no planner named {}.", name), message, message_size);
    Problem p;
    if (o.alignment != 0) p.alignment = o.alignment;
    if (o.capacity != 0) p.capacity = o.capacity;
    p.intervals.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      const arenascope_buffer& b = buffers[i];
      Interval v{b.lower, b.upper, b.size, b.alignment};
      if (b.fixed_offset != -1) v.fixed_offset = b.fixed_offset;
      p.intervals.push_back(std::move(v));
    }
    if (o.in_place_count > 0 && o.in_place == nullptr) {
      return refuse("The in-place pairs are missing.", message, message_size);
    }
    for (size_t i = 0; i < o.in_place_count; ++i) p.in_place.push_back({o.in_place[i].source, o.in_place[i].target});
    std::stop_source source;
    Options planning;
    if (o.budget_seconds > 0) planning.budget_seconds = o.budget_seconds;
    planning.threads = o.threads > 0 ? o.threads : 1;
    planning.stop = source.get_token();
    const Watch watch(o.cancelled, o.user, source);
    const Result<Plan> plan = chosen->plan(p, planning);
    if (!plan) return refuse(plan.error().message, message, message_size);
    std::copy(plan->offsets.begin(), plan->offsets.end(), offsets);
    if (result != nullptr) *result = {plan->arena_bytes, plan->lower_bound, plan->optimal ? 1 : 0, plan->seconds};
    return 0;
  } catch (const std::bad_alloc&) {
    return refuse("There is not enough memory to plan this many buffers.", message, message_size);
  } catch (const std::system_error&) {
    return refuse("No thread could be started.", message, message_size);
  }
}

extern "C" const char* arenascope_planner_name(size_t index) {
  const auto all = all_planners();
  return index < all.size() ? all[index]->name().data() : nullptr;  // names are literals
}
