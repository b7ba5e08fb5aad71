// SPDX-License-Identifier: MIT
// Convolutions given to oneDNN. Its fast kernels want images and weights in blocks of channels, so the weights are
// packed once, and each thread takes its rows strip by strip: reorder a strip of the source, convolve, reorder the
// result back. A strip is as high as fits in the second-level cache.
#pragma once
#include <functional>
#include <memory>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

class LibraryConv {
 public:
  virtual ~LibraryConv() = default;
  virtual Bytes packed_bytes() const = 0;
  virtual bool pack(const TensorImpl& weight, std::byte* to) = 0;
  // Whether it takes nodes in that many parts, each a run of rows (row r of image n is n·height + r): not where there
  // are so few that the runs would be uneven.
  virtual bool takes(int parts) const = 0;
  // Rows of an image as it counts them: those of the result, or its places where these are all alike.
  virtual int64_t image_rows(const ConvGeometry& g) const { return g.out[1]; }
  // Called for each strip that stands, while it is in the caches: rows [first, first + rows) of an image.
  using Done = std::function<void(int64_t image, int64_t first, int64_t rows)>;
  // Computes this part of the node's rows, without the bias. How many of them it has done, from the first on: where not
  // all, the caller has to do the others. The results of channels-last nodes hold the bias.
  virtual int64_t compute(const Job& job, const std::byte* packed, const Done& done) = 0;
};

// Whether the library has a fast kernel for the node with its images' channels last, however they lie now; and whether
// that one still reads the source as plain images, because they have few channels.
bool library_takes_channels_last(const TensorImpl& node);
bool reads_plain_source(const TensorImpl& node);

// Null where the library is absent, or does not do this one, or does it no better.
std::unique_ptr<LibraryConv> make_library_conv(const TensorImpl& node);
// Scratch of one part; 0 for convolutions that the library never gets.
Bytes library_conv_work(const TensorImpl& node);

}  // namespace arenascope::cpu
