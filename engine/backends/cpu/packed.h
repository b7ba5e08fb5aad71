// SPDX-License-Identifier: MIT
// A node's constant weights packed: a copy in the order in which the kernel reads them.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>

#include <arenascope/graph/fused.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/tensor/tensor_impl.h>
#include "engine/backends/cpu/library/library_conv.h"
#include "engine/backends/cpu/library/library_product.h"
#include "engine/backends/cpu/quant/quant_pack.h"

namespace arenascope::cpu {

// The other weight that is packed into the same block; null: none.
const TensorImpl* packed_beside(const TensorImpl& node);

class Packed {
 public:
  // Who packed the block, if it was not the kernel itself.
  struct How {
    std::unique_ptr<LibraryConv> conv;
    std::unique_ptr<LibraryProduct> product;
    std::unique_ptr<QuantPanels> quantised;
    bool winograd = false;  // for Winograd's transform
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
    if (const TensorImpl* other = packed_beside(node)) beside_ = Beside{Form(*other), other->storage, other->data()};
  }

  // Whether it was made from this weight, for such a node. It holds the weight's memory, so an equal address is the same
  // weight.
  bool matches(const TensorImpl& node, const TensorImpl& weight) const {
    const auto ours = params_.bytes(), given = node.params.bytes();
    const bool same = weight.data() == data_ && weight_.is(weight) && weight.has(kFlagWeight);
    // Panels of quantised weights are the same for every product.
    if (how_.quantised) return same && anchor_of(node) == op_;
    return same && anchor_of(node) == op_ && node.sources.size() == sources_ && node_.is(node) && has_beside(node) &&
           input_.is(*node.sources[&weight == node.sources[0] ? 1 : 0]) &&
           std::equal(ours.begin(), ours.end(), given.begin(), given.end());
  }
  const std::byte* weight_data() const { return data_; }  // where the weight lies that it was made from
  const std::byte* bytes() const { return block_->data(); }
  const float* data() const { return reinterpret_cast<const float*>(block_->data()); }
  LibraryConv* library() const { return how_.conv.get(); }
  LibraryProduct* product() const { return how_.product.get(); }
  const QuantPanels* quantised() const { return how_.quantised.get(); }
  bool winograd() const { return how_.winograd; }
  Bytes byte_count() const { return block_->bytes(); }
  // Whether it is all that the node reads of the weight where it is computed in so many parts. What the library turns
  // out not to do, and rows that are not finite, are still computed from the weight itself.
  bool serves(const TensorImpl& node, int parts) const {
    if (how_.product) return how_.product->takes(node.sizes.back(1), parts) && node.sources[1]->contiguous();
    return !how_.conv || how_.conv->takes(parts);
  }

 private:
  // How a tensor lies.
  struct Form {
    DType dtype;
    Dims sizes, strides;
    explicit Form(const TensorImpl& t) : dtype(t.dtype), sizes(t.sizes), strides(t.strides) {}
    bool is(const TensorImpl& t) const { return t.dtype == dtype && t.sizes == sizes && t.strides == strides; }
  };

  struct Beside {
    Form form;
    Storage source;
    const std::byte* data;
  };
  bool has_beside(const TensorImpl& node) const {
    const TensorImpl* other = packed_beside(node);
    return !other || (beside_ && other->data() == beside_->data && beside_->form.is(*other) && other->has(kFlagWeight));
  }

  Op op_;
  OpParams params_;
  Form node_, input_;
  size_t sources_;
  Form weight_;
  Storage source_;
  const std::byte* data_;
  std::optional<Beside> beside_;
  BlockPtr block_;
  How how_;
};

// Which source of such a node would be packed; negative: none.
int packable_source(const TensorImpl& node);
// The node's weight that is worth packing; null: none.
const TensorImpl* packable_weight(const TensorImpl& node);
// Packs it; for Winograd's transform where that is wanted and the node is packed so at all (packed_winograd()). Null: it stays as
// it is. Errors: there is no memory.
Result<std::shared_ptr<const Packed>> pack_weight(const TensorImpl& node, bool winograd, ExecutionContext& context);
// Whether the node can be computed by Winograd's transform over its packed weights.
bool packed_winograd(const TensorImpl& node);

// Bytes that packing a convolution's weights for the product takes; 0 where it is not worth it.
Bytes packed_conv_bytes(const TensorImpl& node);
void pack_conv(const TensorImpl& node, float* to);
// The same for depthwise, 3×3 and transposed convolutions of images with their channels last, and for an LSTM, both of whose weights are packed.
Bytes packed_depthwise_bytes(const TensorImpl& node);
void pack_depthwise(const TensorImpl& node, float* to);
Bytes packed_winograd_bytes(const TensorImpl& node);
void pack_winograd(const TensorImpl& node, float* to);
Bytes packed_tiles_bytes(const TensorImpl& node);
void pack_tiles(const TensorImpl& node, float* to);
Bytes packed_lstm_bytes(const TensorImpl& node);
void pack_lstm(const TensorImpl& node, float* to);

}  // namespace arenascope::cpu
