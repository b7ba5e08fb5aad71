// SPDX-License-Identifier: MIT
// Model files, tensors, vocabularies and data sets.
#include <arenascope/models/checkpoint.h>
#include <arenascope/models/model.h>
#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>
#include <arenascope/models/tokenizer.h>
#include <arenascope/train/image_data.h>

#include <cstring>

#include "tests/engine/models/gguf_maker.h"
#include "tests/fuzz/targets.h"
#ifdef ARENASCOPE_HAS_ONNX
#include "tests/engine/models/onnx_maker.h"
#endif

namespace arenascope::fuzz {

namespace {

using models::test::GgufMaker;
using trace::ByteSpan;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
bool accepted(const Result<T>& result) {
  if (!result) require(!result.error().message.empty(), "an error without a message");
  return result.ok();
}

void open_as(ByteSpan input, std::string_view extension) {
  const auto model = models::open_model(input_file(input, extension));
  if (accepted(model)) (void)model->weights_unchanged();
}

void run_onnx(ByteSpan input) { open_as(input, ".onnx"); }
void run_gguf(ByteSpan input) { open_as(input, ".gguf"); }

void run_safetensors(ByteSpan input) {
  open_as(input, ".safetensors");
  (void)accepted(models::read_checkpoint(input_file(input, ".safetensors")));
}

void run_npy(ByteSpan input) {
  const auto tensor = models::parse_npy(std::as_bytes(input));
  if (accepted(tensor)) require((*tensor)->byte_count() >= 0, "a tensor of negative size");
}

void run_tensor_pb(ByteSpan input) { (void)accepted(models::read_tensor_pb(input_file(input, ".pb"))); }

void run_tokenizer(ByteSpan input) {
  const auto tokenizer = models::Tokenizer::open(input_file(input, ".gguf"));
  if (!accepted(tokenizer)) return;
  const std::vector<int32_t> ids = (*tokenizer)->encode("Hello  w\xC3\xB6rld\n 123 \xFF ab", {.parse_special = true});
  for (const int32_t id : ids) require(id >= 0 && id < (*tokenizer)->size(), "a token outside of the vocabulary");
  (void)(*tokenizer)->decode(ids);
}

// The input is the images; one label per image is generated.
void run_images(ByteSpan input) {
  const std::string images = input_file(input, ".images");
  const std::string labels("\0\0\x08\x01\0\0\0\x02\1\2", 10);
  const auto* bytes = reinterpret_cast<const uint8_t*>(labels.data());
  (void)accepted(train::read_images(images, input_file({bytes, labels.size()}, ".labels")));
}

std::vector<std::string> onnx_seeds() {
#ifdef ARENASCOPE_HAS_ONNX
  using Ints = std::vector<int64_t>;
  models::test::OnnxMaker convolution(11), shapes(13), branches(16), yes(16), no(16);
  convolution.input("x", {1, 2, 6, 6}).output("y").weight("w", {2, 1, 3, 3}, std::vector<float>(18, 0.5F));
  convolution.node("Conv", {"x", "w"}, {"c"}, {{"group", int64_t{2}}, {"pads", Ints{1, 1, 1, 1}}});
  convolution.node("MaxPool", {"c"}, {"p"}, {{"kernel_shape", Ints{2, 2}}}).node("Flatten", {"p"}, {"y"});
  shapes.input("x", {2, 3, 4}).output("y").weight("one", {1}, Ints{1}).weight("two", {1}, Ints{2});
  shapes.weight("m", {1}, Ints{-1}).node("Shape", {"x"}, {"s"}).node("Slice", {"s", "one", "two"}, {"d"});
  shapes.node("Concat", {"d", "m"}, {"t"}, {{"axis", int64_t{0}}}).node("Reshape", {"x", "t"}, {"y"});
  yes.output("a").node("Relu", {"x"}, {"a"});
  no.output("b").node("Neg", {"x"}, {"b"});
  branches.input("x", {4}).output("y").weight("n", {}, Ints{3}).node("Equal", {"n", "n"}, {"c"});
  branches.node("If", {"c"}, {"y"}, {{"then_branch", &yes}, {"else_branch", &no}});
  return {text_of(convolution.bytes()), text_of(shapes.bytes()), text_of(branches.bytes())};
#else
  return {};
#endif
}

std::vector<std::string> gguf_seeds() {
  GgufMaker small, llama;
  small.text("general.architecture", "made").integer("n", 7).texts("names", {"a", "bc"}).floats("f", {1, 2});
  small.tensor("x", {2, 3}, {0, 1, 2, 3, 4, 5}).tensor("q", {1, 32}, 8, std::vector<std::byte>(34));
  llama.text("general.architecture", "llama").integer("llama.block_count", 1).integer("llama.context_length", 8);
  llama.integer("llama.embedding_length", 8).integer("llama.attention.head_count", 2);
  llama.integer("llama.feed_forward_length", 8).number("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  llama.tensor("token_embd.weight", {4, 8}, std::vector<float>(32, 0.1F));
  return {text_of(small.bytes()), text_of(llama.bytes())};
}

std::vector<std::string> tokenizer_seeds() {
  GgufMaker llama, gpt2, bert;
  llama.text("general.architecture", "llama").text("tokenizer.ggml.model", "llama");
  llama.texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "a", "b", "ab"});
  llama.floats("tokenizer.ggml.scores", {0, 0, 0, -1, -2, -3})
      .integers("tokenizer.ggml.token_type", {2, 3, 3, 1, 1, 1});
  llama.integer("tokenizer.ggml.bos_token_id", 1).integer("tokenizer.ggml.eos_token_id", 2);
  gpt2.text("general.architecture", "qwen2").text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "qwen2");
  gpt2.texts("tokenizer.ggml.tokens", {"a", "b", "ab", "<|end|>"}).texts("tokenizer.ggml.merges", {"a b"});
  gpt2.integers("tokenizer.ggml.token_type", {1, 1, 1, 3}).integer("tokenizer.ggml.eos_token_id", 3);
  bert.text("general.architecture", "bert").text("tokenizer.ggml.model", "bert");
  bert.texts("tokenizer.ggml.tokens", {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "\xE2\x96\x81hello", "##lo"});
  bert.integers("tokenizer.ggml.token_type", {3, 2, 3, 3, 1, 1});
  return {text_of(llama.bytes()), text_of(gpt2.bytes()), text_of(bert.bytes())};
}

std::vector<std::string> safetensors_seeds() {
  const std::string header = R"({"__metadata__":{"format":"pt"},"a":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]}})";
  std::string file(8, '\0');
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(uint64_t{header.size()} >> (8 * i));
  return {file + header + std::string(32, '\1')};
}

std::vector<std::string> npy_seeds() {
  std::vector<std::string> all;
  for (const DType type : {DType::F32, DType::I64, DType::Bool})
    if (const auto tensor = models::host_tensor({2, 3}, type)) {
      std::memset((*tensor)->data(), 1, static_cast<size_t>((*tensor)->byte_count()));
      if (const auto bytes = models::format_npy(*tensor)) all.push_back(text_of(*bytes));
    }
  return all;
}

std::vector<std::string> tensor_pb_seeds() {
  using namespace std::string_literals;
  // dims 2, type float, name "x", then raw data or float data
  return {"\x08\x02\x10\x01\x42\x01x\x4A\x08\0\0\x80?\0\0\0@"s, "\x08\x02\x10\x01\x42\x01x\x22\x08\0\0\x80?\0\0\0@"s};
}

std::vector<std::string> image_seeds() {
  using namespace std::string_literals;
  return {"\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02\1\2\3\4\5\6\7\x08"s};
}

constexpr Target kTargets[] = {{"onnx", run_onnx, onnx_seeds},
                               {"gguf", run_gguf, gguf_seeds},
                               {"safetensors", run_safetensors, safetensors_seeds},
                               {"npy", run_npy, npy_seeds},
                               {"tensor-pb", run_tensor_pb, tensor_pb_seeds},
                               {"tokenizer", run_tokenizer, tokenizer_seeds},
                               {"images", run_images, image_seeds}};

}  // namespace

std::span<const Target> model_targets() { return kTargets; }

}  // namespace arenascope::fuzz
