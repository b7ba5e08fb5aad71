// SPDX-License-Identifier: MIT
// Packed weights: a copy of a node's constant weights in the order in which its kernel reads them.
#pragma once
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <arenascope/graph/fused.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/tensor/tensor_impl.h>
#include "engine/backends/cpu/kernels/conv_algorithm.h"
#include "engine/backends/cpu/onednn/onednn_conv.h"
#include "engine/backends/cpu/onednn/onednn_matmul.h"
#include "engine/backends/cpu/quant/quant_pack.h"

namespace arenascope::cpu {

// The other weight that is packed into the same block; null: none.
const TensorImpl* companion_weight(const TensorImpl& node);

class Packed {
 public:
  // How the block was packed, if not by the kernel itself.
  struct How {
    std::unique_ptr<OnednnConv> conv;
    std::unique_ptr<OnednnMatmul> product;
    std::unique_ptr<QuantPanels> quantised;
    const ConvAlgorithm* algorithm = nullptr;  // of a convolution
  };
  Packed(const TensorImpl& node, const TensorImpl& weight, BlockPtr block, How how)
      : op_(anchor_of(node)),
        params_(node.params),
        node_(node),
        input_(*node.sources[&weight == node.sources[0] ? 1 : 0]),
        sources_(node.sources.size()),
        weight_(weight),
        source_(weight.storage),
        data_(weight.data()),
        block_(std::move(block)),
        how_(std::move(how)) {
    if (const TensorImpl* other = companion_weight(node))
      companion_ = Companion{Form(*other), other->storage, other->data()};
  }

  // True if it was packed from this weight for such a node. It keeps the weight's memory alive, so an equal address
  // means the same weight.
  bool matches(const TensorImpl& node, const TensorImpl& weight) const {
    const auto ours = params_.bytes(), given = node.params.bytes();
    const bool same = weight.data() == data_ && weight_.is(weight) && weight.has(kFlagWeight);
    // Panels of quantised weights are the same for every matmul.
    if (how_.quantised) return same && anchor_of(node) == op_;
    return same && anchor_of(node) == op_ && node.sources.size() == sources_ && node_.is(node) &&
           matches_companion(node) && input_.is(*node.sources[&weight == node.sources[0] ? 1 : 0]) &&
           std::equal(ours.begin(), ours.end(), given.begin(), given.end());
  }
  const std::byte* weight_data() const { return data_; }  // address of the original weight
  const std::byte* bytes() const { return block_->data(); }
  const float* data() const { return reinterpret_cast<const float*>(block_->data()); }
  OnednnConv* library() const { return how_.conv.get(); }
  OnednnMatmul* product() const { return how_.product.get(); }
  const QuantPanels* quantised() const { return how_.quantised.get(); }
  const ConvAlgorithm* algorithm() const { return how_.algorithm; }  // null: no convolution
  Bytes byte_count() const { return block_->bytes(); }
  // Keeps the original weights readable from now on, for a kernel that the packed ones do not serve. Throws
  // OriginalUnavailable.
  void pin_original() const;
  // True if the node does not read the original weight when split into that many chunks. Cases that oneDNN does not
  // support, and rows that are not finite, still use the original.
  bool serves(const TensorImpl& node, int parts) const {
    if (how_.product) return how_.product->takes(node.sizes.back(1), parts) && node.sources[1]->contiguous();
    return !how_.conv || how_.conv->takes(parts);
  }

 private:
  // Type and layout of a tensor.
  struct Form {
    DType dtype;
    Dims sizes, strides;
    explicit Form(const TensorImpl& t) : dtype(t.dtype), sizes(t.sizes), strides(t.strides) {}
    bool is(const TensorImpl& t) const { return t.dtype == dtype && t.sizes == sizes && t.strides == strides; }
  };

  struct Companion {
    Form form;
    Storage source;
    const std::byte* data;
  };
  bool matches_companion(const TensorImpl& node) const {
    const TensorImpl* other = companion_weight(node);
    return !other ||
           (companion_ && other->data() == companion_->data && companion_->form.is(*other) && other->has(kFlagWeight));
  }

  Op op_;
  OpParams params_;
  Form node_, input_;
  size_t sources_;
  Form weight_;
  Storage source_;
  const std::byte* data_;
  std::optional<Companion> companion_;
  BlockPtr block_;
  How how_;
  mutable std::atomic<bool> pinned_{false};
  mutable std::mutex pinning_;
  mutable std::vector<MemoryPin> pins_;  // pins of the original weights; empty until a kernel needs them
};

// The original bytes of a packed weight cannot be generated again. Caught where kernels are called.
struct OriginalUnavailable {
  Error why;
};

// Index of the input that can be packed; negative: none.
int packable_source(const TensorImpl& node);
// The node's weight that is worth packing; null: none.
const TensorImpl* packable_weight(const TensorImpl& node);
// Packs the weight; that of a convolution as its plan requires. Null: it stays unpacked. Errors: out of memory.
Result<std::shared_ptr<const Packed>> pack_weight(const TensorImpl& node, const std::optional<ConvPlan>& conv,
                                                  ExecutionContext& context);

// Matmuls with f32 weights, transposed channels-last convolutions, and an LSTM, GRU or RNN, which packs both weights:
// bytes of the packed weights; 0 if packing is not worth it.
Bytes packed_mul_mat_bytes(const TensorImpl& node);
void pack_mul_mat(const TensorImpl& node, float* to);
Bytes packed_tiles_bytes(const TensorImpl& node);
void pack_tiles(const TensorImpl& node, float* to);
Bytes packed_lstm_bytes(const TensorImpl& node);
void pack_lstm(const TensorImpl& node, float* to);
Bytes packed_recurrent_bytes(const TensorImpl& node);  // GRU and RNN
void pack_recurrent(const TensorImpl& node, float* to);

}  // namespace arenascope::cpu
