// SPDX-License-Identifier: GPL-3.0-or-later
// The columns that a table has more while something is compared with: what the counterpart of each row is there.
#pragma once
#include <views/tables/table.h>

namespace arenascope::views {

// Of the tensor of each row: its counterpart's step, bytes, place and mean time, and the difference.
void add_node_columns(Table& table, const TableInput& input);
// Of the block of each row (ids in the rows' order): the block there that holds most of the same tensors.
void add_block_columns(Table& table, const TableInput& input, std::shared_ptr<const std::vector<BlockId>> blocks);
// Of the objects of a context (by kind and name).
void add_object_columns(Table& table, const TableInput& input);
// Of the node of each row: what its barrier cost there, in the newest run.
void add_barrier_columns(Table& table, const TableInput& input, std::function<const trace::Barrier&(size_t)> barrier);
void add_allocator_columns(Table& table, const TableInput& input, std::function<trace::MemoryKind(size_t)> kind);
void add_planner_columns(Table& table, const TableInput& input, std::function<const trace::PlanInfo&(size_t)> plan);

// What is there less what is here, with its sign; `unit`: bytes or time. Ids are those of between().
Column difference_column(const QString& title, const QString& tip, FigureUnit unit,
                         std::function<std::string(size_t)> id, std::function<double(size_t)> value,
                         std::function<bool(size_t)> there);
// "B-A:node.0.3.mean_wall|node.0.2.mean_wall": `what` is done with theirs and ours; an empty one is not there.
std::string between(const char* what, const std::string& ours, const std::string& theirs);

// "+1.2 MiB", "−3.0 ms", "±0".
QString signed_bytes(double difference);
QString signed_time(double difference);

}  // namespace arenascope::views
