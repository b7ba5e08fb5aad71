// SPDX-License-Identifier: MIT
// Helpers shared by all uses of oneDNN.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include <oneapi/dnnl/dnnl.hpp>

#include <arenascope/backends/cpu/kernels/one_thread.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

// Primitives are executed by several threads, so each call provides its own scratch; the library's internal scratch
// belongs to the creating thread.
inline dnnl::primitive_attr own_scratch() {
  dnnl::primitive_attr a;
  a.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return a;
}

// The implementation that the library chose for a primitive.
enum class Implementation : uint8_t { Reference, Jit, Brgemm, Other };
// oneDNN reports the implementation by name only: "ref:any", "gemm:ref", "jit:avx2", "jit_1x1:avx2", "brgconv:avx2".
template <class PrimitiveDesc>
Implementation implementation_of(const PrimitiveDesc& pd) {
  const std::string_view name = pd.impl_info_str();
  if (name.starts_with("brg")) return Implementation::Brgemm;
  if (name.starts_with("jit")) return Implementation::Jit;
  return name.find("ref") != std::string_view::npos ? Implementation::Reference : Implementation::Other;
}

// Copies data from one layout to another, once. False: not supported by the library.
inline bool reorder(const dnnl::engine& engine, const dnnl::memory::desc& given, const void* data,
                    const dnnl::memory::desc& packed_desc, void* to) try {
  const OneThread one;
  dnnl::memory from(given, engine, const_cast<void*>(data)), packed(packed_desc, engine, to);
  dnnl::stream stream(engine);
  dnnl::reorder(from, packed).execute(stream, from, packed);
  stream.wait();
  return true;
} catch (const dnnl::error&) {
  return false;
}

// Creates a T for the node if `suits`; null if not, or if the library rejects it.
template <class T>
std::unique_ptr<T> make_where(bool suits, const TensorImpl& node) try {
  if (!suits) return nullptr;
  const OneThread one;
  return std::make_unique<T>(node);
} catch (const dnnl::error&) {
  return nullptr;
}

// Calls strip(image, first, run, stream) along the rows [begin, end) of images of `height` rows. It computes at most
// `run` rows of one image from `first` on and returns how many; 0: the library failed. Returns the number of rows
// computed.
template <class Strip>
int64_t compute_strips(const dnnl::engine& engine, int64_t begin, int64_t end, int64_t height, Strip strip) {
  int64_t row = begin;
  try {
    const OneThread one;
    dnnl::stream stream(engine);
    while (row < end) {
      const int64_t image = row / height, first = row % height;
      const int64_t rows = strip(image, first, std::min(end - row, height - first), stream);
      if (rows == 0) break;
      row += rows;
    }
  } catch (const dnnl::error&) {
  }
  return row - begin;
}

}  // namespace arenascope::cpu
