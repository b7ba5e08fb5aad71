// SPDX-License-Identifier: MIT
// Memory planning without a graph: the caller adds buffers with their lifetimes in its own steps, and gets tensors in
// one workspace per device and memory kind. prepare() performs all allocations.
//
//     BufferPlan plan;
//     auto x = plan.add_buffer({64, 128}, DType::F32, {0, 2});
//     auto y = plan.add_buffer({64, 128}, DType::F32, {1, 3});
//     auto row = plan.add_view_buffer(*x, 128, {128}, {1, 2});     // the second row of x
//     plan.prepare(*context);
//     plan.tensor(*y).data_as<float>();
#pragma once
#include <span>
#include <string>
#include <vector>

#include <arenascope/memory/workspace_arena.h>
#include <arenascope/planner/planner.h>
#include <arenascope/tensor/tensor.h>

namespace arenascope {

using BufferId = Id<struct BufferTag>;

// The lifetime of a buffer: it is read or written in the steps [first, last).
struct BufferUse {
  int64_t first = 0, last = 1;
};

struct BufferOptions {
  Device device;
  MemoryKind kind = MemoryKind::Workspace;
  Bytes alignment = 64;  // a power of two, up to 4096
  std::string name;
};

class BufferPlan {
 public:
  // Adds a contiguous tensor with its own bytes. Errors: negative or too large sizes, steps that end before they begin,
  // an alignment that is not a power of two or is above 4096, a plan that is already prepared.
  Result<BufferId> add_buffer(const Dims& sizes, DType dtype, BufferUse use, const BufferOptions& options = {});
  // Adds a contiguous view of another buffer from element `offset` on, with the same type. It extends the lifetime of
  // the other buffer. Errors: the view exceeds the other buffer, steps that end before they begin, a plan that is
  // already prepared.
  Result<BufferId> add_view_buffer(BufferId of, int64_t offset, const Dims& sizes, BufferUse use);

  // Plans the buffers of each device and memory kind, allocates their workspaces and creates the tensors. May be called
  // once. Errors: an unknown planner, out of memory; nothing is allocated then.
  Status prepare(ExecutionContext& context, std::string_view planner = "search", const planner::Options& options = {});

  bool prepared() const { return prepared_; }
  // Undefined before prepare().
  const Tensor& tensor(BufferId id) const { return rows_[id.index()].tensor; }
  size_t size() const { return rows_.size(); }
  // Totals over all workspaces: size, lower bound, and sum of the buffer sizes.
  Bytes workspace_bytes() const { return workspace_bytes_; }
  Bytes lower_bound() const { return lower_bound_; }
  Bytes buffer_bytes() const { return buffer_bytes_; }

 private:
  struct Row {
    Dims sizes;
    DType dtype = DType::F32;
    BufferUse use;
    BufferOptions options;
    BufferId base;     // views: the buffer that owns the bytes
    Bytes offset = 0;  // views: offset in `base`
    Bytes bytes = 0;
    Tensor tensor;
  };
  Status refuse_use(BufferUse use) const;
  Status prepare_workspace(ExecutionContext& context, std::span<const size_t> rows, const planner::Planner& planner,
                           const planner::Options& options, std::vector<Tensor>& made);

  std::vector<Row> rows_;
  std::vector<WorkspaceArena> workspaces_;
  Bytes workspace_bytes_ = 0, lower_bound_ = 0, buffer_bytes_ = 0;
  bool prepared_ = false;
};

}  // namespace arenascope
