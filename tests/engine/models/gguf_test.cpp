// SPDX-License-Identifier: MIT
#include "engine/models/gguf/gguf.h"
#include <arenascope/models/weight_store.h>
#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gguf_maker.h"
#include "mutants.h"
#include "test_data.h"
#include "tests/support/temp_folder.h"

using namespace arenascope;
using namespace arenascope::models;
using arenascope::test::data_folder;

namespace {

class Writer {
 public:
  template <class T>
  Writer& put(T value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
    return *this;
  }
  Writer& text(const std::string& t) {
    put(static_cast<uint64_t>(t.size()));
    const auto* from = reinterpret_cast<const std::byte*>(t.data());
    bytes.insert(bytes.end(), from, from + t.size());
    return *this;
  }
  Writer& align(size_t to) {
    while (bytes.size() % to) bytes.push_back(std::byte{0});
    return *this;
  }
  std::vector<std::byte> bytes;
};

// One text, one array of texts, one number, and two tensors of f32 [2, 3] and q8_0 [1, 32].
std::vector<std::byte> small_file() {
  Writer w;
  w.put('G').put('G').put('U').put('F').put(uint32_t{3}).put(uint64_t{2}).put(uint64_t{3});
  w.text("general.architecture").put(uint32_t{8}).text("made");
  w.text("names").put(uint32_t{9}).put(uint32_t{8}).put(uint64_t{2}).text("a").text("bc");
  w.text("many").put(uint32_t{4}).put(uint32_t{7});
  w.text("x").put(uint32_t{2}).put(uint64_t{3}).put(uint64_t{2}).put(uint32_t{0}).put(uint64_t{0});
  w.text("q").put(uint32_t{2}).put(uint64_t{32}).put(uint64_t{1}).put(uint32_t{8}).put(uint64_t{32});
  w.align(32);
  for (int i = 0; i < 6; ++i) w.put(static_cast<float>(i));
  w.align(32);
  w.bytes.resize(w.bytes.size() + 34);
  return w.bytes;
}

}  // namespace

TEST_CASE("metadata and tensors of a small GGUF file") {
  const auto bytes = small_file();
  auto file = GgufFile::parse(bytes);
  REQUIRE_MESSAGE(file.ok(), (file.ok() ? "" : file.error().message));
  CHECK(file->version() == 3);
  CHECK(file->text("general.architecture") == "made");
  CHECK(file->integer("many") == 7);
  CHECK(file->number("many") == 7.0);
  CHECK(!file->integer("names"));
  CHECK(file->find("names")->count == 2);
  REQUIRE(file->tensors().size() == 2);
  const StoredTensor* x = file->find_tensor("x");
  REQUIRE(x);
  CHECK(to_string(x->sizes) == "[2, 3]");
  float last;
  std::memcpy(&last, x->bytes.data() + 20, sizeof last);
  CHECK(last == 5);
  CHECK(native_dtype(*file->find_tensor("q")->type) == DType::Q8_0);
  CHECK(file->find_tensor("q")->bytes.size() == 34);
  for (size_t cut = 0; cut < bytes.size(); ++cut) CHECK(!GgufFile::parse(std::span(bytes).first(cut)).ok());
}

TEST_CASE("the error of a big-endian file names the byte order") {
  auto bytes = small_file();
  std::swap(bytes[4], bytes[7]);
  const auto file = GgufFile::parse(bytes);
  REQUIRE(!file.ok());
  CHECK(file.error().message == "it is a big-endian GGUF file; little-endian files are supported");
}

TEST_CASE("a file of a split model is named as such") {
  const arenascope::test::TempFolder folder;
  models::test::GgufMaker maker;
  maker.integer("split.no", 1).integer("split.count", 3).tensor("t", {2}, {1, 2});
  const auto bytes = maker.bytes();
  std::ofstream(folder / "part.gguf", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const auto model = open_model(folder / "part.gguf");
  REQUIRE(model.ok());
  REQUIRE(model->problems.size() == 1);
  CHECK(model->problems[0] == "it is file 2 of 3 of a split model; merge them with 'llama-gguf-split --merge'");
}

TEST_CASE("mutated GGUF files") {
  const auto seed = small_file();
  models::test::Mutator mutator(3);
  int accepted = 0;
  for (int i = 0; i < models::test::mutant_count(); ++i) {
    const auto bytes = mutator.mutate(seed);
    auto file = GgufFile::parse(bytes);
    if (!file) {
      REQUIRE(!file.error().message.empty());
      continue;
    }
    ++accepted;
    unsigned sum = 0;  // all that the file promises can be read
    for (const StoredTensor& tensor : file->tensors())
      for (std::byte b : tensor.bytes) sum += static_cast<unsigned>(b);
    for (const GgufEntry& entry : file->entries())
      for (std::byte b : entry.bytes) sum += static_cast<unsigned>(b);
    CHECK(sum < ~0u);
    (void)file->text("general.architecture");
    (void)file->number("many");
  }
  CHECK(accepted > 0);
}

TEST_CASE("hostile GGUF files give the results of their manifest") {
  ARENASCOPE_NEEDS_DATA("hostile/manifest.json");
  std::ifstream text(data_folder() / "hostile" / "manifest.json");
  const auto manifest = nlohmann::json::parse(text);
  int seen = 0;
  for (const auto& one : manifest["cases"]) {
    const std::string path = one["file"], expect = one["expect"];
    if (!path.starts_with("gguf/")) continue;
    CAPTURE(path);
    const auto start = std::chrono::steady_clock::now();
    const auto file = data_folder() / "hostile" / path;
    auto parsed = GgufFile::open(file);
    auto model = open_model(file.string());
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
    CHECK(parsed.ok() == model.ok());
    if (expect == "accept") CHECK(parsed.ok());
    if (expect == "reject") CHECK(!parsed.ok());
    if (expect == "accept-as-file/refuse-to-run") CHECK((model.ok() && !model->runnable() && !model->problems.empty()));
    if (!model) CHECK(model.error().message.find('\n') == std::string::npos);
    ++seen;
  }
  CHECK(seen == 44);
}

TEST_CASE("real GGUF models open completely") {
  ARENASCOPE_NEEDS_DATA("models/llm_stories260K");
  const auto folder = data_folder() / "models";
  for (const char* name : {"F32", "F16", "Q8_0", "Q4_0"}) {
    CAPTURE(name);
    OpenOptions prompt;
    prompt.prefill = true;
    prompt.tokens = 20;
    auto model =
        open_model((folder / "llm_stories260K" / (std::string("stories260K-") + name + ".gguf")).string(), prompt);
    REQUIRE(model.ok());
    CHECK(model->runnable());
    CHECK(to_string(model->outputs.back().sizes) == "[1, 512]");
    CHECK(to_string(model->outputs.front().sizes) == "[4, 20, 8]");
    auto context = make_cpu_context();
    CHECK(WeightStore().load(*model, *context).ok());
  }
  CHECK(open_model((folder / "llm_nano_gpt_sort" / "nano_gpt_sort-F32.gguf").string())->runnable());
  OpenOptions batch;
  batch.dims["batch"] = 100;
  for (const char* name : {"mnist-cnn-f32.gguf", "mnist-fc-f32.gguf"}) {
    auto model = open_model((folder / "mnist_ggml_gguf" / name).string(), batch);
    REQUIRE(model.ok());
    CHECK(model->runnable());
    CHECK(to_string(model->outputs[0].sizes) == "[100, 10]");
  }
}
