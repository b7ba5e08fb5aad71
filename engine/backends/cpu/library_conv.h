// SPDX-License-Identifier: MIT
// Convolutions given to oneDNN. Its fast kernels want images and weights in blocks of channels, so the weights are
// packed once, and each thread takes its rows strip by strip: reorder a strip of the source, convolve, reorder the
// result back. A strip is as high as fits in the second-level cache.
#pragma once
#include <memory>

#include <arenascope/backends/cpu/kernel.h>

namespace arenascope::cpu {

class LibraryConv {
 public:
  virtual ~LibraryConv() = default;
  virtual Bytes packed_bytes() const = 0;
  virtual bool pack(const TensorImpl& weight, std::byte* to) = 0;
  // Whether it takes nodes in that many parts, each a run of rows (row r of image n is n·height + r): not where there
  // are so few that the runs would be uneven.
  virtual bool takes(int parts) const = 0;
  // Computes this part of the node's rows, without the bias. False: some are not done, the caller has to do them all.
  virtual bool compute(const Job& job, const std::byte* packed) = 0;
};

// Null where the library is absent, or does not do this one, or does it no better.
std::unique_ptr<LibraryConv> make_library_conv(const TensorImpl& node);
// Scratch of one part; 0 for convolutions that the library never gets.
Bytes library_conv_work(const TensorImpl& node);

}  // namespace arenascope::cpu
