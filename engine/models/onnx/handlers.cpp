// SPDX-License-Identifier: MIT
#include "engine/models/onnx/lowering.h"

#include <string_view>
#include <unordered_map>

namespace arenascope::models {

const std::unordered_map<std::string_view, Handler>& all_handlers() {
  static const std::unordered_map<std::string_view, Handler> table = [] {
    std::unordered_map<std::string_view, Handler> all;
    for (const auto list : {pointwise_handlers(),    product_handlers(), window_handlers(),   movement_handlers(),
                            shape_handlers(),        norm_handlers(),    reduce_handlers(),   recurrent_handlers(),
                            quantised_handlers(),    scatter_handlers(), loss_handlers(),     attention_handlers(),
                            sampling_handlers(),     cast_handlers(),    state_handlers(),    signal_handlers(),
                            choice_handlers(),       resize_handlers(),  region_handlers(),   flex_attention_handlers(),
                            learned_handlers(),      count_handlers(),   place_handlers(),    loop_handlers(),
                            sequence_handlers(),     random_handlers(),  training_handlers(), string_handlers(),
                            label_handlers(),        image_handlers(),   roi_handlers(),      experimental_handlers(),
                            linear_model_handlers(), tree_handlers(),    map_handlers(),      scan_handlers(),
                            matrix_handlers()})
      for (const HandlerEntry& entry : list) all.emplace(entry.op, entry.handler);
    for (const auto list :
         {contrib_pointwise_handlers(), contrib_norm_handlers(), contrib_attention_handlers(), contrib_cache_handlers(),
          contrib_product_handlers(), contrib_block_handlers(), contrib_expert_handlers(), contrib_quantised_handlers(),
          contrib_rest_handlers(), contrib_blocked_handlers(), contrib_branch_handlers(), contrib_delta_handlers(),
          contrib_hash_handlers(), contrib_ngram_handlers(), contrib_packed_handlers(), contrib_state_handlers(),
          contrib_window_handlers()})
      for (const HandlerEntry& entry : list) all.emplace(entry.op, entry.handler);
    return all;
  }();
  return table;
}

Handler find_handler(const std::string& domain, const std::string& op) {
  const auto& table = all_handlers();
  const std::string full = domain.empty() ? op : domain + "::" + op;
  const auto found = table.find(full);
  return found == table.end() ? nullptr : found->second;
}

Handler find_word_handler(const std::string& domain, const std::string& op) {
  const std::string full = domain.empty() ? op : domain + "::" + op;
  for (const HandlerEntry& entry : word_handlers())
    if (full == entry.op) return entry.handler;
  return nullptr;
}

}  // namespace arenascope::models
