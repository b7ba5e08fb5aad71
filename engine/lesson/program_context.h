// SPDX-License-Identifier: MIT
// Utilities for the built-in programs: a context that records its allocations, and allocators that each demonstrate one
// idea.
#pragma once
#include <arenascope/lesson/programs.h>
#include <arenascope/memory/block_heap.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/memory/memory_block.h>
#include <arenascope/schedule/describe.h>

#include <functional>
#include <map>
#include <mutex>

namespace arenascope::lesson {

// Returns early if the expression has an error.
#define ARENASCOPE_TRY(expression) \
  if (auto done = (expression); !done) return done.error()

inline constexpr Bytes KiB = 1024;

std::span<const Program> allocator_programs();  // programs_allocators.cpp
std::span<const Program> fault_programs();      // programs_faults.cpp
std::span<const Program> object_programs();     // programs_objects.cpp
std::span<const Program> thread_programs();     // programs_threads.cpp
std::span<const Program> weakness_programs();   // programs_weaknesses.cpp

// Base of the teaching allocators: it maps pages of the process, which are recorded as reservations.
class PagedAllocator : public Allocator {
 public:
  ~PagedAllocator() override;
  Device device() const override { return {}; }
  MemoryStats stats() const override;

 protected:
  Result<void*> take(Bytes bytes);
  void give(void* pointer);
  void count_use(Bytes bytes, bool hit);
  void count_free(Bytes bytes);
  mutable std::mutex mutex_;  // also guards the state of derived classes

 private:
  std::map<void*, Bytes> taken_;
  MemoryStats stats_;
};

// Free lists by powers of two, as in libtensor's CpuCachingAllocator: a freed block goes to the free list of its size.
class BucketAllocator final : public PagedAllocator {
 public:
  Result<void*> allocate(Bytes bytes, size_t alignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  const std::map<Bytes, std::vector<void*>>& free_lists() const { return free_; }  // by block size

 private:
  std::map<Bytes, std::vector<void*>> free_;
};

// A segment of a fixed size with splitting and merging; allocates another segment if no free block fits.
class SegmentAllocator final : public PagedAllocator {
 public:
  explicit SegmentAllocator(Bytes segment) : segment_(segment) {}
  Result<void*> allocate(Bytes bytes, size_t alignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes largest_free() const;
  Bytes free_bytes() const { return heap_.free_bytes(); }

 private:
  Bytes segment_;
  BlockHeap heap_{1024};
};

// Buffers of a device, like MNN's BufferPool: returns the smallest free buffer that is large enough, without an upper
// limit on its size. Separate buffers are never taken from the free list.
class FirstLargerPool final : public PagedAllocator {
 public:
  explicit FirstLargerPool(bool separate = false, Device device = {}) : separate_(separate), device_(device) {}
  Device device() const override { return device_; }
  Result<void*> allocate(Bytes bytes, size_t alignment) override { return acquire(bytes, alignment, separate_); }
  Result<void*> allocate_separate(Bytes bytes) { return acquire(bytes, kDefaultAlignment, true); }
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override;
  const std::multimap<Bytes, void*>& free_list() const { return free_; }  // by size
  const std::map<void*, Bytes>& buffers() const { return sizes_; }

 private:
  Result<void*> acquire(Bytes bytes, size_t alignment, bool separate);

  bool separate_;
  Device device_;
  std::multimap<Bytes, void*> free_;
  std::map<void*, Bytes> sizes_;
};

// "t0", "t1", …
std::vector<std::string> numbered(const std::string& name, int count);

class RecordedContext {
 public:
  // `names`: the tensors that the program allocates, by which the blocks are called in every view.
  explicit RecordedContext(trace::Recorder& recorder, std::vector<std::string> names = {});
  ~RecordedContext();  // blocks that are still allocated are not recorded as freed
  ExecutionContext& operator*() { return *context_; }
  Status use(MemoryKind kind, std::shared_ptr<Allocator> allocator);
  // Calls a block by one of the names.
  Status bind(const std::string& name, const MemoryBlock& block, Bytes bytes);
  // Allocates the block of one of the named tensors. Errors: that of the allocator, another name.
  Result<BlockPtr> take(const std::string& name, MemoryKind kind, Bytes bytes);
  // The same; it is live until free() or the destructor.
  Status allocate(const std::string& name, MemoryKind kind, Bytes bytes);
  void free(const std::string& name);
  void problem(std::string sentence, trace::ProblemKind kind = trace::ProblemKind::Other);
  // Records the current value of a counter of the program.
  void count(const std::string& name, Bytes bytes);
  AllocationObserver& observer() { return *observer_; }  // for allocations outside the context

 private:
  trace::Recorder& recorder_;
  std::shared_ptr<AllocationRecorder> observer_;
  std::shared_ptr<ExecutionContext> context_ = make_cpu_context();
  trace::ThreadRing* ring_ = nullptr;     // for the program's counters
  std::map<MemoryKind, Device> devices_;  // of the allocators that the program uses
  std::vector<std::string> names_;
  trace::GraphId graph_;  // whose leaf tensors have these names
  std::map<std::string, trace::CounterId> counters_;
  std::map<std::string, BlockPtr> held_;
};

}  // namespace arenascope::lesson
