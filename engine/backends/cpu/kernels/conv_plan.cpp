// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_algorithm.h"
#include "engine/backends/cpu/packed.h"

namespace arenascope::cpu {
namespace {

constexpr const ConvAlgorithm* kConvAlgorithms[] = {&kConvInt8,     &kConvWideKernel,    &kConvFewOutputs,
                                                    &kConvWinograd, &kConvDepthwiseNhwc, &kConvNhwc,
                                                    &kConvDirect,   &kConvPlain,         &kConvDepthwise};

}  // namespace

ConvPlan plan_conv(const TensorImpl& node, bool winograd) {
  const ConvGeometry g(node);
  for (const ConvAlgorithm* algorithm : kConvAlgorithms)
    if ((winograd || algorithm != &kConvWinograd) && algorithm->takes(node, g)) return {algorithm, g};
  return {&kConvGemm, g};
}

bool is_winograd_candidate(const TensorImpl& node) {
  return anchor_of(node) == Op::Conv && packable_weight(node) && plan_conv(node, true).algorithm == &kConvWinograd;
}

const ConvAlgorithm* find_nhwc_algorithm(const TensorImpl& node) {
  const ConvGeometry g(node);
  for (const ConvAlgorithm* algorithm : kConvAlgorithms)
    if (algorithm->suits_nhwc && algorithm->suits_nhwc(node, g)) return algorithm;
  return nullptr;
}

// Scratch for both choices: prepare() decides about Winograd's transform after the plan has reserved the scratch.
Bytes conv_work(const TensorImpl& node, int tasks) {
  return std::max(plan_conv(node, false).work(node, tasks), plan_conv(node, true).work(node, tasks));
}

Status conv(const KernelArgs& args) {
  args.conv->algorithm->compute(args, args.conv->geometry);
  return {};
}

}  // namespace arenascope::cpu
