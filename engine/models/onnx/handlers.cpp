// SPDX-License-Identifier: MIT
#include "engine/models/onnx/lowering.h"

#include <string_view>
#include <unordered_map>

namespace arenascope::models {

const std::unordered_map<std::string_view, Handler>& all_handlers() {
  static const std::unordered_map<std::string_view, Handler> table = [] {
    std::unordered_map<std::string_view, Handler> all;
    for (const auto list : {pointwise_handlers(),
                            matmul_handlers(),
                            conv_pool_handlers(),
                            movement_handlers(),
                            shape_handlers(),
                            norm_handlers(),
                            reduce_handlers(),
                            recurrent_handlers(),
                            quantised_handlers(),
                            scatter_handlers(),
                            loss_handlers(),
                            attention_handlers(),
                            grid_sample_handlers(),
                            cast_handlers(),
                            causal_conv_linear_attention_handlers(),
                            signal_handlers(),
                            compress_nonzero_unique_handlers(),
                            resize_handlers(),
                            deform_conv_nms_handlers(),
                            flex_attention_handlers(),
                            ml_preprocessing_handlers(),
                            tfidf_vectorizer_handlers(),
                            max_unpool_tensor_scatter_handlers(),
                            loop_handlers(),
                            sequence_handlers(),
                            random_handlers(),
                            training_handlers(),
                            string_handlers(),
                            label_encoder_handlers(),
                            image_decoder_handlers(),
                            roi_handlers(),
                            experimental_handlers(),
                            linear_svm_handlers(),
                            tree_ensemble_handlers(),
                            cast_map_dict_vectorizer_handlers(),
                            scan_handlers(),
                            det_inverse_handlers()})
      for (const HandlerEntry& entry : list) all.emplace(entry.op, entry.handler);
    for (const auto list :
         {contrib_pointwise_handlers(), contrib_norm_handlers(), contrib_attention_handlers(),
          contrib_group_query_attention_handlers(), contrib_fused_matmul_conv_handlers(),
          contrib_matmul_nbits_handlers(), contrib_moe_handlers(), contrib_quantised_handlers(),
          contrib_misc_handlers(), contrib_gated_delta_net_handlers(), contrib_varlen_causal_conv_handlers()})
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

Handler find_string_tensor_handler(const std::string& domain, const std::string& op) {
  const std::string full = domain.empty() ? op : domain + "::" + op;
  for (const HandlerEntry& entry : string_tensor_handlers())
    if (full == entry.op) return entry.handler;
  return nullptr;
}

}  // namespace arenascope::models
