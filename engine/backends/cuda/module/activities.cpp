// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/module/activities.h"
#include <fmt/format.h>
#include "engine/backends/cuda/module/runtime.h"

#include <cxxabi.h>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#if ARENASCOPE_CUPTI
#include <cupti.h>
#endif

namespace arenascope::cuda {

#if ARENASCOPE_CUPTI
namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
using SetRecord = CUpti_ActivityMemset4;
#else
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using SetRecord = CUpti_ActivityMemset4;
#endif

// API records have the labels and the times of queueing; the others the device times.
constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};

// A kernel's name without the type of its result and its parameters: "cudnn::engine<float>".
std::string readable(const char* name) {
  if (!std::string_view(name).starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                              &std::free);
  if (!demangled) return name;
  std::string text = demangled.get();
  int depth = 0;
  for (size_t i = text.size(); text.ends_with(')') && i-- > 1;) {
    depth += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
    if (depth == 0) text.resize(i);
    if (depth == 0) break;
  }
  return text.starts_with("void ") ? text.substr(5) : text;
}

constexpr size_t kBufferBytes = size_t{1} << 20, kBufferAlignment = 8;
constexpr size_t kMaxRecords = size_t{1} << 22;

class Cupti final : public Activities {
 public:
  Cupti();

  bool keep(bool keep) override;
  void label(uint64_t label) override;
  std::vector<Activity> take(const std::function<Nanoseconds()>& now) override;
  std::string missing() const override { return missing_; }

  void read(uint8_t* buffer, size_t bytes);

 private:
  struct Done {
    uint32_t correlation;
    Activity activity;  // on CUPTI's clock
  };
  bool start();
  void read(const CUpti_Activity& record);
  const std::string& name_of(const char* name);
  void forget();

  Library library_;
  decltype(&cuptiActivityEnable) enable_ = nullptr;
  decltype(&cuptiActivityDisable) disable_ = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_ = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_ = nullptr;
  decltype(&cuptiActivityFlushAll) flush_ = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push_ = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop_ = nullptr;
  decltype(&cuptiGetTimestamp) timestamp_ = nullptr;
  std::string missing_;
  bool registered_ = false, kept_ = false;

  std::mutex mutex_;  // guards all below: CUPTI returns buffers on a thread of its own
  std::vector<Done> done_;
  std::unordered_map<uint32_t, uint64_t> labels_, queued_;  // by correlation id
  std::unordered_map<const char*, std::string> names_;      // by CUPTI's string, until the next take()
};

// CUPTI's callbacks have no context argument, so its only client is global. It is never destroyed, because CUPTI may
// still call it at process exit.
Cupti& client() {
  static Cupti* const only = new Cupti;
  return *only;
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  if (valid > 0) client().read(buffer, valid);
  std::free(buffer);
}

#define ARENASCOPE_TEXT(x) #x
#define ARENASCOPE_TEXT_OF(x) ARENASCOPE_TEXT(x)
#if CUDART_VERSION >= 13000
#define ARENASCOPE_CUPTI_MAJOR 13
#else
#define ARENASCOPE_CUPTI_MAJOR 12
#endif

Cupti::Cupti() : library_("libcupti.so." ARENASCOPE_TEXT_OF(ARENASCOPE_CUPTI_MAJOR)) {
  library_.find(enable_, "cuptiActivityEnable");
  library_.find(disable_, "cuptiActivityDisable");
  library_.find(register_, "cuptiActivityRegisterCallbacks");
  library_.find(next_, "cuptiActivityGetNextRecord");
  library_.find(flush_, "cuptiActivityFlushAll");
  library_.find(push_, "cuptiActivityPushExternalCorrelationId");
  library_.find(pop_, "cuptiActivityPopExternalCorrelationId");
  library_.find(timestamp_, "cuptiGetTimestamp");
  missing_ = library_.missing();
}

bool Cupti::start() {
  if (!registered_ && register_(give_buffer, take_buffer) != CUPTI_SUCCESS) return false;
  registered_ = true;
  size_t enabled = 0;
  for (CUpti_ActivityKind kind : kKinds) {
    if (enable_(kind) != CUPTI_SUCCESS) break;
    ++enabled;
  }
  if (enabled == std::size(kKinds)) return true;
  while (enabled > 0) disable_(kKinds[--enabled]);
  return false;
}

bool Cupti::keep(bool keep) {
  if (!missing_.empty()) return false;
  if (!keep) {
    if (!kept_) return false;
    for (CUpti_ActivityKind kind : kKinds) disable_(kind);
    flush_(0);
    kept_ = false;
    forget();
    return true;
  }
  if (kept_) return false;  // enabled by another backend, whose labels would collide
  if (!start()) {
    missing_ = "CUPTI rejects activity records (another profiler is active, or permission is missing)";
    return false;
  }
  forget();
  return kept_ = true;
}

void Cupti::forget() {
  const std::lock_guard lock(mutex_);
  done_.clear();
  labels_.clear();
  queued_.clear();
  names_.clear();
}

void Cupti::label(uint64_t label) {
  if (!kept_) return;
  uint64_t before = 0;
  if (label > 0)
    push_(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, label);
  else
    pop_(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &before);
}

const std::string& Cupti::name_of(const char* name) {
  const auto known = names_.find(name);
  return known != names_.end() ? known->second : names_.emplace(name, readable(name)).first->second;
}

void Cupti::read(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto& k = reinterpret_cast<const KernelRecord&>(record);
      Done done{k.correlationId, {}};
      done.activity.what = k.name ? name_of(k.name) : "kernel";
      done.activity.begin = static_cast<Nanoseconds>(k.start);
      done.activity.end = static_cast<Nanoseconds>(k.end);
      done_.push_back(std::move(done));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& c = reinterpret_cast<const CopyRecord&>(record);
      Done done{c.correlationId, {}};
      done.activity.to_device = c.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
      const bool from_device = c.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
      done.activity.what = done.activity.to_device ? "copy to the device"
                           : from_device           ? "copy from the device"
                                                   : "copy on the device";
      if (done.activity.to_device || from_device) done.activity.copied = static_cast<Bytes>(c.bytes);
      done.activity.begin = static_cast<Nanoseconds>(c.start);
      done.activity.end = static_cast<Nanoseconds>(c.end);
      done_.push_back(std::move(done));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& s = reinterpret_cast<const SetRecord&>(record);
      Done done{s.correlationId, {}};
      done.activity.what = "clear memory";
      done.activity.begin = static_cast<Nanoseconds>(s.start);
      done.activity.end = static_cast<Nanoseconds>(s.end);
      done_.push_back(std::move(done));
      break;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto& a = reinterpret_cast<const CUpti_ActivityAPI&>(record);
      queued_.try_emplace(a.correlationId, a.start);
      break;
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& e = reinterpret_cast<const CUpti_ActivityExternalCorrelation&>(record);
      if (e.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) labels_[e.correlationId] = e.externalId;
      break;
    }
    default: break;
  }
}

void Cupti::read(uint8_t* buffer, size_t bytes) {
  const std::lock_guard lock(mutex_);
  try {
    CUpti_Activity* record = nullptr;
    while (done_.size() < kMaxRecords && next_(buffer, bytes, &record) == CUPTI_SUCCESS) read(*record);
  } catch (const std::bad_alloc&) {  // records are missing in the trace only
  }
}

std::vector<Activity> Cupti::take(const std::function<Nanoseconds()>& now) {
  if (!kept_) return {};
  flush_(0);
  Nanoseconds shift = 0, width = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    uint64_t there = 0;
    const Nanoseconds before = now();
    if (timestamp_(&there) != CUPTI_SUCCESS) return {};
    const Nanoseconds after = now();
    if (after - before >= width) continue;
    width = after - before;
    shift = before + width / 2 - static_cast<Nanoseconds>(there);
  }
  const std::lock_guard lock(mutex_);
  std::vector<Activity> out;
  for (Done& done : done_) {
    const auto label = labels_.find(done.correlation);
    if (label == labels_.end()) continue;
    Activity& a = out.emplace_back(std::move(done.activity));
    a.label = label->second;
    const auto queued = queued_.find(done.correlation);
    a.queued = (queued == queued_.end() ? a.begin : static_cast<Nanoseconds>(queued->second)) + shift;
    a.begin += shift;
    a.end += shift;
  }
  done_.clear();
  labels_.clear();
  queued_.clear();
  names_.clear();
  return out;
}

}  // namespace

std::shared_ptr<Activities> Activities::of_this_process() {
  return {std::shared_ptr<void>(), static_cast<Activities*>(&client())};
}

#else

std::shared_ptr<Activities> Activities::of_this_process() { return nullptr; }

#endif

}  // namespace arenascope::cuda
