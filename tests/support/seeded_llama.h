// SPDX-License-Identifier: GPL-3.0-or-later
// A small llama with seeded weights: blocks of a quantised type with uniformly distributed codes, scaled to a standard
// deviation of 1 / sqrt(width); or floats with that deviation.
#pragma once
#include <cmath>
#include <functional>
#include <random>

#include "tests/engine/models/gguf_maker.h"

namespace arenascope::test {

struct QuantType {
  const char* name;
  uint32_t number;               // ggml's
  int64_t weights, bytes;        // size of a block
  int64_t scale, least;          // byte offsets of its float16 scale and minimum; -1: it has none
  double deviation, min_factor;  // of weights at a scale of 1; the least that makes their mean 0
};

// Layouts as in ggml's ggml-common.h. Deviations are those of products of uniform integers.
inline constexpr QuantType kQuantTypes[] = {
    {"Q4_0", 2, 32, 18, 0, -1, 4.64, 0},      {"Q4_1", 3, 32, 20, 0, 2, 4.61, -7.5},
    {"Q5_0", 6, 32, 22, 0, -1, 9.25, 0},      {"Q5_1", 7, 32, 24, 0, 2, 9.23, -15.5},
    {"Q8_0", 8, 32, 34, 0, -1, 73.9, 0},      {"Q2_K", 10, 256, 84, 80, 82, 13.9, 1.5},
    {"Q3_K", 11, 256, 110, 108, -1, 43.3, 0}, {"Q4_K", 12, 256, 144, 0, 2, 258, 7.5},
    {"Q5_K", 13, 256, 176, 0, 2, 527, 15.5},  {"Q6_K", 14, 256, 210, 208, -1, 1366, 0},
};

inline constexpr QuantType kF32{"F32", 0, 1, 4, -1, -1, 1, 0}, kF16{"F16", 1, 1, 2, -1, -1, 1, 0};

inline void put_half(std::vector<std::byte>& to, size_t at, double value) {
  const auto half = static_cast<_Float16>(value);
  std::memcpy(to.data() + at, &half, sizeof half);
}

inline std::vector<std::byte> seeded_blocks(const QuantType& type, int64_t weights, double deviation,
                                            std::mt19937_64& random) {
  std::vector<std::byte> out(static_cast<size_t>(weights / type.weights * type.bytes));
  if (type.weights == 1) {
    for (size_t at = 0; at < out.size(); at += static_cast<size_t>(type.bytes)) {
      const auto value =
          static_cast<float>(deviation * (static_cast<double>(random() >> 11) / 0x1p52 - 1) * std::sqrt(3.0));
      if (type.bytes == 4)
        std::memcpy(out.data() + at, &value, sizeof value);
      else
        put_half(out, at, static_cast<double>(value));
    }
    return out;
  }
  for (std::byte& b : out) b = static_cast<std::byte>(random());
  const double scale = deviation / type.deviation;
  for (size_t at = 0; at < out.size(); at += static_cast<size_t>(type.bytes)) {
    put_half(out, at + static_cast<size_t>(type.scale), scale);
    if (type.least >= 0) put_half(out, at + static_cast<size_t>(type.least), scale * type.min_factor);
  }
  return out;
}

struct LlamaSizes {
  uint32_t layers = 2, width = 256, inner = 512, heads = 4, vocabulary = 64;
};

// `as`, if it has a function, converts the blocks of the matrices to another type.
struct StoredAs {
  uint32_t number = 0;  // ggml's
  std::function<std::vector<std::byte>(const std::vector<std::byte>& blocks)> convert;
};

inline std::vector<std::byte> seeded_llama(const QuantType& type, const LlamaSizes& s, uint64_t seed,
                                           const StoredAs& as = {}) {
  std::mt19937_64 random(seed);
  models::test::GgufMaker out;
  out.text("general.architecture", "llama").text("general.name", "seeded");
  out.integer("llama.context_length", 64).integer("llama.embedding_length", s.width);
  out.integer("llama.block_count", s.layers).integer("llama.feed_forward_length", s.inner);
  out.integer("llama.attention.head_count", s.heads).integer("llama.attention.head_count_kv", s.heads);
  out.number("llama.attention.layer_norm_rms_epsilon", 1e-5F).integer("llama.rope.dimension_count", s.width / s.heads);
  out.number("llama.rope.freq_base", 10000).integer("llama.vocab_size", s.vocabulary);
  out.text("tokenizer.ggml.model", "no_vocab");
  const auto matrix = [&](const std::string& name, int64_t rows, int64_t columns) {
    auto blocks = seeded_blocks(type, rows * columns, 1 / std::sqrt(static_cast<double>(columns)), random);
    if (as.convert) blocks = as.convert(blocks);
    out.tensor(name, {rows, columns}, as.convert ? as.number : type.number, std::move(blocks));
  };
  const auto ones = [&](const std::string& name) {
    out.tensor(name, {int64_t{s.width}}, std::vector<float>(s.width, 1.0F));
  };
  matrix("token_embd.weight", s.vocabulary, s.width);
  for (uint32_t i = 0; i < s.layers; ++i) {
    const std::string at = "blk." + std::to_string(i) + ".";
    ones(at + "attn_norm.weight"), ones(at + "ffn_norm.weight");
    for (const char* name : {"attn_q.weight", "attn_k.weight", "attn_v.weight", "attn_output.weight"})
      matrix(at + name, s.width, s.width);
    matrix(at + "ffn_gate.weight", s.inner, s.width), matrix(at + "ffn_up.weight", s.inner, s.width);
    matrix(at + "ffn_down.weight", s.width, s.inner);
  }
  ones("output_norm.weight");
  matrix("output.weight", s.vocabulary, s.width);
  return out.bytes();
}

}  // namespace arenascope::test
