// SPDX-License-Identifier: MIT
// Convolutions by oneDNN. Its fast kernels need images and weights in channel-blocked layout. Weights are packed once;
// each thread processes its rows in strips: reorder a strip of the input, convolve, reorder the result back. A strip
// fits in the L2 cache.
#pragma once
#include <functional>
#include <memory>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

class OnednnConv {
 public:
  virtual ~OnednnConv() = default;
  virtual Bytes packed_bytes() const = 0;
  virtual bool pack(const TensorImpl& weight, std::byte* to) = 0;
  // True if it supports that many chunks, each a range of rows (row r of image n is n·height + r). Too few rows would
  // make uneven ranges.
  virtual bool takes(int parts) const = 0;
  // Rows per image as it counts them: those of the result, or its positions where all positions are alike.
  virtual int64_t image_rows(const ConvGeometry& g) const { return g.out[1]; }
  // Called for each finished strip while it is in the caches: rows [first, first + rows) of an image.
  using Done = std::function<void(int64_t image, int64_t first, int64_t rows)>;
  // Computes this chunk's rows without the bias. Returns how many rows from the first on are done; the caller computes
  // the remaining ones. Channels-last results include the bias.
  virtual int64_t compute(const KernelArgs& args, const std::byte* packed, const Done& done) = 0;
};

// onednn_supports_nhwc(): the library has a fast kernel for the node with channels-last images, whatever its current
// layout. reads_plain_source(): that kernel reads the input as plain images, because they have few channels.
bool onednn_supports_nhwc(const TensorImpl& node);
bool reads_plain_source(const TensorImpl& node);

// Null if the library is absent, does not support the node, or is not faster.
std::unique_ptr<OnednnConv> make_onednn_conv(const TensorImpl& node);
// Scratch per chunk; 0 for convolutions that never use the library.
Bytes onednn_conv_work(const TensorImpl& node);

}  // namespace arenascope::cpu
