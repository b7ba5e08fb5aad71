// SPDX-License-Identifier: MIT
// The algorithms of CONV. prepare() chooses one per node (plan_conv) for packing and computation. Memory planning
// reserves scratch for both choices of Winograd; the layout pass queries suits_nhwc before the choice.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

struct ConvAlgorithm {
  // True if the algorithm supports the node in its current layout.
  bool (*takes)(const TensorImpl& node, const ConvGeometry& g);
  void (*compute)(const KernelArgs& args, const ConvGeometry& g);
  Bytes (*work)(const TensorImpl& node, const ConvGeometry& g, int tasks) = nullptr;  // scratch; null: none
  // Packed weights; null: the weights are read unpacked. 0 bytes: packing is not worth it.
  Bytes (*packed_bytes)(const TensorImpl& node, const ConvGeometry& g) = nullptr;
  void (*pack)(const TensorImpl& node, const ConvGeometry& g, std::byte* to) = nullptr;
  bool library = false;  // oneDNN computes the node if it can pack the weights for it
  // True if it would be fast for the node with channels-last images, whatever the current layout; null: never.
  bool (*suits_nhwc)(const TensorImpl& node, const ConvGeometry& g) = nullptr;
};

// In order of preference:
// 8-bit integers, one image row at a time. Input rows are laid out padded, with channels innermost. Sums of products
// are exact: they are 32-bit integers if the CPU has VNNI, otherwise floats below 2^24.
extern const ConvAlgorithm kConvInt8;
// Few channels and wide kernel rows (e.g. 39 taps over a spectrum): a packed window would be used only a few times.
// Padded input rows are laid out next to each other, whatever their layout, and every tap is a vector of neighbouring
// results times a weight; the sums stay in registers.
extern const ConvAlgorithm kConvWideKernel;
// Few results per channel (e.g. audio frames, or a head after pooling): a GEMM tile would be mostly empty. Windows are
// laid out as rows and multiplied with the weights in place, which are read once.
extern const ConvAlgorithm kConvFewOutputs;
// 3×3 convolutions by Winograd's F(2×2, 3×3): 4×4 tiles and the kernel are transformed, sixteen multiplications per
// channel replace thirty-six, and each of the sixteen is a matmul over many tiles (A. Lavin and S. Gray, Fast
// Algorithms for Convolutional Neural Networks, 2015). A result depends only on its own window, so zeros stay zeros; if
// sums are not finite, the block is computed directly. Images are channels-last; plain images are transposed into
// scratch and back, a few rows at a time. Used only for nodes that WinogradChoice permits.
extern const ConvAlgorithm kConvWinograd;
// Channels-last depthwise: vectors run along the channels, for a few neighbouring positions at a time, with one
// multiply-add per tap. Chunks are rows of images.
extern const ConvAlgorithm kConvDepthwiseNhwc;
// Any other channels-last convolution, by oneDNN or element by element.
extern const ConvAlgorithm kConvNhwc;
// A kernel as large as the image with few result positions, as in the gradient of a convolution's weights. Rows of both
// operands are multiplied in place; sums of 16 lanes each stay in registers.
extern const ConvAlgorithm kConvDirect;
// Any floating-point types and layouts, element by element in double.
extern const ConvAlgorithm kConvPlain;
// Depthwise (one kernel per channel). Chunks are planes (image, channel).
extern const ConvAlgorithm kConvDepthwise;
// Packed GEMM of the weights with windows of the input, or oneDNN.
extern const ConvAlgorithm kConvGemm;

// The chosen algorithm of a node.
struct ConvPlan {
  const ConvAlgorithm* algorithm;
  ConvGeometry geometry;

  Bytes work(const TensorImpl& node, int tasks) const {
    return algorithm->work ? algorithm->work(node, geometry, tasks) : 0;
  }
  Bytes packed_bytes(const TensorImpl& node) const {
    return algorithm->packed_bytes ? algorithm->packed_bytes(node, geometry) : 0;
  }
};

// The first algorithm that supports the node; Winograd only if `winograd`.
ConvPlan plan_conv(const TensorImpl& node, bool winograd);
// True if the node is computed by Winograd's transform where WinogradChoice permits it.
bool is_winograd_candidate(const TensorImpl& node);
// The fast algorithm for the node with channels-last images; null: none.
const ConvAlgorithm* find_nhwc_algorithm(const TensorImpl& node);

}  // namespace arenascope::cpu
