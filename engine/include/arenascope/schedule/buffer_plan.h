// SPDX-License-Identifier: MIT
// Planning without a graph: whoever computes says which buffers there will be and from which of its steps to which, and gets
// tensors, all of them slices of one workspace for each device and kind of memory. Nothing is allocated before prepare(),
// and nothing after it.
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

// The steps [first, last) in which somebody reads or writes a buffer.
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
  // A contiguous tensor of its own bytes. Errors: sizes below 0 or too large, steps that end before they begin, an
  // alignment that is no power of two or above 4096, a plan that was prepared.
  Result<BufferId> add_buffer(const Dims& sizes, DType dtype, BufferUse use, const BufferOptions& options = {});
  // A contiguous tensor over the bytes of another one, from its `offset`-th element on, of the same type: the other one's
  // bytes stay for as long as this is used. Errors: it leaves the other one, steps that end before they begin, a plan that
  // was prepared.
  Result<BufferId> add_view_buffer(BufferId of, int64_t offset, const Dims& sizes, BufferUse use);

  // Plans each device's and kind's buffers, allocates their workspaces and makes the tensors. Once. Errors: a planner that
  // does not exist, no memory; nothing is kept then.
  Status prepare(ExecutionContext& context, std::string_view planner = "search", const planner::Options& options = {});

  bool prepared() const { return prepared_; }
  // Undefined before prepare().
  const Tensor& tensor(BufferId id) const { return rows_[id.index()].tensor; }
  size_t size() const { return rows_.size(); }
  // Of all workspaces: what they take, what no plan can be below, and what the buffers have together.
  Bytes workspace_bytes() const { return workspace_bytes_; }
  Bytes lower_bound() const { return lower_bound_; }
  Bytes buffer_bytes() const { return buffer_bytes_; }

 private:
  struct Row {
    Dims sizes;
    DType dtype = DType::F32;
    BufferUse use;
    BufferOptions options;
    BufferId base;     // of a view: the buffer that has the bytes
    Bytes offset = 0;  // of a view: in that one
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
