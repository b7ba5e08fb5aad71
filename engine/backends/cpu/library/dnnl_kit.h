// SPDX-License-Identifier: MIT
// What all that is given to oneDNN does alike.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include <oneapi/dnnl/dnnl.hpp>

#include <arenascope/backends/cpu/kernels/one_thread.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

// Of primitives that several threads execute, each with scratch of its own: the library's own belongs to who made them.
inline dnnl::primitive_attr own_scratch() {
  dnnl::primitive_attr a;
  a.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return a;
}

// What kind of code the library chose for a primitive.
enum class Implementation : uint8_t { Reference, Jit, Brgemm, Other };
// It says so in a name alone: "ref:any", "gemm:ref", "jit:avx2", "jit_1x1:avx2", "brgconv:avx2".
template <class PrimitiveDesc>
Implementation implementation_of(const PrimitiveDesc& pd) {
  const std::string_view name = pd.impl_info_str();
  if (name.starts_with("brg")) return Implementation::Brgemm;
  if (name.starts_with("jit")) return Implementation::Jit;
  return name.find("ref") != std::string_view::npos ? Implementation::Reference : Implementation::Other;
}

// Copies from one layout to the other, once. False: the library does not.
inline bool reorder(const dnnl::engine& engine, const dnnl::memory::desc& given, const void* data,
                    const dnnl::memory::desc& wanted, void* to) try {
  const OneThread one;
  dnnl::memory from(given, engine, const_cast<void*>(data)), packed(wanted, engine, to);
  dnnl::stream stream(engine);
  dnnl::reorder(from, packed).execute(stream, from, packed);
  stream.wait();
  return true;
} catch (const dnnl::error&) {
  return false;
}

// A T for the node where `suits`; null where not, or where the library refuses.
template <class T>
std::unique_ptr<T> make_where(bool suits, const TensorImpl& node) try {
  if (!suits) return nullptr;
  const OneThread one;
  return std::make_unique<T>(node);
} catch (const dnnl::error&) {
  return nullptr;
}

// Calls strip(image, first, run, stream) along the rows [begin, end) of images of `height` rows: it computes rows of
// one image, from `first` on and at most `run`, and returns how many; 0: the library refused. How many rows are done.
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
