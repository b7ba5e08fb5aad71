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
void add_barrier_columns(Table& table, const TableInput& input, std::function<NodeId(size_t)> node,
                         std::function<Nanoseconds(size_t)> waited);
void add_allocator_columns(Table& table, const TableInput& input, std::function<trace::MemoryKind(size_t)> kind);
void add_planner_columns(Table& table, const TableInput& input, std::function<const trace::PlanInfo&(size_t)> plan);

// "+1.2 MiB", "−3.0 ms", "±0".
QString signed_bytes(double difference);
QString signed_time(double difference);

}  // namespace arenascope::views
