// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/packed.h"

#include <arenascope/graph/fused.h>
#include "engine/backends/cpu/kernels/conv_algorithm.h"
#include "engine/backends/cpu/quant/quant_matmul.h"

namespace arenascope::cpu {

namespace {

bool is_gru_or_rnn(Op op) { return op == Op::Gru || op == Op::Rnn; }

}  // namespace

int packable_source(const TensorImpl& node) {
  const Op op = anchor_of(node);
  if (op == Op::Conv || op == Op::ConvTranspose || op == Op::Lstm || is_gru_or_rnn(op)) return 1;
  return op == Op::MulMat || op == Op::MulMatId ? 0 : -1;
}

const TensorImpl* companion_weight(const TensorImpl& node) {
  const Op op = anchor_of(node);
  return op == Op::Lstm || is_gru_or_rnn(op) ? node.sources[2] : nullptr;
}

const TensorImpl* packable_weight(const TensorImpl& node) {
  const int source = packable_source(node);
  if (source < 0) return nullptr;
  const TensorImpl* weight = node.sources[static_cast<size_t>(source)];
  return weight->has(kFlagWeight) && weight->data() ? weight : nullptr;
}

namespace {

// Packing by the kernel itself, for weights that neither oneDNN nor the quantised matmul uses.
Bytes own_packed_bytes(const TensorImpl& node, const std::optional<ConvPlan>& conv) {
  if (conv) return conv->packed_bytes(node);
  const Op op = anchor_of(node);
  if (op == Op::ConvTranspose) return packed_tiles_bytes(node);
  if (op == Op::Lstm) return packed_lstm_bytes(node);
  if (op == Op::MulMat) return packed_mul_mat_bytes(node);
  return is_gru_or_rnn(op) ? packed_recurrent_bytes(node) : 0;
}

void pack_own(const TensorImpl& node, const std::optional<ConvPlan>& conv, std::byte* to) {
  const Op op = anchor_of(node);
  if (conv)
    conv->algorithm->pack(node, conv->geometry, to);
  else if (op == Op::Lstm)
    pack_lstm(node, reinterpret_cast<float*>(to));
  else if (op == Op::MulMat)
    pack_mul_mat(node, reinterpret_cast<float*>(to));
  else if (is_gru_or_rnn(op))
    pack_recurrent(node, reinterpret_cast<float*>(to));
  else
    pack_tiles(node, reinterpret_cast<float*>(to));
}

}  // namespace

void Packed::pin_original() const {
  if (pinned_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(pinning_);
  if (pinned_.load(std::memory_order_relaxed)) return;
  std::vector<MemoryPin> pins;
  for (const Storage* original : {&source_, companion_ ? &companion_->source : nullptr}) {
    if (!original) continue;
    auto pin = MemoryPin::take(original->block());
    if (!pin) throw OriginalUnavailable{pin.error()};
    pins.push_back(std::move(*pin));
  }
  pins_ = std::move(pins);
  pinned_.store(true, std::memory_order_release);
}

void KernelArgs::need_original_weights() const {
  if (packed) packed->pin_original();
}

Result<std::shared_ptr<const Packed>> pack_weight(const TensorImpl& node, const std::optional<ConvPlan>& conv,
                                                  ExecutionContext& context) {
  using Made = std::shared_ptr<const Packed>;
  const TensorImpl& weight = *packable_weight(node);
  Packed::How how;
  QuantLayout layout{};
  bool quantised = false;
  Bytes bytes = 0;
  if (conv) {
    how.algorithm = conv->algorithm;
    if (conv->algorithm->library && !conv->geometry.depthwise()) how.conv = make_onednn_conv(node);
    if (how.conv) bytes = how.conv->packed_bytes();
  } else if (quant_layout(node, layout)) {
    quantised = true;
    bytes = layout.bytes();
  } else if (anchor_of(node) == Op::MulMat) {
    how.product = make_onednn_matmul(node);
    if (how.product) bytes = how.product->packed_bytes();
  }
  if (!quantised && !how.product && !how.conv) bytes = own_packed_bytes(node, conv);
  if (bytes == 0) return Made();
  auto pin = MemoryPin::take(weight.storage.block());
  if (!pin) return refuse(node, pin.error().message);
  const TensorImpl* const companion = companion_weight(node);
  const auto companion_pin = MemoryPin::take(companion ? companion->storage.block() : BlockPtr());
  if (!companion_pin) return refuse(node, companion_pin.error().message);
  auto block = context.allocate({}, MemoryKind::Persistent, bytes);
  if (!block) return block.error();
  std::byte* const to = (*block)->data();
  if (quantised)
    how.quantised = std::make_unique<QuantPanels>(layout, weight, std::move(*pin), *block);
  else if (how.product ? !how.product->pack(weight, to) : how.conv && !how.conv->pack(weight, to))
    return Made();
  else if (!how.product && !how.conv)
    pack_own(node, conv, to);
  for (const TensorImpl* read : {&weight, companion})
    if (read && !quantised) read->storage.block()->drop_pages(read->storage.offset(), read->storage.bytes());
  return Made(std::make_shared<const Packed>(node, weight, std::move(*block), std::move(how)));
}

}  // namespace arenascope::cpu
