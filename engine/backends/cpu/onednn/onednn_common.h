// SPDX-License-Identifier: MIT
// Helpers shared by all uses of oneDNN.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include <oneapi/dnnl/dnnl.hpp>

#include <arenascope/backends/cpu/kernels/one_thread.h>
#include <arenascope/memory/available_memory.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

// To be called before a primitive is created: the library dereferences null if it cannot allocate then. Throws
// dnnl::error while the process is close to its address-space limit.
inline void check_addresses() {
  constexpr Bytes kLargestPrimitive = Bytes{16} << 20;
  if (!addresses_left(kLargestPrimitive)) throw dnnl::error(dnnl_out_of_memory, "no addresses left");
}

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
                    const dnnl::memory::desc& wanted, void* to) try {
  const OneThread one;
  check_addresses();
  dnnl::memory from(given, engine, const_cast<void*>(data)), packed(wanted, engine, to);
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
  check_addresses();
  return std::make_unique<T>(node);
} catch (const dnnl::error&) {
  return nullptr;
}

// Calls strip(image, first, run, stream) along the rows [begin, end) of images of `height` rows. It computes at most
// `run` rows of one image from `first` on and returns how many; 0: the library failed. Returns the number of rows
// computed.
template <class Strip>
int64_t compute_strips(const dnnl::engine& engine, int64_t begin, int64_t end, int64_t height, Strip strip) {
  const OneThread one;
  int64_t row = begin;
  try {
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
