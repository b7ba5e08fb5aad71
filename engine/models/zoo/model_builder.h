// SPDX-License-Identifier: MIT
// A graph builder for the zoo's architectures, which also keeps each weight's seeded values, each input's default data,
// and has the layers that many of them share.
#pragma once
#include <arenascope/graph/builder.h>
#include <arenascope/models/model.h>
#include "engine/models/seeded.h"

#include <cmath>
#include <string>
#include <vector>

namespace arenascope::models {

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name);
  ModelBuilder(std::string name, Context context);  // a pool of the caller's
  virtual ~ModelBuilder() = default;
  ModelBuilder(const ModelBuilder&) = delete;
  ModelBuilder& operator=(const ModelBuilder&) = delete;

  GraphBuilder& g() { return builder_; }
  // Nodes built from now on belong to this layer.
  void layer(std::string_view name) {
    if (builder_.ok()) builder_.layer(name);
  }

  // A weight with values in `range` (a builder that reads a file uses the file's values).
  virtual Tensor weight(const std::string& name, const Dims& sizes, Range range);
  // Values that training does not change (anchors, for example).
  Tensor constant(const std::string& name, const Dims& sizes, std::function<Status(std::byte*)> writer);
  // A weight of a matmul, uniform within ±sqrt(gain · 3 / fan_in): variance gain ÷ fan_in. 2 suits relu, 1 other activations.
  Tensor matmul_weight(const std::string& name, const Dims& sizes, int64_t fan_in, double gain = 1);
  Tensor bias(const std::string& name, int64_t size) { return weight(name, {size}, {-0.02, 0.02}); }

  Tensor input(const std::string& name, const Dims& sizes, Range range = {-1, 1}, DType dtype = DType::F32);
  Tensor input(const std::string& name, const Dims& sizes, DType dtype, std::function<Status(std::byte*)> writer);
  // A leaf tensor that the graph itself writes, initially zero.
  Tensor state(const std::string& name, const Dims& sizes, MemoryKind kind, DType dtype = DType::F32);
  void output(const std::string& name, const Tensor& tensor);
  void language(int64_t context, int64_t vocabulary, int64_t window = 0) {
    model_.language = LanguageInfo{context, vocabulary, window};
  }

  // x·wᵀ + bias over the last dimension of x; weights NAME.weight [to, from] and NAME.bias.
  Tensor linear(const std::string& name, const Tensor& x, int64_t to, bool with_bias = true, double gain = 1);
  // Weights NAME.weight [to, from/groups, kernel, kernel] and NAME.bias.
  Tensor conv(const std::string& name, const Tensor& x, int64_t to, int kernel, int stride = 1, int pad = 0,
              int groups = 1, bool with_bias = true, double gain = 2);
  // Scale in `gain`, statistics near those of a normal distribution.
  Tensor batch_norm(const std::string& name, const Tensor& x, Range gain = {0.8, 1.2}, float epsilon = 1e-5f);
  Tensor layer_norm(const std::string& name, const Tensor& x, float epsilon);
  // Sets whether batch_norm() uses batch statistics, and the rate of dropped() by kDropoutInput.
  void learn(const OpenOptions& options) {
    learning_ = options.learning;
    dropout_ = learning_ ? options.dropout.value_or(0) : 0;
  }
  Tensor dropped(const Tensor& x, const std::string& name);
  Tensor relu(const Tensor& x, const std::string& name) { return builder_.op(Op::Relu, {x}, {}, name); }

  // Adds the mean cross entropy of logits [T, V] and the T class ids of an input "targets" as output "loss" of a training
  // step: finish() then adds each weight's gradient as an output "NAME (gradient)".
  void train(const Tensor& logits);

  // The model, or what went wrong first.
  Result<Model> finish();

 protected:
  Model model_;

 private:
  static Context make_context(Status& status);
  Status add_gradients();
  Status pool_;
  GraphBuilder builder_;
  Tensor loss_;                  // loss of a training step
  std::vector<Tensor> trained_;  // weights that it changes
  bool learning_ = false;
  double dropout_ = 0;
  uint32_t dropouts_ = 0;
  Tensor dropout_input_;
};

// ggml's two MNIST networks with a builder's weights: pixels 0 to 255 of OpenOptions::dims["batch"] images, [batch, 784]
// and [batch, 1, 28, 28], to ten logits each.
Result<Model> build_mnist_fc(ModelBuilder& model_builder, int64_t hidden, const OpenOptions& options);
Result<Model> build_mnist_cnn(ModelBuilder& model_builder, const OpenOptions& options);

// Each zoo_*.cpp's architectures.
Result<Model> build_mul_mat(const OpenOptions& options);
Result<Model> build_mul_mat_in_pool(const OpenOptions& options);
Result<Model> build_mul_mat_add_relu(const OpenOptions& options);
Result<Model> build_mnist_fc(const OpenOptions& options);
Result<Model> build_mnist_cnn(const OpenOptions& options);
Result<Model> build_squeezenet(const OpenOptions& options);
Result<Model> build_resnet50(const OpenOptions& options);
Result<Model> build_mobilenet_v2(const OpenOptions& options);
Result<Model> build_unet(const OpenOptions& options);
Result<Model> build_yolo(const OpenOptions& options);
Result<Model> build_bert_base(const OpenOptions& options);
Result<Model> build_vit_b16(const OpenOptions& options);
Result<Model> build_gpt2(const OpenOptions& options);
Result<Model> build_nano_gpt(const OpenOptions& options);
Result<Model> build_llama_7b(const OpenOptions& options);
Result<Model> build_llama_13b(const OpenOptions& options);
Result<Model> build_baichuan_13b(const OpenOptions& options);
Result<Model> build_lstm(const OpenOptions& options);

}  // namespace arenascope::models
