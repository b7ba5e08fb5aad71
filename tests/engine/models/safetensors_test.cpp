// SPDX-License-Identifier: MIT
#include "engine/models/safetensors.h"
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "mutants.h"

using namespace arenascope;
using namespace arenascope::models;

namespace {

std::vector<std::byte> file_of(const std::string& table, size_t data) {
  std::vector<std::byte> bytes(8 + table.size() + data);
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(uint64_t{table.size()} >> (8 * i));
  std::memcpy(bytes.data() + 8, table.data(), table.size());
  for (size_t i = 0; i < data; ++i) bytes[8 + table.size() + i] = static_cast<std::byte>(i);
  return bytes;
}

const std::string kGood =
    R"({"__metadata__":{"format":"pt","who \"\u00e9\ud83d\ude00\"":"x"},)"
    R"("b":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]},)"
    R"( "a" : { "shape" : [ ] , "data_offsets" : [0, 8], "dtype" : "I64" },)"
    R"("empty":{"dtype":"BF16","shape":[4,0],"data_offsets":[32,32]},"f8":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[32,35]}}   )";
constexpr size_t kGoodData = 35;

std::string unsupported_reason(const std::string& table, size_t data) {
  const auto bytes = file_of(table, data);
  auto file = SafetensorsFile::parse(bytes);
  REQUIRE_FALSE(file.ok());
  return file.error().message;
}

std::string one(const std::string& entry) { return R"({"w":{)" + entry + "}}"; }

}  // namespace

TEST_CASE("a safetensors file is read by offset, with its metadata") {
  const auto bytes = file_of(kGood, kGoodData);
  auto file = SafetensorsFile::parse(bytes);
  if (!file) FAIL(file.error().message);
  REQUIRE(file->tensors().size() == 4);
  CHECK(file->tensors()[0].name == "a");
  CHECK(file->tensors()[0].sizes.rank() == 0);
  CHECK(file->tensors()[1].sizes == Dims{2, 3});
  CHECK(native_dtype(*file->tensors()[1].type) == DType::F32);
  CHECK(file->tensors()[1].bytes[0] == std::byte{8});
  CHECK(file->find("empty")->bytes.empty());
  CHECK(file->find("f8")->type->name == std::string("F8_E4M3"));
  CHECK_FALSE(native_dtype(*file->find("f8")->type));
  CHECK(file->find("none") == nullptr);
  REQUIRE(file->metadata().size() == 2);
  CHECK(file->metadata()[1].first == "who \"\xC3\xA9\xF0\x9F\x98\x80\"");
}

TEST_CASE("invalid safetensors files are errors, and their sizes are checked") {
  std::vector<std::byte> tiny(5);
  CHECK_FALSE(SafetensorsFile::parse(tiny).ok());
  auto huge = file_of("{}", 0);
  huge[6] = std::byte{0x7F};
  CHECK(SafetensorsFile::parse(huge).error().message.find("claims a table of") != std::string::npos);
  CHECK(unsupported_reason("[]", 0).find("not a safetensors file") != std::string::npos);
  CHECK(unsupported_reason("{} x", 0).find("unexpected data after the header") != std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"), 4)
            .find("'w' has 4 bytes for a shape of 8") != std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"), 4)
            .find("claims the bytes 0 to 8 of 4") != std::string::npos);
  CHECK(
      unsupported_reason(one(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), 8).find("claims the bytes 8 to 0") !=
      std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"), 9).find("cover 8 of 9 bytes") !=
        std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"F32","shape":[2],"data_offsets":[1,9])"), 9)
            .find("the tensor before it ends at 0") != std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"Q9","shape":[2],"data_offsets":[0,8])"), 8).find("type 'Q9'") !=
        std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), 8).find("integer") !=
        std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"F32","shape":[4611686018427387904,16],"data_offsets":[0,8])"), 8)
            .find("'w'") != std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4])"), 4).find("'w'") !=
        std::string::npos);
  CHECK(unsupported_reason(one(R"("dtype":"F32","shape":[1])"), 4).find("not all of") != std::string::npos);
  CHECK(
      unsupported_reason(
          R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
          0)
          .find("duplicated") != std::string::npos);
  CHECK(unsupported_reason(R"({"\ud800":{}})", 0).find("unpaired surrogate") != std::string::npos);
}

TEST_CASE("every type of safetensors is shown by its name") {
  const std::pair<const char*, int64_t> types[] = {
      {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
      {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
      {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}};
  for (const auto& [type, bits] : types) {
    CAPTURE(type);
    const auto size = static_cast<size_t>(24 * bits / 8);
    const std::string table = one(fmt::format(R"("dtype":"{}","shape":[3,8],"data_offsets":[0,{}])", type, size));
    auto file = SafetensorsFile::parse(file_of(table, size));
    REQUIRE_MESSAGE(file.ok(), (file.ok() ? "" : file.error().message));
    const StoredType& found = *file->find("w")->type;
    std::string expected = type;
    if (native_dtype(found))
      for (char& c : expected) c = static_cast<char>(std::tolower(c));
    CHECK(found.name == expected);
    CHECK(file->find("w")->bytes.size() == size);
    CHECK(unsupported_reason(table, size + 1).find(fmt::format("cover {} of {} bytes", size, size + 1)) !=
          std::string::npos);
  }
  CHECK(unsupported_reason(one(R"("dtype":"F4","shape":[3],"data_offsets":[0,2])"), 2).find("multiple of 2") !=
        std::string::npos);
}

TEST_CASE("null metadata and fields without a meaning are skipped") {
  const auto parsed = [](const std::string& table, size_t data) {
    return SafetensorsFile::parse(file_of(table, data));
  };
  CHECK(parsed(R"({"__metadata__":null})", 0).ok());
  CHECK(parsed(R"({"__metadata__" : null , "w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1).ok());
  auto file = parsed(
      one(R"("dtype":"U8","more":{"a":[1,null,{"b":"}"}],"c":-1.5e3},"shape":[1],"x":true,"data_offsets":[0,1])"), 1);
  REQUIRE_MESSAGE(file.ok(), (file.ok() ? "" : file.error().message));
  CHECK(file->find("w")->bytes.size() == 1);
  CHECK_FALSE(parsed(R"({"__metadata__":nul})", 0).ok());
  CHECK_FALSE(parsed(R"({"__metadata__":{"a":null}})", 0).ok());
  CHECK_FALSE(parsed(R"({"__metadata__":null,"__metadata__":null})", 0).ok());
  CHECK_FALSE(parsed(one(R"("dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1])"), 1).ok());
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  CHECK(unsupported_reason(one(R"("more":)" + deep), 0).find("too deeply") != std::string::npos);
}

TEST_CASE("mutated safetensors files") {
  const auto seed = file_of(kGood, kGoodData);
  models::test::Mutator mutator(11);
  int accepted = 0;
  for (int i = 0; i < models::test::mutant_count(); ++i) {
    const auto bytes = mutator.mutate(seed);
    auto file = SafetensorsFile::parse(bytes);
    if (!file) {
      REQUIRE(!file.error().message.empty());
      continue;
    }
    ++accepted;
    unsigned sum = 0;  // all that the file promises can be read
    size_t total = 0;
    for (const StoredTensor& tensor : file->tensors()) {
      for (std::byte b : tensor.bytes) sum += static_cast<unsigned>(b);
      total += tensor.bytes.size();
    }
    CHECK(sum < ~0u);
    CHECK(total <= bytes.size());
  }
  CHECK(accepted > 0);
  CHECK(accepted < models::test::mutant_count());
}

TEST_CASE("a safetensors file opens as a model with its tensors") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("arenascope-{}.safetensors", fmt::ptr(&kGood));
  const auto bytes = file_of(kGood, kGoodData);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  auto model = open_model(path.string());
  std::filesystem::remove(path);
  if (!model) FAIL(model.error().message);
  CHECK(model->format == "safetensors");
  CHECK_FALSE(model->runnable());
  CHECK(model->parameter_bytes == static_cast<Bytes>(kGoodData));
  CHECK(model->metadata_keys == 2);
  REQUIRE(model->file_tensors.size() == 4);
  CHECK(model->file_tensors[1].name == "b");
  CHECK(model->file_tensors[1].type == "f32");
  CHECK(model->file_tensors[1].bytes == 24);
  CHECK(model->file_tensors[3].type == "F8_E4M3");
}
