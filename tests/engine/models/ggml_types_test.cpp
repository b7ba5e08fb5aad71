// SPDX-License-Identifier: MIT
// ggml's tensor types: every type can be inspected; those without kernels are loaded with the bits of ggml's dequantize_row_*.
#include "engine/models/gguf/ggml_types.h"
#include <arenascope/models/host_array.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "engine/models/gguf/gguf.h"
#include "gguf_maker.h"

using namespace arenascope;
using namespace arenascope::models;
using arenascope::models::test::GgufMaker;

namespace {

// ggml.c, type_traits: code, elements of a block, bytes of a block.
struct KnownType {
  uint32_t code;
  const char* name;
  int64_t elements, bytes;
};
constexpr KnownType kKnownTypes[] = {
    {0, "f32", 1, 4},         {1, "f16", 1, 2},         {2, "q4_0", 32, 18},      {3, "q4_1", 32, 20},
    {6, "q5_0", 32, 22},      {7, "q5_1", 32, 24},      {8, "q8_0", 32, 34},      {9, "q8_1", 32, 36},
    {10, "q2_k", 256, 84},    {11, "q3_k", 256, 110},   {12, "q4_k", 256, 144},   {13, "q5_k", 256, 176},
    {14, "q6_k", 256, 210},   {15, "q8_k", 256, 292},   {16, "iq2_xxs", 256, 66}, {17, "iq2_xs", 256, 74},
    {18, "iq3_xxs", 256, 98}, {19, "iq1_s", 256, 50},   {20, "iq4_nl", 32, 18},   {21, "iq3_s", 256, 110},
    {22, "iq2_s", 256, 82},   {23, "iq4_xs", 256, 136}, {24, "i8", 1, 1},         {25, "i16", 1, 2},
    {26, "i32", 1, 4},        {27, "i64", 1, 8},        {28, "f64", 1, 8},        {29, "iq1_m", 256, 56},
    {30, "bf16", 1, 2},       {34, "tq1_0", 256, 54},   {35, "tq2_0", 256, 66},   {39, "mxfp4", 32, 17},
    {40, "nvfp4", 64, 36},    {41, "q1_0", 128, 18},    {42, "q2_0", 64, 18},
};

// The expected values are those of the Python package gguf 0.19 (for q1_0 and q2_0, of ggml's C code).
struct KnownBlock {
  uint32_t code;
  int scale;      // offset of a float16 scale that is set to 0.1; -1: none; -2: the spread scale of iq1_m
  uint64_t hash;  // FNV-1a of all values as float32
  std::vector<float> first;
};
const std::vector<KnownBlock>& known_blocks() {
  static const std::vector<KnownBlock> blocks{
      {16, 0, 0xee3fde478dcb5ad5, {-1.699585F, 1.699585F, -1.699585F, -5.311203F, -1.699585F, -1.699585F}},
      {17, 0, 0x2eabd03713ae47aa, {0.6998291F, -0.6998291F, -2.186966F, 2.186966F, 0.6998291F, -3.7615814F}},
      {18, 0, 0xb78dd9d51e824f60, {-10.847351F, 0.6998291F, -4.8988037F, -0.6998291F, -9.097778F, 6.298462F}},
      {19, 0, 0xdb5caf7f1a0cfeba, {0.06248474F, 0.06248474F, 0.06248474F, -0.4373932F, 0.06248474F, 0.06248474F}},
      {20, 0, 0x7850d54adefc61b3, {-6.498413F, 0.099975586F, -2.199463F, -6.498413F, -2.199463F, -2.199463F}},
      {21, 0, 0x7fe0ed698688d608, {-0.099975586F, 0.099975586F, 0.49987793F, -0.6998291F, 0.099975586F, 0.29992676F}},
      {22, 0, 0x96da46637b2f2970, {-14.508957F, -8.43544F, 14.508957F, -2.6993408F, -2.6993408F, -2.6993408F}},
      {23, 0, 0x61b58b42fcd74a2c, {34.991455F, 9.997559F, -37.990723F, -52.98706F, 48.988037F, 21.994629F}},
      {29, -2, 0x5940cc59ba051a45, {-1.462143F, -0.16246033F, 1.1372223F, -0.16246033F, -0.16246033F, 1.1372223F}},
      {34, 52, 0xb12d95108afbb0cd, {-0.099975586F, 0.0F, -0.099975586F, 0.099975586F, -0.099975586F, -0.099975586F}},
      {35, 64, 0xdea6d781799458ff, {0.19995117F, -0.099975586F, -0.099975586F, 0.099975586F, 0.0F, 0.099975586F}},
      {39, -1, 0x9e2d1f864e1cfd65, {0.0F, 3.2526065e-19F, -2.1684043e-19F, 0.0F, 0.0F, 6.505213e-19F}},
      {40, -1, 0x74d8e179a6ce769c, {-2.0F, 12.0F, 6.0F, -1.0F, -3.0F, 1.0F}},
      {41,
       0,
       0x047ac4ecdd0bc725,
       {-0.099975586F, -0.099975586F, 0.099975586F, -0.099975586F, -0.099975586F, 0.099975586F}},
      {42, 0, 0x2ffd65a8c9435317, {0.19995117F, -0.099975586F, 0.0F, 0.099975586F, -0.099975586F, 0.099975586F}},
  };
  return blocks;
}

std::vector<std::byte> made_block(const KnownBlock& known) {
  std::vector<std::byte> block(static_cast<size_t>(ggml_type(known.code)->block_bytes));
  uint32_t state = known.code;
  for (std::byte& byte : block) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::byte>(state >> 24);
  }
  const uint16_t tenth = float_to_half(0.1F);
  if (known.scale >= 0) std::memcpy(block.data() + known.scale, &tenth, 2);
  if (known.scale == -2)
    for (size_t i = 0; i < 4; ++i)
      block[49 + 2 * i] = (block[49 + 2 * i] & std::byte{15}) | static_cast<std::byte>((tenth >> (4 * i) & 15) << 4);
  return block;
}

// The values of a weight of one of the types that blocks are loaded as.
std::vector<float> values_of(DType type, const std::vector<std::byte>& bytes) {
  const DTypeInfo& t = info(type);
  std::vector<float> out(bytes.size() / static_cast<size_t>(t.block_bytes) * static_cast<size_t>(t.block_elements));
  const auto half_at = [&](size_t at) {
    uint16_t bits;
    std::memcpy(&bits, bytes.data() + at, 2);
    return bits;
  };
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t block = i / 32, k = i % 32;
    switch (type) {
      case DType::F32: std::memcpy(&out[i], bytes.data() + 4 * i, 4); break;
      case DType::BF16: out[i] = bfloat_to_float(half_at(2 * i)); break;
      case DType::Q8_0:
        out[i] =
            half_to_float(half_at(34 * block)) * static_cast<float>(static_cast<int8_t>(bytes[34 * block + 2 + k]));
        break;
      case DType::Q4_0: {
        const auto pair = static_cast<int>(bytes[18 * block + 2 + k % 16]);
        out[i] = half_to_float(half_at(18 * block)) * static_cast<float>((k < 16 ? pair & 15 : pair >> 4) - 8);
        break;
      }
      case DType::Q6_K: {
        const std::byte* at = bytes.data() + 210 * (i / 256);
        const size_t half_block = i % 256 / 128, r = i % 128;
        const int low = static_cast<int>(at[64 * half_block + r % 64]) >> (r / 64 * 4) & 15;
        const int high = static_cast<int>(at[128 + 32 * half_block + r % 32]) >> (r / 32 * 2) & 3;
        out[i] = half_to_float(half_at(210 * (i / 256) + 208)) *
                 static_cast<float>(static_cast<int8_t>(at[192 + i % 256 / 16])) *
                 static_cast<float>(low + 16 * high - 32);
        break;
      }
      default: FAIL("blocks are not loaded as " << t.name);
    }
  }
  return out;
}

std::vector<float> loaded_values(const StoredType& type, const std::vector<std::byte>& stored) {
  const auto file = MappedFile::copy_of(stored);
  const WeightSource source = loaded_source(type, WeightSource(file->bytes(), file), static_cast<Bytes>(stored.size()));
  const DTypeInfo& to = info(*type.loaded_as);
  std::vector<std::byte> out(stored.size() / static_cast<size_t>(type.block_bytes) *
                             static_cast<size_t>(type.block_elements / to.block_elements * to.block_bytes));
  const Status written = source.write(out.data());
  REQUIRE_MESSAGE(written.ok(), (written.ok() ? "" : written.error().message));
  return values_of(*type.loaded_as, out);
}

// A file of that name in the temporary folder, opened as a model.
Result<Model> opened(const GgufMaker& maker) {
  const auto path = std::filesystem::temp_directory_path() / "arenascope_ggml_types_test.gguf";
  const auto bytes = maker.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  auto model = open_model(path.string());
  std::filesystem::remove(path);
  return model;
}

}  // namespace

TEST_CASE("every type of ggml can be inspected") {
  GgufMaker maker;
  maker.text("general.architecture", "none");
  Bytes total = 0;
  for (const KnownType& known : kKnownTypes) {
    const int64_t bytes = 512 / known.elements * known.bytes;
    maker.tensor(known.name, {2, 256}, known.code, std::vector<std::byte>(static_cast<size_t>(bytes)));
    total += bytes;
  }
  auto model = opened(maker);
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  CHECK_FALSE(model->runnable());
  CHECK(model->metadata_keys == 1);
  CHECK(model->parameter_bytes == total);
  REQUIRE(model->file_tensors.size() == std::size(kKnownTypes));
  for (size_t i = 0; i < std::size(kKnownTypes); ++i) {
    const KnownType& known = kKnownTypes[i];
    const FileTensor& tensor = model->file_tensors[i];
    CAPTURE(known.name);
    CHECK(tensor.type == known.name);
    CHECK(to_string(tensor.sizes) == "[2, 256]");
    CHECK(tensor.bytes == 512 / known.elements * known.bytes);
    CHECK(tensor.loaded_as.has_value() == (tensor.type != "q8_1" && tensor.type != "q8_k"));
    if (const auto native = parse_dtype(known.name)) {
      CHECK(tensor.loaded_as == native);
      CHECK(gguf_type(*native) == known.code);
      CHECK(info(*native).block_elements == known.elements);
      CHECK(info(*native).block_bytes == known.bytes);
    }
  }
  for (const uint32_t code : {4, 5, 31, 32, 33, 36, 37, 38, 43, 99}) {  // removed, or not yet known
    auto refused = GgufFile::parse(GgufMaker().tensor("w", {1, 32}, code, std::vector<std::byte>(64)).bytes());
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.find("'w' has type " + std::to_string(code)) != std::string::npos);
  }
}

TEST_CASE("a type that cannot be run is named with its tensor") {
  const std::string why = "tensor 'fc1.bias' is of type q8_1, which can be inspected but not run";
  const auto problems_of = [](const char* architecture) {
    auto model = opened(GgufMaker()
                            .text("general.architecture", architecture)
                            .tensor("fc1.weight", {32, 784}, std::vector<float>(32 * 784))
                            .tensor("fc1.bias", {32}, 9, std::vector<std::byte>(36))
                            .tensor("fc2.bias", {32}, 9, std::vector<std::byte>(36)));
    REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
    CHECK_FALSE(model->runnable());
    CHECK(model->file_tensors.size() == 3);
    return model->problems;
  };
  const auto of_model = problems_of("mnist-fc"), of_unknown = problems_of("other");
  REQUIRE(of_model.size() == 1);
  CHECK(of_model[0].ends_with(why));
  REQUIRE(of_unknown.size() == 2);
  CHECK(of_unknown[1] == why);
}

TEST_CASE("a tensor with a factor of its own is refused") {
  auto model = opened(GgufMaker()
                          .text("general.architecture", "mnist-fc")
                          .tensor("fc1.weight", {32, 784}, std::vector<float>(32 * 784))
                          .tensor("fc1.scale", {1}, std::vector<float>{2}));
  REQUIRE(model.ok());
  REQUIRE(model->problems.size() == 1);
  CHECK(model->problems[0].ends_with("tensor 'fc1.scale' scales 'fc1.weight', which is not supported"));
}

TEST_CASE("types without kernels are loaded with the bits of ggml") {
  size_t converted = 0;
  for (const KnownType& known : kKnownTypes) converted += ggml_type(known.code)->convert != nullptr;
  CHECK(known_blocks().size() == converted);
  for (const KnownBlock& known : known_blocks()) {
    const StoredType& type = *ggml_type(known.code);
    CAPTURE(type.name);
    const std::vector<std::byte> block = made_block(known);
    const std::vector<float> values = loaded_values(type, block);
    REQUIRE(values.size() == static_cast<size_t>(type.block_elements));
    for (size_t i = 0; i < known.first.size(); ++i) CHECK(values[i] == known.first[i]);
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < 4 * values.size(); ++i)
      hash = (hash ^ reinterpret_cast<const unsigned char*>(values.data())[i]) * 0x100000001b3;
    CHECK(hash == known.hash);
    std::vector<std::byte> three;
    for (int i = 0; i < 3; ++i) three.insert(three.end(), block.begin(), block.end());
    const std::vector<float> more = loaded_values(type, three);
    REQUIRE(more.size() == 3 * values.size());
    CHECK(std::equal(values.begin(), values.end(), more.end() - static_cast<std::ptrdiff_t>(values.size())));
  }
}

TEST_CASE("extreme scales of mxfp4 and nvfp4") {
  std::vector<std::byte> block(17, std::byte{0xF7});  // low nibble 7: 12, high nibble 15: -12
  const auto first = [&](int exponent) {
    block[0] = static_cast<std::byte>(exponent);
    return loaded_values(*ggml_type(39), block).front();
  };
  CHECK(first(0) == std::ldexp(12.0F, -128));
  CHECK(first(1) == std::ldexp(12.0F, -127));
  CHECK(first(2) == std::ldexp(12.0F, -126));
  CHECK(first(254) == std::numeric_limits<float>::infinity());
  CHECK(first(252) == std::ldexp(12.0F, 124));
  std::vector<std::byte> four(36, std::byte{0xF7});
  four[0] = std::byte{0x7F}, four[1] = std::byte{0x7E}, four[2] = std::byte{1}, four[3] = std::byte{0};
  const auto values = loaded_values(*ggml_type(40), four);
  CHECK(values[0] == 0);
  CHECK(values[16] == 12 * 224);
  CHECK(values[32 + 8] == std::ldexp(-12.0F, -10));
  CHECK(values[48] == 0);
}
