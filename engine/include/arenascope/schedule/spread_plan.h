// SPDX-License-Identifier: MIT
// A graph's memory where there is more than one queue or more than one memory: over several streams, between which two
// results may share bytes only behind an event; and over several banks, the fastest first.
#pragma once
#include <string>
#include <vector>

#include <arenascope/planner/arenas.h>
#include <arenascope/planner/streams.h>
#include <arenascope/schedule/memory_plan.h>

namespace arenascope {

struct StreamedPlan {
  MemoryPlan plan;  // of all streams together; steps are those of the given order
  int32_t streams = 1;
  std::vector<int32_t> stream_of;  // by NodeId
  size_t events = 0;               // that a stream waits for
  Bytes one_stream = 0;            // the arena by the same planner where one stream runs all
};

// A node goes on where the last node of a stream is one of its sources, else on the stream with the fewest nodes; it waits
// for an event of each other stream that it reads from. Outputs keep their bytes on every stream. Concatenations copy.
// Errors: fewer than one stream, an order that is none, what plan_streams() refuses.
Result<StreamedPlan> plan_over_streams(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                                       int32_t streams, const MemoryPlanOptions& options);

struct BankUse {
  std::string name;
  std::optional<Bytes> capacity;
  Bytes used = 0;          // of its addresses
  Bytes tensor_bytes = 0;  // of all tensors that lie there
  double traffic = 0;      // bytes read and written there in one run
  int64_t tensors = 0;
};
struct BankedPlan {
  MemoryPlan plan;  // the banks one above the other, in their order
  std::vector<BankUse> banks;
  std::vector<int32_t> bank_of;  // by index of plan.tensors
};

// What is read and written most for its bytes lies in the first bank that holds it. Errors: those of plan_arenas().
Result<BankedPlan> plan_over_banks(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                                   const planner::Planner& planner, const std::vector<planner::Arena>& banks,
                                   const MemoryPlanOptions& options);

// "sram=512K,hbm=8M,host": names with capacities in bytes or with K, M, G (powers of 1024); the last may have none.
// Errors: what is no list of banks.
Result<std::vector<planner::Arena>> parse_banks(std::string_view text);

}  // namespace arenascope
