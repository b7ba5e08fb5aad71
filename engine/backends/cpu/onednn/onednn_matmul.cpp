// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/onednn/onednn_matmul.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <oneapi/dnnl/dnnl.hpp>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/half.h"
#include "engine/backends/cpu/onednn/onednn_common.h"
#include "engine/backends/cpu/simd/level.h"

namespace arenascope::cpu {
namespace {

using dnnl::memory;
using Desc = memory::desc;
using Type = memory::data_type;
using Tag = memory::format_tag;

constexpr Type kType = Type::bf16;
constexpr int64_t kRows = 512;  // rows per call, which are rounded together
constexpr int64_t kMin = 32;    // minimum rows per chunk
constexpr int64_t kPiece = 1024;
constexpr int64_t kSliceBytes = 8 << 20;       // bytes of weights packed at once
constexpr Bytes kLibraryScratch = 2048 << 10;  // limit of the library's own scratch, which is allocated per thread

// Bytes of the rows that are rounded together.
Bytes rounded_bytes(const TensorImpl& node) {
  return round_to_line(2 * std::min(kRows, node.sizes.back(1)) * node.sources[0]->sizes[1]);
}

bool fits(const TensorImpl& node) {
  const TensorImpl &w = *node.sources[0], &b = *node.sources[1];
  return w.dtype == DType::BF16 && w.rank() == 2 && w.contiguous() && w.sizes[0] > 0 && w.sizes[1] > 0 &&
         node.element_count() == node.sizes.back(1) * node.sizes.back() && node.sizes.back(1) >= kMin &&
         info(b.dtype).floating && b.dtype != DType::F64;
}

class Product : public OnednnMatmul {
 public:
  explicit Product(const TensorImpl& node)
      : columns_(node.sizes.back()),
        depth_(node.sources[0]->sizes[1]),
        rounded_bytes_(rounded_bytes(node)),
        engine_(dnnl::engine::kind::cpu, 0) {
    const auto pd = described(std::min(kRows, node.sizes.back(1)), Desc({depth_, columns_}, kType, Tag::any));
    weights_ = pd.weights_desc();
    useful_ = implementation_of(pd) != Implementation::Reference && fits_scratch(pd);
  }
  bool useful() const { return useful_; }

  Bytes packed_bytes() const override { return static_cast<Bytes>(weights_.get_size()); }

  // Packs slice by slice and releases each slice's pages to the system if the weight is mapped from a file; in one
  // piece if the library's layout cannot be split.
  bool pack(const TensorImpl& weight, std::byte* to) override {
    constexpr int64_t kBlock = 192;  // a multiple of all widths of the layouts
    const int64_t column_bytes = depth_ * element_bytes(weight.dtype);
    const int64_t slice = std::max<int64_t>(kSliceBytes / column_bytes / kBlock, 1) * kBlock;
    const BlockPtr& block = weight.storage.block();
    try {
      for (int64_t column = 0; column < columns_; column += slice) {
        const int64_t count = std::min(slice, columns_ - column);
        const std::byte* from = weight.data() + column * column_bytes;
        if (!reorder(engine_, Desc({depth_, count}, kType, Tag::ba), from,
                     weights_.submemory_desc({depth_, count}, {0, column}), to))
          return false;
        if (block) block->drop_pages(from - block->data(), count * column_bytes);
      }
      return true;
    } catch (const dnnl::error&) {
      const auto whole = MemoryPin::take(block);  // some slices may have been released
      return whole && reorder(engine_, Desc({depth_, columns_}, kType, Tag::ba), weight.data(), weights_, to);
    }
  }

  bool takes(int64_t rows, int parts) const override { return rows >= kMin * parts; }

  bool compute(Range rows, const Lines& b, const std::byte* packed, std::byte* scratch, float* c) override try {
    const OneThread one;
    dnnl::stream stream(engine_);
    memory weights(weights_, engine_, const_cast<std::byte*>(packed));
    const auto multiply = [&](int64_t row, int64_t count, void* source) {
      const Made* product = made(count);
      if (!product) return false;
      memory from(Desc({count, depth_}, kType, Tag::ab), engine_, source);
      memory to(Desc({count, columns_}, Type::f32, Tag::ab), engine_, c + row * columns_);
      memory space(product->scratch, engine_, scratch + rounded_bytes_);
      product->primitive.execute(
          stream,
          {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, to}, {DNNL_ARG_SCRATCHPAD, space}});
      stream.wait();
      return true;
    };
    auto* const rounded = reinterpret_cast<BFloat*>(scratch);
    for (int64_t row = rows.begin; row < rows.end; row += kRows) {
      const int64_t count = std::min(kRows, rows.end - row);
      if (b.type == DType::F32 && b.stride == 1) {
        memory from(Desc({count, depth_}, Type::f32, {b.line_stride, 1}), engine_,
                    const_cast<std::byte*>(b.data + 4 * row * b.line_stride));
        memory to(Desc({count, depth_}, Type::bf16, Tag::ab), engine_, rounded);
        check_addresses();
        const dnnl::reorder::primitive_desc pd(from, to, own_scratch());
        if (pd.scratchpad_desc().get_size() > 0) return false;
        dnnl::reorder(pd).execute(stream, from, to);
      } else {
        for (int64_t r = 0; r < count; ++r) round(b, row + r, rounded + r * depth_);
      }
      if (!multiply(row, count, rounded)) return false;
    }
    return true;
  } catch (const dnnl::error&) {
    return false;
  }

 private:
  dnnl::matmul::primitive_desc described(int64_t rows, const Desc& weights) const {
    const dnnl::matmul::desc desc(Desc({rows, depth_}, kType, Tag::ab), weights,
                                  Desc({rows, columns_}, Type::f32, Tag::ab));
    return {desc, own_scratch(), engine_};
  }
  static bool fits_scratch(const dnnl::matmul::primitive_desc& pd) {
    return static_cast<Bytes>(pd.scratchpad_desc().get_size()) <= kLibraryScratch;
  }

  struct Made {
    dnnl::matmul primitive;
    Desc scratch;
  };
  // Primitives hold no data and may run on several threads at once, each with its own scratch. Null: it needs too much
  // scratch.
  const Made* made(int64_t rows) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [place, is_new] = made_.try_emplace(rows);
    if (is_new) {
      check_addresses();
      if (const auto pd = described(rows, weights_); fits_scratch(pd))
        place->second = std::make_unique<Made>(Made{dnnl::matmul(pd), pd.scratchpad_desc()});
    }
    return place->second.get();
  }
  void round(const Lines& b, int64_t row, BFloat* to) const {
    const std::byte* from = b.data + row * b.line_stride * element_bytes(b.type);
    alignas(64) float piece[kPiece];
    const bool plain = b.type == DType::F32 && b.stride == 1;
    for (int64_t k = 0; k < depth_; k += kPiece) {
      const int64_t n = std::min(kPiece, depth_ - k);
      const std::byte* at = from + k * b.stride * element_bytes(b.type);
      const float* x = plain ? reinterpret_cast<const float*>(at) : piece;
      if (!plain) loader<float>(b.type)(piece, at, b.stride, n);
      for (int64_t i = 0; i < n; ++i) to[k + i] = to_bfloat(x[i]);
    }
  }

  int64_t columns_, depth_;
  Bytes rounded_bytes_;
  dnnl::engine engine_;
  Desc weights_;
  bool useful_ = false;
  std::mutex mutex_;
  std::map<int64_t, std::unique_ptr<Made>> made_;
};

}  // namespace

std::unique_ptr<OnednnMatmul> make_onednn_matmul(const TensorImpl& node) try {
  if (!fits(node) || highest_level() < Level::Avx512) return nullptr;
  const OneThread one;
  auto product = std::make_unique<Product>(node);
  if (!product->useful()) return nullptr;
  return product;
} catch (const dnnl::error&) {
  return nullptr;
}

Bytes onednn_matmul_work(const TensorImpl& node) {
  return fits(node) && node.sources[0]->has(kFlagWeight) ? round_to_line(rounded_bytes(node) + kLibraryScratch) : 0;
}

}  // namespace arenascope::cpu
