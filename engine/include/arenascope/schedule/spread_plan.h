// SPDX-License-Identifier: MIT
// Memory planning over several streams or several memory banks. Results on different streams may share bytes only after
// synchronisation by an event. Banks are listed fastest first.
#pragma once
#include <string>
#include <vector>

#include <arenascope/planner/arenas.h>
#include <arenascope/planner/streams.h>
#include <arenascope/schedule/memory_plan.h>

namespace arenascope {

struct StreamedPlan {
  MemoryPlan plan;  // shared by all streams; steps refer to the given order
  int32_t streams = 1;
  std::vector<int32_t> stream_of;  // by NodeId
  size_t events = 0;               // number of waits for an event
  Bytes one_stream = 0;            // arena size with the same planner and a single stream
};

// A node is assigned to a stream whose last node is one of its sources, else to the stream with the fewest nodes. It
// waits for an event of every other stream that it reads from. Outputs are live to the end on every stream.
// Concatenations are not aliased. Errors: fewer than one stream, an invalid order, an error of plan_streams().
Result<StreamedPlan> plan_over_streams(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                                       int32_t streams, const MemoryPlanOptions& options);

struct BankUse {
  std::string name;
  std::optional<Bytes> capacity;
  Bytes used = 0;          // address range in use
  Bytes tensor_bytes = 0;  // sum of the tensor sizes
  double traffic = 0;      // bytes read and written in one run
  int64_t tensors = 0;
};
struct BankedPlan {
  MemoryPlan plan;  // the address ranges of the banks are concatenated in their order
  std::vector<BankUse> banks;
  std::vector<int32_t> bank_of;  // by index of plan.tensors
};

// Places tensors with the most traffic per byte first, each in the first bank with enough space. Errors: those of
// plan_arenas().
Result<BankedPlan> plan_over_banks(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                                   const planner::Planner& planner, const std::vector<planner::Arena>& banks,
                                   const MemoryPlanOptions& options);

// "sram=512K,hbm=8M,host": names with capacities in bytes or with K, M, G (powers of 1024); the last may have none.
// Errors: invalid list of banks.
Result<std::vector<planner::Arena>> parse_banks(std::string_view text);

}  // namespace arenascope
