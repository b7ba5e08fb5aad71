// SPDX-License-Identifier: MIT
#include <arenascope/runtime/thread_pool.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

namespace arenascope {
namespace {

// Sets the affinity of the calling thread; returns 0 or an errno.
int set_affinity(int processor) {
  if (processor < 0 || processor >= CPU_SETSIZE) return EINVAL;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

// Pins the calling thread to a processor and restores its affinity on destruction.
class ScopedAffinity {
 public:
  explicit ScopedAffinity(const std::vector<int>& processors) {
    if (processors.empty() || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    moved_ = set_affinity(processors[0]) == 0;
  }
  ~ScopedAffinity() {
    if (moved_) (void)sched_setaffinity(0, sizeof before_, &before_);
  }
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;

 private:
  cpu_set_t before_;
  bool moved_ = false;
};

// The rseq field in which the kernel stores the current core of the calling thread, valid for the thread's lifetime; or null.
const uint32_t* own_processor() {
#ifdef RSEQ_SIG
  if (__rseq_size == 0) return nullptr;
  return &reinterpret_cast<const struct rseq*>(static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset)->cpu_id;
#else
  return nullptr;
#endif
}

// File descriptor of the calling thread's schedstat, or -1.
int open_schedule() { return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC); }

// Parses the second field of "RUNTIME QUEUED TIMESLICES".
Nanoseconds read_queued(int file) {
  char text[96];
  const ssize_t size = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* second = std::strchr(text, ' ');
  return second ? std::strtoll(second, nullptr, 10) : 0;
}

// True if there is a usable processor for each thread.
bool enough_processors(int threads) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) >= threads &&
         usable_processors() >= threads;
}

}  // namespace

ThreadPool::ThreadPool(int threads, const ThreadPoolOptions& options) : threads_(threads), options_(options) {
  if (threads > 1 && options.processors.empty() && enough_processors(threads))
    whereabouts_ = std::make_unique<Whereabouts[]>(static_cast<size_t>(threads));
  schedules_ = std::make_unique<std::atomic<int>[]>(static_cast<size_t>(threads));
  for (int i = 0; i < threads; ++i) schedules_[static_cast<size_t>(i)].store(-1, std::memory_order_relaxed);
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int threads, const ThreadPoolOptions& options) {
  if (threads < 1 || threads > kMaxThreads)
    return Error{fmt::format("the number of threads must be between 1 and {}, not {}", kMaxThreads, threads)};
  cpu_set_t allowed;
  if (!options.processors.empty() && sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int processor : options.processors)
      if (processor < 0 || processor >= CPU_SETSIZE || !CPU_ISSET(processor, &allowed))
        return Error{fmt::format("cannot use processor {}: it is not in the affinity mask of this program", processor)};
  std::unique_ptr<ThreadPool> pool(new ThreadPool(threads, options));
  try {
    for (int i = 1; i < threads; ++i) pool->workers_.emplace_back([p = pool.get(), i] { p->work(i); });
  } catch (const std::system_error& error) {
    return Error{fmt::format("cannot create thread {} of {}: {}", pool->workers_.size() + 2, threads, error.what())};
  }
  if (options.processors.empty() && options.nice == 0) return pool;
  for (int ready = pool->ready_; ready < threads - 1; ready = pool->ready_) pool->ready_.wait(ready);
  if (const int refused = pool->refused_)
    return Error{
        fmt::format("cannot set the threads' affinity or niceness {}: {}", options.nice, std::strerror(refused))};
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  for (int i = 1; i < threads_; ++i)
    if (const int file = schedules_[static_cast<size_t>(i)]; file >= 0) close(file);
}

// An exception neither ends the process on a worker, nor unwinds what workers still use on the caller.
void ThreadPool::call(const std::function<void(int)>& part, int ith) noexcept {
  try {
    part(ith);
  } catch (...) {
    const std::lock_guard lock(thrown_mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
}

void ThreadPool::run(const std::function<void(int)>& part) {
  const ScopedAffinity affinity(options_.processors);
  part_ = &part;
  if (whereabouts_) whereabouts_[0].processor.store(own_processor(), std::memory_order_relaxed);
  busy_.store(threads_ - 1, std::memory_order_relaxed);
  if (threads_ > 1) {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  call(part, 0);
  for (int left = busy_.load(std::memory_order_acquire); left != 0; left = busy_.load(std::memory_order_acquire))
    busy_.wait(left, std::memory_order_acquire);
  if (whereabouts_)
    whereabouts_[0].processor.store(nullptr, std::memory_order_relaxed);  // the next run may come from another thread
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

Nanoseconds ThreadPool::queued() const {
  const int own = open_schedule();
  Nanoseconds sum = read_queued(own);
  if (own >= 0) close(own);
  for (int i = 1; i < threads_; ++i)
    sum += read_queued(schedules_[static_cast<size_t>(i)].load(std::memory_order_relaxed));
  return sum;
}

void ThreadPool::spread(int ith) {
  if (!whereabouts_) return;
  const uint32_t* mine = whereabouts_[ith].processor.load(std::memory_order_relaxed);
  if (!mine) return;
  const uint32_t here = __atomic_load_n(mine, __ATOMIC_RELAXED);
  cpu_set_t allowed, free;
  bool shared = false;
  CPU_ZERO(&free);  // first collects the cores in use
  for (int i = 0; i < threads_; ++i) {
    const uint32_t* other = i == ith ? nullptr : whereabouts_[i].processor.load(std::memory_order_acquire);
    const uint32_t there = other ? __atomic_load_n(other, __ATOMIC_RELAXED) : UINT32_MAX;
    if (there >= CPU_SETSIZE) continue;
    CPU_SET(there, &free);
    shared = shared || there == here;
  }
  if (!shared || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  CPU_XOR(&free, &free, &allowed);
  CPU_AND(&free, &free, &allowed);
  if (CPU_COUNT(&free) == 0 || sched_setaffinity(0, sizeof free, &free) != 0) return;
  (void)sched_setaffinity(0, sizeof allowed, &allowed);
}

void ThreadPool::run_alone(const std::function<void(int)>& part) {
  const ScopedAffinity affinity(options_.processors);
  part(0);
}

void ThreadPool::work(int index) {
  int refused = 0;
  const auto& processors = options_.processors;
  if (!processors.empty()) refused = set_affinity(processors[static_cast<size_t>(index) % processors.size()]);
  // On Linux the niceness is per thread.
  if (options_.nice != 0 && setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), options_.nice) != 0) refused = errno;
  if (refused) refused_.store(refused);
  ready_.fetch_add(1);
  ready_.notify_all();
  if (whereabouts_) whereabouts_[index].processor.store(own_processor(), std::memory_order_release);
  schedules_[static_cast<size_t>(index)].store(open_schedule());
  uint32_t seen = 0;
  while (true) {
    round_.wait(seen, std::memory_order_acquire);
    const uint32_t now = round_.load(std::memory_order_acquire);
    if (now == seen) continue;
    seen = now;
    if (stopping_.load()) return;
    spread(index);
    call(*part_, index);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace arenascope
