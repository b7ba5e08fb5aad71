// SPDX-License-Identifier: MIT
// A quantised block field by field and bit by bit. The layouts are ggml's (ggml-common.h: block_q4_0, block_q8_0,
// block_q4_K).
#include <arenascope/lesson/stage.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/parse_graph.h"
#include "engine/lesson/quantise.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

struct Field {
  int64_t bit = 0, bits = 0;
  CellKind kind = CellKind::Value;
  int element = -1;  // whose integer it is; -1: a scale or minimum
};

std::vector<Field> fields_of(DType type) {
  std::vector<Field> out{{0, 16, CellKind::Scale}};
  if (type == DType::Q8_0) {
    for (int i = 0; i < 32; ++i) out.push_back({16 + 8 * i, 8, CellKind::Value, i});
  } else if (type == DType::Q4_0) {
    for (int i = 0; i < 16; ++i)
      for (int half = 0; half < 2; ++half) out.push_back({16 + 8 * i + 4 * half, 4, CellKind::Value, i + 16 * half});
  } else {
    out.push_back({16, 16, CellKind::Scale});
    for (int byte = 4; byte < 16; ++byte) out.push_back({8 * byte, 8, CellKind::Scale});
    for (int byte = 0; byte < 128; ++byte)
      for (int half = 0; half < 2; ++half)
        out.push_back({8 * (16 + byte) + 4 * half, 4, CellKind::Value, byte / 32 * 64 + 32 * half + byte % 32});
  }
  return out;
}

int64_t integer_of(const std::vector<std::byte>& block, const Field& field, bool is_signed) {
  uint32_t bits = 0;
  for (int64_t i = 0; i < field.bits; ++i) {
    const int64_t at = field.bit + i;
    bits |= (std::to_integer<uint32_t>(block[static_cast<size_t>(at / 8)]) >> (at % 8) & 1) << i;
  }
  return is_signed ? static_cast<int8_t>(bits) : static_cast<int64_t>(bits);
}

// The bytes of a field, the most significant bit first.
LensStrip bit_strip(const std::vector<std::byte>& block, const Field& field) {
  const int64_t first = field.bit / 8, last = (field.bit + field.bits - 1) / 8;
  LensStrip strip{"bits", LensUnit::Bits, (last - first + 1) * 8, {}};
  for (int64_t i = 0; i < strip.length; ++i) {
    const int64_t byte = last - i / 8, bit = 7 - i % 8, at = byte * 8 + bit;
    const bool set = (std::to_integer<int>(block[static_cast<size_t>(byte)]) >> bit & 1) != 0;
    const bool own = at >= field.bit && at < field.bit + field.bits;
    strip.cells.push_back({i, 1, own ? field.kind : CellKind::Free, set ? "1" : "0", own, -1});
  }
  return strip;
}

struct Block {
  DType type;
  std::vector<float> values, restored;
  std::vector<std::byte> bytes;
  std::vector<Field> fields;
};

LensFrame frame_of(const Block& block, size_t current) {
  LensStrip strip{"block", LensUnit::Bits, static_cast<int64_t>(block.bytes.size()) * 8, {}};
  const bool is_signed = block.type == DType::Q8_0;
  for (size_t i = 0; i < block.fields.size(); ++i) {
    const Field& f = block.fields[i];
    const std::string label = f.element < 0 ? "" : std::to_string(integer_of(block.bytes, f, is_signed));
    strip.cells.push_back({f.bit, f.bits, f.kind, label, i == current, -1});
  }
  LensFrame frame;
  frame.strips.push_back(std::move(strip));
  if (current >= block.fields.size()) return frame;
  const Field& field = block.fields[current];
  frame.strips.push_back(bit_strip(block.bytes, field));
  const int64_t integer = integer_of(block.bytes, field, is_signed && field.element >= 0);
  frame.values = {{"bit", static_cast<double>(field.bit)}, {"integer", static_cast<double>(integer)}};
  if (field.element < 0) {
    frame.event = LensEvent::Scale;
    frame.arguments = {std::to_string(field.bit / 8), std::to_string(field.bits), fmt::format("{:#x}", integer)};
    return frame;
  }
  const auto element = static_cast<size_t>(field.element);
  frame.event = LensEvent::Quantised;
  frame.arguments = {std::to_string(element), std::to_string(integer), fmt::format("{:.4g}", block.restored[element]),
                     fmt::format("{:.4g}", block.values[element])};
  frame.values["value"] = block.values[element];
  frame.values["restored"] = block.restored[element];
  frame.values["error"] = block.restored[element] - block.values[element];
  return frame;
}

// Restored by the engine's own CAST.
Result<std::vector<float>> restored_by_cast(const std::string& type, size_t elements, const std::string& values) {
  Lesson lesson;
  lesson.file = "values";
  lesson.title = "byte lens";
  for (const std::string& text :
       {fmt::format("x = input f32 1 {} :{}", elements, values),
        fmt::format("q = weight {} 1 {} : of x", type, elements), std::string("r = CAST q f32")}) {
    auto line = parse_graph_line(text, lesson.graph);
    if (!line) return line.error();
    lesson.graph.push_back(std::move(*line));
  }
  auto read = read_values(lesson, "", {"r"});
  return read ? Result<std::vector<float>>(std::move(read->begin()->second)) : Result<std::vector<float>>(read.error());
}

LensFrames block(LensRun& run) {
  const std::string& name = lens_value(run, "type");
  const auto type = parse_dtype(name);
  if (type != DType::Q4_0 && type != DType::Q8_0 && type != DType::Q4_K)
    return lens_expected(run, "type", "q4_0, q8_0, q4_k", name);
  Block block{*type, {}, {}, {}, fields_of(*type)};
  const std::vector<std::string> given = split(lens_value(run, "values"), " ,");
  const auto elements = static_cast<size_t>(info(*type).block_elements);
  std::string text;
  for (size_t i = 0; i < elements; ++i) {
    const auto value = given.empty() ? std::nullopt : number(given[i % given.size()]);
    if (!value) return lens_expected(run, "values", "-1.5 0.25 …", lens_value(run, "values"));
    block.values.push_back(static_cast<float>(*value));
    text += fmt::format(" {}", *value);
  }
  auto bytes = quantise(*type, block.values);
  if (!bytes) return bytes.error();
  block.bytes = std::move(*bytes);
  auto restored = restored_by_cast(name, elements, text);
  if (!restored) return restored.error();
  block.restored = std::move(*restored);
  std::vector<LensFrame> frames{frame_of(block, block.fields.size())};
  for (size_t i = 0; i < block.fields.size(); ++i) frames.push_back(frame_of(block, i));
  return frames;
}

constexpr LensParameter kBlock[] = {{"type", "q8_0"}, {"values", "-1.125 0.5 1 -0.25 0.75"}};
constexpr LensExperiment kBlockLenses[] = {
    {"block", "the fields of a quantised block, bit by bit; the values are repeated to fill the block", kBlock, block},
};

}  // namespace

std::span<const LensExperiment> block_lenses() { return kBlockLenses; }

}  // namespace arenascope::lesson
