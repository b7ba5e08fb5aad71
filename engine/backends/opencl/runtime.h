// SPDX-License-Identifier: MIT
// A device in use: context, in-order queue, programs and kernels, buffers with addresses, events of queued work. The
// whole backend uses it; it owns all OpenCL objects except images.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/backends/opencl/buffer_map.h"
#include "engine/backends/opencl/device_info.h"
#include "engine/backends/opencl/program_cache.h"

namespace arenascope::opencl {

enum class Precision : uint8_t { High, Normal, Low };
enum class TuneLevel : uint8_t { None, Fast, Normal, Wide, Heavy };

// Faults injected by tests. Counts: number of calls that still succeed; negative: no fault.
struct Faults {
  std::atomic<int> allocations{-1};
  std::atomic<int> launches{-1};  // then the device is lost
  std::string broken_program;     // gets a syntax error
  bool no_images = false;
  std::string packed_dots;  // OpenCL C that emulates cl_khr_integer_dot_product, which the device then appears to have
};

// Queue hints, where the device supports them: high priority and full speed, or low power.
enum class Power : uint8_t { High, Normal, Low };
std::vector<cl_queue_properties> queue_properties(const DeviceFacts& facts, bool profiling, Power power);

struct RuntimeOptions {
  int device = 0;
  std::string platform;   // part of the platform's name; "" any
  bool profiling = true;  // events record times
  Precision precision = Precision::High;
  TuneLevel tuning = TuneLevel::Fast;
  std::string cache_folder;  // of programs and tuning results; "" the user's default, "none" no cache
  std::string export_cache;  // the cache is written to this file at the end; "" no export
  std::string import_cache;  // the cache is read from this file at the start; "" no import
  Power power = Power::Normal;
  bool svm = false;  // buffers are in shared virtual memory
  std::shared_ptr<Faults> faults;
  // Receives messages that need no action by the user, such as a rebuilt cache. May be empty.
  std::function<void(const std::string&)> log;
};

// A queued kernel or copy.
struct Launched {
  cl_event event = nullptr;    // owned by the runtime
  const void* node = nullptr;  // set by set_node()
  Bytes copied = 0;            // > 0: a copy of that many bytes
  bool to_device = false;
  const char* kernel = "";
};

// Receives launches instead of the queue.
class LaunchRecorder {
 public:
  virtual cl_int record(cl_kernel kernel, int dims, const size_t* global, const size_t* local) = 0;
  // Something that cannot be recorded is about to be queued.
  virtual cl_int cut() = 0;

 protected:
  ~LaunchRecorder() = default;
};

class Runtime {
 public:
  // Errors: no driver, no such device, driver errors.
  static Result<std::unique_ptr<Runtime>> create(const RuntimeOptions& options);
  ~Runtime();

  const DeviceFacts& facts() const { return facts_; }
  const RuntimeOptions& options() const { return options_; }
  cl_context context() const { return context_.get(); }
  cl_command_queue queue() const { return queue_.get(); }
  BufferMap& buffers() { return buffers_; }
  bool images() const { return facts_.image_width > 0; }

  // A kernel of a program, built on first use with these options and cached. Errors: no such program, the compiler's
  // log.
  Result<cl_kernel> kernel(const std::string& program, const std::string& options, const char* name);

  // Queues a kernel whose arguments are set. `local` null: the driver chooses. Dimensions of `global` must be multiples
  // of those of `local`. Errors: driver errors; a lost device stays lost.
  Status launch(cl_kernel kernel, const char* name, int dims, const size_t* global, const size_t* local);
  // Seconds of a kernel, the minimum of `rounds`; negative: it failed. Waits for the queue.
  double measure(cl_kernel kernel, int dims, const size_t* global, const size_t* local, int rounds);

  // A buffer, in shared virtual memory at `host` if the options say so. `code`: the driver's error.
  struct NewBuffer {
    MemHandle buffer;
    std::byte* host = nullptr;
  };
  NewBuffer make_buffer(Bytes bytes, cl_int& code) const;
  Status write(const BufferMap::Place& to, const std::byte* from, Bytes bytes);
  Status read(std::byte* to, const BufferMap::Place& from, Bytes bytes);
  Status finish();

  // Tag of everything that is queued from now on.
  void set_node(const void* node) { node_ = node; }
  // Keeps launches for take_launched(); needs profiling.
  void keep_launches(bool keep) { keep_ = keep && options_.profiling; }
  std::vector<Launched> take_launched();
  // Queues work of several nodes at once by `queue`, and keeps it as one launch without a node.
  template <class Queue>
  cl_int keep_launch(const char* what, Queue&& queue) {
    cl_event event = nullptr;
    const cl_int code = queue(keep_ ? &event : nullptr);
    if (code == CL_SUCCESS && keep_) launched_.push_back({event, nullptr, 0, false, what});
    return code;
  }

  // While set, launches go to the recorder instead of the queue, and cut() is called before copies. Null: none.
  void set_recorder(LaunchRecorder* recorder) { recorder_ = recorder; }

  Status lost(const char* what, cl_int code);
  // Decrements a fault counter; true when it is used up.
  static bool used_up(std::atomic<int>& count);
  void log(const std::string& sentence) const {
    if (options_.log) options_.log(sentence);
  }

 private:
  explicit Runtime(const RuntimeOptions& options) : options_(options) {}
  struct Built {
    ProgramHandle program;
    std::string key;
    bool from_cache = false;
    std::map<std::string, KernelHandle> kernels;
  };
  Result<Built*> program(const std::string& name, const std::string& options);
  Status build(Built& built, const std::string& name, const std::string& options);
  Status before_copy();
  // Maps the bytes for reading or writing by the host; null: `code` is the error. Waits.
  void* map(const BufferMap::Place& place, Bytes bytes, cl_map_flags how, cl_event* event, cl_int& code);
  cl_int unmap(const BufferMap::Place& place, void* mapped);

  RuntimeOptions options_;
  DeviceFacts facts_;
  ContextHandle context_;
  QueueHandle queue_;
  BufferMap buffers_;
  std::unique_ptr<ProgramCache> cache_;
  std::map<std::string, Built> programs_;
  std::vector<Launched> launched_;
  LaunchRecorder* recorder_ = nullptr;
  const void* node_ = nullptr;
  bool keep_ = false;
  bool is_lost_ = false;
};

}  // namespace arenascope::opencl
