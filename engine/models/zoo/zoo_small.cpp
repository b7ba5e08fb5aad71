// SPDX-License-Identifier: MIT
// A small matmul for study, a recurrent word model (Zaremba 2014, medium), and the two networks of ggml's
// MNIST example, which the zoo has with seeded weights and GGUF files with trained ones.
#include <arenascope/memory/execution_context.h>
#include <fmt/format.h>
#include "engine/models/zoo/model_builder.h"

#include <cstring>
#include <vector>

namespace arenascope::models {
namespace {

std::function<Status(std::byte*)> numbers_writer(std::vector<float> numbers) {
  return [numbers = std::move(numbers)](std::byte* out) -> Status {
    std::memcpy(out, numbers.data(), numbers.size() * sizeof(float));
    return {};
  };
}

int64_t batch_of(const OpenOptions& options) {
  const auto given = options.dims.find("batch");
  return given == options.dims.end() ? 1 : given->second;
}

}  // namespace

Result<Model> build_mnist_fc(ModelBuilder& builder, int64_t hidden, const OpenOptions& options) {
  Tensor x = builder.g().scale(builder.input("images", {batch_of(options), 784}, {0, 255}), 1.0f / 255, 0, "scaled");
  x = builder.relu(builder.linear("fc1", x, hidden, true, 2), "fc1_relu");
  builder.output("logits", builder.linear("fc2", x, 10));
  return builder.finish();
}

Result<Model> build_mnist_cnn(ModelBuilder& builder, const OpenOptions& options) {
  GraphBuilder& g = builder.g();
  const int64_t n = batch_of(options);
  Tensor x = g.scale(builder.input("images", {n, 1, 28, 28}, {0, 255}), 1.0f / 255, 0, "scaled");
  int64_t from = 1;
  for (const auto& [name, channels] :
       {std::pair{std::string("conv1"), int64_t{8}}, std::pair{std::string("conv2"), int64_t{16}}}) {
    builder.layer(name);
    const Tensor w = builder.matmul_weight(name + ".kernel", {channels, from, 3, 3}, from * 9, 2);
    x = builder.relu(g.conv2d(x, w, builder.bias(name + ".bias", channels), 1, 1, 1, 1, name), name + "_relu");
    x = g.pool2d(Op::MaxPool, x, 2, 2, 0, name + "_pool");
    from = channels;
  }
  builder.layer("dense");
  x = g.cont(g.permute(x, {0, 2, 3, 1}, "channels_last"), "channels_last_cont");
  builder.output("logits", builder.linear("dense", g.reshape(x, {n, 784}, "flat"), 10));
  return builder.finish();
}

Result<Model> build_mnist_fc(const OpenOptions& options) {
  ModelBuilder builder("mnist_fc");
  return build_mnist_fc(builder, 500, options);
}

Result<Model> build_mnist_cnn(const OpenOptions& options) {
  ModelBuilder builder("mnist_cnn");
  return build_mnist_cnn(builder, options);
}

// Each row of b times each row of a: 60 55 50 110 / 90 54 54 126 / 42 29 28 64.
Result<Model> build_mul_mat(const OpenOptions&) {
  ModelBuilder builder("mul_mat");
  const Tensor a = builder.input("a", {4, 2}, DType::F32, numbers_writer({2, 8, 5, 1, 4, 2, 8, 6}));
  const Tensor b = builder.input("b", {3, 2}, DType::F32, numbers_writer({10, 5, 9, 9, 5, 4}));
  builder.output("result", builder.g().mul_mat(a, b, {}, "result"));
  return builder.finish();
}

// W and x, b: leafs; y = MUL_MAT, y2 = ADD, o = RELU: nodes that run in sequence, each on all threads.
// As in ggml's introductory article, everything is in one pool of fixed size, data too. The work buffer is allocated after
// it when the graph is computed. With a scratch buffer the data of the result is outside the pool.
Result<Model> build_mul_mat_in_pool(const OpenOptions& options) {
  constexpr Bytes kScratch = 1024;
  const auto scratch = options.dims.find("scratch");
  const size_t data = sizeof(float) * (4 * 2 + 3 * 2 + 4 * 3);
  auto context = Context::create(
      {.mem_size = data + 3 * Context::tensor_overhead(2) + Context::graph_overhead(8) + (size_t{1} << 16)});
  if (!context) return context.error();
  ModelBuilder builder("mul_mat_in_pool", *context);
  const Tensor a = builder.input("a", {4, 2}, DType::F32, numbers_writer({2, 8, 5, 1, 4, 2, 8, 6}));
  const Tensor b = builder.input("b", {3, 2}, DType::F32, numbers_writer({10, 5, 9, 9, 5, 4}));
  if (scratch != options.dims.end() && scratch->second > 0) {
    auto beside = Storage::allocate(*make_cpu_context(), {}, MemoryKind::Workspace, kScratch);
    if (!beside) return beside.error();
    context->set_scratch({std::move(*beside), 0});
  }
  builder.output("result", builder.g().mul_mat(a, b, {}, "result"));
  return builder.finish();
}

Result<Model> build_mul_mat_add_relu(const OpenOptions&) {
  constexpr int64_t kWidth = 256, kRows = 64;
  ModelBuilder builder("mul_mat_add_relu");
  const Tensor w = builder.matmul_weight("W", {kWidth, kWidth}, kWidth, 2);
  const Tensor y = builder.g().mul_mat(w, builder.input("x", {kRows, kWidth}), {}, "y");
  builder.output("o", builder.relu(builder.g().add(y, builder.bias("b", kWidth), "y2"), "o"));
  return builder.finish();
}

Result<Model> build_lstm(const OpenOptions& options) {
  constexpr int64_t kBatch = 20, kWidth = 650, kVocabulary = 10000;
  const int64_t steps = options.tokens > 0 ? options.tokens : 35;
  ModelBuilder builder("lstm");
  GraphBuilder& g = builder.g();
  builder.layer("embedding");
  const Tensor ids = builder.input("words", {steps, kBatch}, {0, kVocabulary}, DType::I64);
  const Tensor table = builder.weight("encoder.weight", {kVocabulary, kWidth}, {-0.5, 0.5});
  Tensor x = g.op_with(Op::Gather, {table, ids}, AxisParams{0}, "encoder");
  for (int i = 0; i < 2; ++i) {
    const std::string at = fmt::format("rnn.l{}", i);
    builder.layer(fmt::format("layer {}", i));
    const Tensor w = builder.matmul_weight("rnn.weight_ih_l" + std::to_string(i), {1, 4 * kWidth, kWidth}, kWidth);
    const Tensor r = builder.matmul_weight("rnn.weight_hh_l" + std::to_string(i), {1, 4 * kWidth, kWidth}, kWidth);
    const Tensor b = builder.weight("rnn.bias_l" + std::to_string(i), {1, 8 * kWidth}, {-0.05, 0.05});
    const Tensor h = builder.input(fmt::format("h0_l{}", i), {1, kBatch, kWidth}, {-0.1, 0.1});
    const Tensor c = builder.input(fmt::format("c0_l{}", i), {1, kBatch, kWidth}, {-0.1, 0.1});
    const Tensor all = g.op_with(Op::Lstm, {x, w, r, b, h, c}, LstmParams{kWidth, 0, 7}, at);
    const int64_t rows = steps * kBatch * kWidth, state = kBatch * kWidth;
    const auto part = [&](int64_t start, const Dims& sizes, const std::string& name) {
      return g.reshape(g.slice(all, 0, start, start + element_count(sizes), 1, name + ".flat"), sizes, name);
    };
    x = part(0, {steps, kBatch, kWidth}, at + ".y");
    builder.output(fmt::format("h_l{}", i), g.cont(part(rows, {1, kBatch, kWidth}, at + ".h")));
    builder.output(fmt::format("c_l{}", i), g.cont(part(rows + state, {1, kBatch, kWidth}, at + ".c")));
  }
  builder.layer("output");
  x = g.reshape(x, {steps * kBatch, kWidth}, "rows");
  builder.output("logits", builder.linear("decoder", x, kVocabulary));
  return builder.finish();
}

}  // namespace arenascope::models
