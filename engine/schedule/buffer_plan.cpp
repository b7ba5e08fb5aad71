// SPDX-License-Identifier: MIT
#include <arenascope/schedule/buffer_plan.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/planner/check.h>

namespace arenascope {
namespace {

constexpr Bytes kLargestBufferAlignment = 4096;

}  // namespace

Status BufferPlan::refuse_use(BufferUse use) const {
  if (prepared_) return Error{"cannot add a buffer: the plan is already prepared"};
  if (use.first < 0 || use.last <= use.first)
    return Error{fmt::format("a buffer that is used in the steps [{}, {})", use.first, use.last)};
  return {};
}

Result<BufferId> BufferPlan::add_buffer(const Dims& sizes, DType dtype, BufferUse use, const BufferOptions& options) {
  if (auto ok = refuse_use(use); !ok) return ok.error();
  if (options.alignment < 1 || options.alignment > kLargestBufferAlignment ||
      !is_power_of_two(static_cast<uint64_t>(options.alignment)))
    return Error{
        fmt::format("the alignment {} must be a power of two up to {}", options.alignment, kLargestBufferAlignment)};
  auto bytes = checked_byte_count(sizes, dtype);
  if (!bytes) return bytes.error();
  rows_.push_back({sizes, dtype, use, options, BufferId(), 0, *bytes, Tensor()});
  return BufferId(rows_.size() - 1);
}

Result<BufferId> BufferPlan::add_view_buffer(BufferId of, int64_t offset, const Dims& sizes, BufferUse use) {
  if (auto ok = refuse_use(use); !ok) return ok.error();
  if (!of.valid() || of.index() >= rows_.size()) return Error{fmt::format("there is no buffer {}", of.value)};
  const Row& source = rows_[of.index()];
  auto bytes = checked_byte_count(sizes, source.dtype);
  if (!bytes) return bytes.error();
  const auto skipped = offset < 0 ? std::nullopt : checked_mul(offset, info(source.dtype).block_bytes);
  if (!skipped || info(source.dtype).quantised || *skipped > source.bytes || *bytes > source.bytes - *skipped)
    return Error{fmt::format("a view of {} from element {} on is not inside a buffer of {}", to_string(sizes), offset,
                             to_string(source.sizes))};
  const BufferId base = source.base.valid() ? source.base : of;
  const Bytes at = source.offset + *skipped;
  Row row{sizes, source.dtype, use, source.options, base, at, *bytes, Tensor()};
  row.options.name.clear();
  BufferUse& kept = rows_[base.index()].use;
  kept = {std::min(kept.first, use.first), std::max(kept.last, use.last)};
  rows_.push_back(std::move(row));
  return BufferId(rows_.size() - 1);
}

Status BufferPlan::prepare_workspace(ExecutionContext& context, std::span<const size_t> rows,
                                     const planner::Planner& planner, const planner::Options& options,
                                     std::vector<Tensor>& made) {
  planner::Problem problem;
  std::vector<size_t> of;
  Bytes alignment = 1;
  for (const size_t r : rows) {
    const Row& row = rows_[r];
    if (row.base.valid() || row.bytes == 0) continue;
    planner::Interval& interval = problem.intervals.emplace_back();
    interval.lower = row.use.first;
    interval.upper = row.use.last;
    interval.size = row.bytes;
    interval.alignment = row.options.alignment;
    alignment = std::max(alignment, row.options.alignment);
    of.push_back(r);
    buffer_bytes_ += row.bytes;
  }
  auto plan = planner.plan(problem, options);
  if (!plan) return plan.error();
  if (auto ok = planner::check(problem, *plan); !ok) return ok;
  const BufferOptions& whose = rows_[rows.front()].options;
  WorkspaceArena& arena = workspaces_.emplace_back(context, whose.device, whose.kind);
  if (auto ok = arena.reserve(plan->arena_bytes); !ok) return ok;
  workspace_bytes_ += plan->arena_bytes;
  lower_bound_ += plan->lower_bound;
  std::map<size_t, Storage> storages;
  for (size_t i = 0; i < of.size(); ++i) {
    auto slice = arena.slice_at(plan->offsets[i], problem.intervals[i].size);
    if (!slice) return slice.error();
    auto storage = Storage(slice->block).sub_storage(slice->offset, slice->bytes);
    if (!storage) return storage.error();
    storages[of[i]] = std::move(*storage);
  }
  for (const size_t r : rows) {
    const Row& row = rows_[r];
    const auto found = storages.find(row.base.valid() ? row.base.index() : r);
    auto part = found == storages.end() ? Result<Storage>(Storage(whose.device))
                                        : found->second.sub_storage(row.offset, row.bytes);
    if (!part) return part.error();
    auto tensor = Tensor::wrap(std::move(*part), row.sizes, row.dtype);
    if (!tensor) return tensor.error();
    tensor->set_name(row.options.name);
    made[r] = std::move(*tensor);
  }
  return {};
}

Status BufferPlan::prepare(ExecutionContext& context, std::string_view name, const planner::Options& options) {
  if (prepared_) return Error{"the buffer plan is already prepared"};
  const planner::Planner* planner = planner::find_planner(name);
  if (planner == nullptr) return Error{fmt::format("there is no planner '{}'", name)};
  std::map<std::pair<std::string, MemoryKind>, std::vector<size_t>> places;
  for (size_t r = 0; r < rows_.size(); ++r)
    places[{to_string(rows_[r].options.device), rows_[r].options.kind}].push_back(r);
  std::vector<Tensor> made(rows_.size());
  for (const auto& [place, rows] : places)
    if (auto ok = prepare_workspace(context, rows, *planner, options, made); !ok) {
      workspaces_.clear();
      workspace_bytes_ = lower_bound_ = buffer_bytes_ = 0;
      return ok;
    }
  for (size_t r = 0; r < rows_.size(); ++r) rows_[r].tensor = std::move(made[r]);
  prepared_ = true;
  return {};
}

}  // namespace arenascope
