// SPDX-License-Identifier: MIT
// ggml's tensor types: every type can be inspected.
#include "engine/models/gguf/ggml_types.h"
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
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
    CHECK(refused.error().message.find("'w' is of type " + std::to_string(code)) != std::string::npos);
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
