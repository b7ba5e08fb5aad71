// SPDX-License-Identifier: MIT
// What the programs are written with: a context whose allocations are recorded, and allocators that show one idea each.
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

// Hands an error on.
#define ARENASCOPE_TRY(expression) \
  if (auto done = (expression); !done) return done.error()

inline constexpr Bytes KiB = 1024;

std::span<const Program> allocator_programs();  // programs_allocators.cpp
std::span<const Program> fault_programs();      // programs_faults.cpp
std::span<const Program> object_programs();     // programs_objects.cpp
std::span<const Program> thread_programs();     // programs_threads.cpp
std::span<const Program> weakness_programs();   // programs_weaknesses.cpp

// Pages of the process from which the teaching allocators take what they hand out; seen as reservations.
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
  mutable std::mutex mutex_;  // guards what derived ones keep, too

 private:
  std::map<void*, Bytes> taken_;
  MemoryStats stats_;
};

// Free lists of powers of two, as libtensor's CpuCachingAllocator: what is given back waits in the list of its size.
class BucketAllocator final : public PagedAllocator {
 public:
  Result<void*> allocate(Bytes bytes, size_t alignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;

 private:
  std::map<Bytes, std::vector<void*>> free_;
};

// One segment of a fixed size, split and merged; where nothing in it fits, another one of that size is taken.
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

// A device's buffers as MNN's BufferPool keeps them: the smallest free buffer that is large enough, however large that
// is; separate ones are never taken from what is free.
class FirstLargerPool final : public PagedAllocator {
 public:
  explicit FirstLargerPool(bool separate = false) : separate_(separate) {}
  Result<void*> allocate(Bytes bytes, size_t alignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;

 private:
  bool separate_;
  std::multimap<Bytes, void*> free_;
  std::map<void*, Bytes> sizes_;
};

class Room {
 public:
  explicit Room(trace::Recorder& recorder);
  ~Room();  // what blocks are still held goes unseen
  ExecutionContext& operator*() { return *context_; }
  Status use(MemoryKind kind, std::shared_ptr<Allocator> allocator);
  // Held under a name until free() of it, or the end.
  Status allocate(const std::string& name, MemoryKind kind, Bytes bytes);
  void free(const std::string& name);
  void problem(std::string sentence, trace::ProblemKind kind = trace::ProblemKind::Other);
  // Bytes that the program itself counted, now.
  void count(const std::string& name, Bytes bytes);
  AllocationObserver& observer() { return *observer_; }  // for what is allocated beside the context

 private:
  trace::Recorder& recorder_;
  std::shared_ptr<AllocationRecorder> observer_;
  std::shared_ptr<ExecutionContext> context_ = make_cpu_context();
  trace::ThreadRing* ring_ = nullptr;  // of what it counts
  std::map<std::string, trace::CounterId> counters_;
  std::map<std::string, BlockPtr> held_;
};

}  // namespace arenascope::lesson
