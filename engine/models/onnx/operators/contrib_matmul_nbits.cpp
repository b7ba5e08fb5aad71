// SPDX-License-Identifier: MIT
// ONNX Runtime's own matmuls and gathers with weights of few bits.
#include <fmt/format.h>
#include "engine/models/onnx/operators/blockwise_weights.h"
#include "engine/models/onnx/operators/decompose.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace arenascope::models {
namespace {

// An accuracy level of 1 to 3 requires a floating-point operand; blocks use int8, as levels 0 and 4 permit.
bool wants_floats(OpCall& c) {
  const int64_t level = c.attr_int("accuracy_level", 0);
  return level >= 1 && level <= 3;
}

bool read_n_bits(OpCall& c, BlockwiseWeights& w) {
  w.rows = c.attr_int("N", 0), w.depth = c.attr_int("K", 0), w.block = c.attr_int("block_size", 0);
  w.bits = static_cast<int>(std::clamp<int64_t>(c.attr_int("bits", 4), 0, 99));
  if (c.attr_int("weight_prepacked", 0) != 0) c.fail("weight_prepacked is not supported: expected 0");
  if (w.block < 16 || (w.block & (w.block - 1)) != 0)
    c.fail(fmt::format("a block size of {} weights is not supported: expected a power of two from 16", w.block));
  if (!check_blocks(c, w)) return false;
  const int rank = c.rank(0);
  if (rank < 1 || c.sizes(0)[rank - 1] != w.depth)
    c.fail(fmt::format("the last dimension of the input {} does not match a weight of {} × {}", to_string(c.sizes(0)),
                       w.rows, w.depth));
  return c.ok();
}

// Zero points that all equal the middle are dropped.
void drop_middle(BlockwiseWeights& w) {
  if (std::all_of(w.zeros->begin(), w.zeros->end(), [&](float z) { return z == w.middle(); })) w.zeros = nullptr;
}

// A weight whose codes are unpacked at run time and whose columns name the block of their scale and zero point. Without
// `zero` [N, blocks, 1] the zero point is the middle.
Tensor grouped_weight(OpCall& c, const BlockwiseWeights& w, const Tensor& codes, const Tensor& zero) {
  const Tensor given = c.cast(c.in(4), DType::I64, ":groups_i64");
  if (!given || given->element_count() < w.depth) {
    c.fail(fmt::format("g_idx must have at least {} elements", w.depth));
    return {};
  }
  const Tensor all = c.reshape(given, {given->element_count()}, ":groups");
  const Tensor groups = c.op_with(Op::Clamp, {c.slice(all, 0, 0, w.depth, 1, ":groups_used")},
                                  ClampParams{0, static_cast<double>(w.blocks() - 1)}, ":groups_in");
  const auto of_column = [&](const Tensor& x, const char* suffix) {
    const Tensor rows = c.reshape(x, {w.rows, w.blocks()}, (std::string(suffix) + "_rows").c_str());
    return c.op_with(Op::Gather, {rows, groups}, AxisParams{1}, suffix);
  };
  const Tensor rows = c.reshape(codes, {w.rows, w.blocks() * w.block}, ":code_rows");
  const Tensor used = rows ? c.slice(rows, 1, 0, w.depth, 1, ":codes_used") : Tensor();
  const Tensor middle =
      zero ? of_column(zero, ":zero_of_column") : c.scalar(static_cast<double>(w.middle()), DType::F32, ":middle_code");
  return c.op(Op::Mul, {c.op(Op::Sub, {used, middle}, ":centred"), of_column(c.in_f32(2), ":scale_of_column")},
              ":weight");
}

// A weight that is known only at run time, unpacked there.
Tensor running_weight(OpCall& c, const BlockwiseWeights& w) {
  const Dims blocks{w.rows, w.blocks(), 1}, all{w.rows, w.blocks(), w.block};
  const Tensor bytes = c.reshape(c.in(1), {w.rows, w.blocks(), w.block * w.bits / 8}, ":bytes");
  Tensor codes = unpacked_codes(c, bytes, w.bits, ":codes");
  Tensor zero = c.scalar(static_cast<double>(w.middle()), DType::F32, ":middle");
  if (c.has(3)) {
    const bool packed = !info(c.value(3).dtype).floating;
    const int64_t row = (w.blocks() * w.bits + 7) / 8;
    Tensor zeros =
        packed ? unpacked_codes(c, c.reshape(c.in(3), {w.rows, row}, ":zero_bytes"), w.bits, ":zeros") : c.in_f32(3);
    if (zeros && packed) zeros = c.slice(zeros, 1, 0, w.blocks(), 1, ":zeros_used");
    zero = c.reshape(zeros, blocks, ":zero");
  }
  if (c.has(4)) return grouped_weight(c, w, codes, c.has(3) ? zero : Tensor());
  codes = c.op(Op::Sub, {codes, zero}, ":centred");
  const Tensor scaled = c.op(Op::Mul, {codes, c.reshape(c.in_f32(2), blocks, ":scale")}, ":weights");
  const Tensor rows = c.reshape(scaled, {w.rows, w.blocks() * w.block}, ":weight_rows");
  return rows ? c.slice(rows, 1, 0, w.depth, 1, ":weight") : Tensor();
}

void mat_mul_n_bits(OpCall& c) {
  BlockwiseWeights w;
  if (!read_n_bits(c, w)) return;
  const DType type = c.value(0).dtype;
  const Tensor x = c.in_f32(0), bias = c.has(5) ? c.in_f32(5) : Tensor();
  if (!x) return;
  const char* product = type == DType::F32 ? "" : ":product";
  if (!read_codes(c, 1, w)) return c.out(0, c.cast(c.mul_mat(running_weight(c, w), x, bias, 1, product), type));
  w.scales = std::make_shared<std::vector<float>>(known_floats(c, 2, w.rows * w.blocks()));
  if (c.ok() && c.has(3)) w.zeros = std::make_shared<std::vector<float>>(known_zeros(c, 3, w));
  if (c.ok() && c.has(4)) {
    const auto groups = c.ints(4);
    if (!groups || static_cast<int64_t>(groups->size()) < w.depth)
      return c.fail(fmt::format("g_idx must have at least {} elements", w.depth));
    w.groups.assign(groups->begin(), groups->begin() + w.depth);
    for (const int64_t g : w.groups)
      if (g < 0 || g >= w.blocks())
        return c.fail(fmt::format("the block index {} is out of range for {} blocks", g, w.blocks()));
  }
  if (!c.ok()) return;
  if (w.zeros) drop_middle(w);
  const auto blocks = wants_floats(c) ? std::nullopt : block_type(w);
  const Tensor weight = blocks_tensor(c, w, blocks.value_or(DType::F32), {w.rows, w.depth}, ":weight");
  if (!blocks || !w.zeros) return c.out(0, c.cast(c.mul_mat(weight, x, bias, 1, product), type));
  // The zero points subtract a multiple of each block's sum.
  Dims sizes = x.sizes();
  sizes[sizes.rank() - 1] = w.blocks();
  Dims split = sizes;
  split.push_back(w.block);
  if (sizes.rank() >= kMaxDims) return c.fail("its input has too many dimensions");
  const Tensor sums =
      c.op_with(Op::ReduceSum, {c.reshape(x, split, ":by_block")}, ReduceParams{1u << sizes.rank(), false}, ":sums");
  const Tensor taken = c.mul_mat(zeros_tensor(c, w, ":zeros"), sums, bias, 1, ":taken");
  c.out(0, c.cast(c.op(Op::Add, {c.mul_mat(weight, x, {}, 1, ":centred"), taken}, product), type));
}

// Rows of blocks by their index. The codes of few bits are unpacked of the rows that were taken.
void gather_blocks(OpCall& c) {
  const Tensor data = c.in(0);
  if (!data || data->rank() < 1) return c.fail("it has no rows");
  const int rank = data->rank(), axis = c.axis(c.attr_int("gather_axis", 0), rank);
  const int along = c.axis(c.attr_int("quantize_axis", 1), rank);
  const int64_t block = c.attr_int("block_size", 128);
  const bool packed = c.value(0).small == 0;
  const auto bits = static_cast<int>(packed ? std::clamp<int64_t>(c.attr_int("bits", 4), 0, 99) : 4);
  if (!c.ok()) return;
  if (axis == along) return c.fail("gathering along the quantised axis would split blocks");
  if (packed && (data.dtype() != DType::U8 || axis == rank - 1))
    return c.fail("its packed weight must be u8, gathered along another axis than the last");
  if ((bits != 2 && bits != 4 && bits != 8) || block < 1)
    return c.fail(fmt::format("blocks of {} weights of {} bits are not supported", block, bits));
  const auto taken = [&](size_t i, const char* suffix) {
    return lower_part(c, {"Gather", {source_of(c, i), source_of(c, 1)}, {{"axis", int_attribute(axis)}}, suffix});
  };
  const int place = along > axis ? along + c.rank(1) - 1 : along;
  const auto codes_of = [&](size_t i, const char* suffix) {
    const std::string at = suffix;
    const Tensor rows = taken(i, (at + "_taken").c_str());
    if (!rows) return Tensor();
    return packed ? unpacked_codes(c, rows, bits, suffix) : c.cast(rows, DType::F32, suffix);
  };
  Tensor codes = codes_of(0, ":codes"), zeros = c.has(3) ? codes_of(3, ":zeros") : Tensor();
  const Tensor scales = taken(2, ":scales");
  if (!codes || !scales || scales->rank() != codes->rank())
    return c.fail("its scales must have as many dimensions as its data");
  if (!c.has(3) && packed) codes = c.op(Op::Sub, {codes, c.scalar(1 << (bits - 1), DType::F32, ":middle")}, ":centred");
  if (zeros && zeros.sizes()[place] > scales.sizes()[place])  // the last byte of a row is not full
    zeros = c.slice(zeros, place, 0, scales.sizes()[place], 1, ":zeros_used");
  c.out(0, lower_part(c, {"DequantizeLinear",
                          {as_source(c, codes), as_source(c, scales), as_source(c, zeros)},
                          {{"axis", int_attribute(place)}, {"block_size", int_attribute(block)}}}));
}

// Code books of 4 bits: quantiles of a normal distribution, or 4-bit floats.
constexpr std::array<float, 16> kNormalFloat{
    -1.0f,      -0.6961928f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f, -0.09105004f, 0.0f,
    0.0795803f, 0.1609302f,  0.2461123f,   0.33791524f,  0.44070983f,  0.562617f,    0.72295684f,  1.0f};
constexpr std::array<float, 16> kFloat4{
    0.0f,  5.208333333e-03f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
    -0.0f, -5.208333333e-03f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};

void mat_mul_bnb4(OpCall& c) {
  BlockwiseWeights w;
  w.rows = c.attr_int("N", 0), w.depth = c.attr_int("K", 0), w.block = c.attr_int("block_size", 0);
  const int64_t kind = c.attr_int("quant_type", -1);
  if (kind != 0 && kind != 1) return c.fail(fmt::format("the quant_type {} is not supported: expected 0 or 1", kind));
  if (c.attr_int("transB", 1) == 0) return c.fail("transB 0 is not supported: expected 1");
  if (!check_blocks(c, w)) return;
  const Value& codes = c.value(1);
  const int64_t count = w.rows * w.depth;
  if (codes.kind != Value::Kind::Constant || codes.dtype != DType::U8 || element_count(codes.sizes) != (count + 1) / 2)
    return c.fail(fmt::format("its packed weight has the shape {}: expected a constant u8 tensor of {} elements",
                              to_string(codes.sizes), (count + 1) / 2));
  const auto largest = std::make_shared<std::vector<float>>(known_floats(c, 2, (count + w.block - 1) / w.block));
  if (!c.ok()) return;
  Value weight;
  weight.name = c.name_of(":weight");
  weight.kind = Value::Kind::Constant;
  weight.dtype = DType::F32;
  weight.sizes = {w.rows, w.depth};
  weight.source =
      WeightSource([source = codes.source, largest, kind, count, block = w.block](std::byte* out) -> Status {
        const auto plain = WeightReader::read(source, static_cast<size_t>((count + 1) / 2));
        if (!plain) return plain.error();
        const auto& table = kind == 1 ? kNormalFloat : kFloat4;
        for (int64_t i = 0; i < count; ++i) {
          const auto byte = static_cast<int>(plain->data()[i / 2]);
          const float value = table[static_cast<size_t>(i % 2 == 0 ? byte >> 4 : byte & 15)] *
                              (*largest)[static_cast<size_t>(i / block)];
          std::memcpy(out + i * 4, &value, 4);
        }
        return {};
      });
  Status status;
  const Tensor tensor = c.lowering().materialise(weight, status), x = c.in_f32(0);
  if (!status.ok()) return c.fail(status.error().message);
  const DType type = c.value(0).dtype;
  c.out(0, c.cast(c.mul_mat(tensor, x, {}, 1, type == DType::F32 ? "" : ":product"), type));
}

constexpr HandlerEntry kContribBlocks[] = {
    {"com.microsoft::GatherBlockQuantized", gather_blocks},
    {"com.microsoft::MatMulBnb4", mat_mul_bnb4},
    {"com.microsoft::MatMulNBits", mat_mul_n_bits},
};

}  // namespace

std::span<const HandlerEntry> contrib_matmul_nbits_handlers() { return kContribBlocks; }

}  // namespace arenascope::models
