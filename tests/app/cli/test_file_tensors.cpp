// SPDX-License-Identifier: GPL-3.0-or-later
// `info` of GGUF and safetensors files, and the memory that types without kernels need.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/support/seeded_llama.h"

using namespace arenascope;
using namespace arenascope::test;
using Json = nlohmann::ordered_json;

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Two layers and a tensor outside of them, of three types, one of which cannot be run.
std::string mixed_gguf() {
  models::test::GgufMaker maker;
  maker.text("general.architecture", "other").integer("many", 7);
  maker.tensor("blk.0.attn_q.weight", {2, 256}, 16, std::vector<std::byte>(132));
  maker.tensor("blk.0.attn_k.weight", {2, 256}, 9, std::vector<std::byte>(576));
  maker.tensor("blk.1.attn_q.weight", {2, 256}, 16, std::vector<std::byte>(132));
  maker.tensor("output.weight", {5, 256}, std::vector<float>(1280));
  return text_of(maker.bytes());
}

}  // namespace

TEST_CASE("info lists the tensors of a GGUF file by type and layer") {
  TempFolder folder;
  const std::string file = folder / "mixed.gguf";
  write_file(file, mixed_gguf());
  const Ended shown = cli({"info", file});
  CHECK(shown.status == 0);
  for (const char* line :
       {"file         4 tensors, 5,960 bytes, 2 keys",
        "type         iq2_xxs 2 tensors, 264 bytes, loaded as f32: 4,096 bytes",
        "type         q8_1 1 tensor, 576 bytes, cannot be run", "type         f32 1 tensor, 5,120 bytes\n",
        "layer        blk.0 2 tensors, 708 bytes: 1 × iq2_xxs, 1 × q8_1",
        "layer        (none) 1 tensor, 5,120 bytes: 1 × f32",
        "tensor       blk.1.attn_q.weight iq2_xxs [2, 256] 132 bytes",
        "problem      tensor 'blk.0.attn_k.weight' is of type q8_1, which can be inspected but not run"})
    CHECK_MESSAGE(shown.out.find(line) != std::string::npos, line << " is missing in\n" << shown.out);

  const Json object = Json::parse(cli({"info", file, "--json"}).out);
  CHECK(object["tensor_count"] == 4);
  CHECK(object["tensor_bytes"] == 5960);
  CHECK(object["metadata_keys"] == 2);
  REQUIRE(object["tensor_types"].size() == 3);
  CHECK(object["tensor_types"][0] ==
        Json{{"dtype", "iq2_xxs"}, {"tensors", 2}, {"elements", 1024}, {"bytes", 264}, {"loaded_as", "f32"}});
  CHECK(object["tensor_types"][1] == Json{{"dtype", "q8_1"}, {"tensors", 1}, {"elements", 512}, {"bytes", 576}});
  REQUIRE(object["tensor_layers"].size() == 3);
  CHECK(object["tensor_layers"][0] ==
        Json{{"layer", "blk.0"}, {"tensors", 2}, {"bytes", 708}, {"types", {{"iq2_xxs", 1}, {"q8_1", 1}}}});
  REQUIRE(object["tensors"].size() == 4);
  CHECK(object["tensors"][3] ==
        Json{{"name", "output.weight"}, {"dtype", "f32"}, {"shape", {5, 256}}, {"bytes", 5120}});

  const Ended run = cli({"run", file});
  CHECK(run.status != 0);
  CHECK(run.says_one_line("its architecture 'other' is not supported"));
}

TEST_CASE("info lists the types of a model that runs") {
  TempFolder folder;
  const std::string file = folder / "llama.gguf";
  constexpr QuantType kIq4Nl{"iq4_nl", 20, 32, 18, 0, -1, 70, 0};
  write_file(file, text_of(seeded_llama(kIq4Nl, {}, 3)));
  const Json object = Json::parse(cli({"info", file, "--json"}).out);
  CHECK(object["problems"].empty());
  CHECK(object["parameter_bytes"] == object["tensor_bytes"]);
  CHECK(object["tensor_types"][0]["dtype"] == "iq4_nl");
  CHECK(object["tensor_types"][0]["loaded_as"] == "q8_0");
  const Ended run = cli({"run", file, "--threads", "1"});
  CHECK_MESSAGE(run.status == 0, run.err);
}

TEST_CASE("info shows the types of a safetensors file by their names") {
  TempFolder folder;
  const std::string file = folder / "mixed.safetensors";
  const std::string table =
      R"({"__metadata__":null,"model.layers.0.q":{"dtype":"F8_E4M3","shape":[4,8],"data_offsets":[0,32]},)"
      R"("model.layers.0.scale":{"dtype":"F8_E8M0","shape":[2],"data_offsets":[32,34]},)"
      R"("w":{"dtype":"F4","shape":[2,8],"data_offsets":[34,42]},"norm":{"dtype":"BF16","shape":[2],"data_offsets":[42,46]}})";
  std::string bytes(8, '\0');
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(table.size() >> (8 * i));
  write_file(file, bytes + table + std::string(46, '\0'));
  const Ended shown = cli({"info", file});
  CHECK(shown.status == 0);
  for (const char* line :
       {"file         4 tensors, 46 bytes, 0 keys", "tensor       model.layers.0.q F8_E4M3 [4, 8] 32 bytes",
        "type         F8_E8M0 1 tensor, 2 bytes, cannot be run", "tensor       w F4 [2, 8] 8 bytes",
        "layer        model.layers.0 2 tensors, 34 bytes", "type         bf16 1 tensor, 4 bytes\n"})
    CHECK_MESSAGE(shown.out.find(line) != std::string::npos, line << " is missing in\n" << shown.out);
}

TEST_CASE("weights that do not fit after they are dequantised are refused before they are loaded") {
  if (kSanitized) return;  // sanitizers reserve more addresses than the limit
  TempFolder folder;
  const std::string file = folder / "large.gguf";
  constexpr QuantType kIq1S{"iq1_s", 19, 256, 50, 0, -1, 6, 0};
  LlamaSizes sizes;
  sizes.layers = 1, sizes.vocabulary = 400'000;  // twice 20 MB in the file, 410 MB as f32
  write_file(file, text_of(seeded_llama(kIq1S, sizes, 3)));
  const Ended run = run_program(
      "/bin/sh", {"-c", std::string("ulimit -v 600000; exec ") + ARENASCOPE_CLI + " run --threads 1 '" + file + "'"});
  CHECK(run.status != 0);
  CHECK_MESSAGE(run.err.find("weights (dequantised: iq1_s) 784 MiB") != std::string::npos, run.err);
}
