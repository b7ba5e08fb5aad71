// SPDX-License-Identifier: GPL-3.0-or-later
// Additional columns while a comparison is active: values of each row's counterpart on the other side.
#pragma once
#include <views/tables/table.h>

namespace arenascope::views {

// Rows are tensors: step, bytes, location and mean time of the counterpart, and the differences.
void add_node_columns(Table& table, const TableInput& input);
// Rows are blocks (ids in row order): the block of the other side that holds most of the same tensors.
void add_block_columns(Table& table, const TableInput& input, std::shared_ptr<const std::vector<BlockId>> blocks);
// Rows are the objects of a context, matched by kind and name.
void add_object_columns(Table& table, const TableInput& input);
// Rows have a node: the cost of its barrier on the other side, in its latest run.
void add_barrier_columns(Table& table, const TableInput& input, std::function<const trace::Barrier&(size_t)> barrier);
void add_allocator_columns(Table& table, const TableInput& input, std::function<trace::MemoryKind(size_t)> kind);
void add_planner_columns(Table& table, const TableInput& input, std::function<const trace::PlanInfo&(size_t)> plan);

// The value there minus the value here, with its sign; `unit`: bytes or time. Ids are those of between().
Column difference_column(const QString& title, const QString& tip, FigureUnit unit,
                         std::function<std::string(size_t)> id, std::function<double(size_t)> value,
                         std::function<bool(size_t)> there);
// "B-A:node.0.3.mean_wall|node.0.2.mean_wall": `what` combines the value there and here; an empty id is missing.
std::string between(const char* what, const std::string& ours, const std::string& theirs);

// "+1.2 MiB", "−3.0 ms", "±0".
QString signed_bytes(double difference);
QString signed_time(double difference);

}  // namespace arenascope::views
