// SPDX-License-Identifier: MIT
#include <arenascope/models/zoo.h>
#include <fmt/format.h>
#include "engine/models/zoo/model_builder.h"

namespace arenascope::models {
namespace {

constexpr ZooEntry kEntries[] = {
    {"mul_mat", "one matmul, 4x2 by 3x2: small enough to compute manually", build_mul_mat},
    {"mul_mat_in_pool",
     "the same with all data in the context's pool (--memory none), or in a scratch buffer (--dim scratch=1)",
     build_mul_mat_in_pool},
    {"mul_mat_add_relu",
     "three consecutive nodes, 256x256 by 64 rows: each runs on all threads, with a barrier after it",
     build_mul_mat_add_relu},
    {"mnist_fc", "ggml's fully connected MNIST network, 28x28, 0.4 million parameters", build_mnist_fc},
    {"mnist_cnn", "ggml's convolutional MNIST network, 28x28, 9,098 parameters", build_mnist_cnn},
    {"squeezenet", "SqueezeNet 1.1, 224x224, 1.2 million parameters", build_squeezenet},
    {"resnet50", "ResNet-50, 224x224, 25.6 million parameters", build_resnet50},
    {"mobilenet_v2", "MobileNetV2 1.0, 224x224, 3.5 million parameters", build_mobilenet_v2},
    {"unet", "U-Net with batch norm, 256x256, 31 million parameters", build_unet},
    {"bert_base", "BERT base, 128 tokens, 110 million parameters", build_bert_base},
    {"gpt2", "GPT-2 small, 124 million parameters", build_gpt2, true},
    {"nano_gpt", "GPT-nano that sorts six digits of three (minGPT's), 85 thousand parameters", build_nano_gpt, true},
    {"llama_7b", "LLaMA 7B: one token against the cache, or a prompt with prefill", build_llama_7b, true},
    {"llama_13b", "LLaMA 13B: one token against the cache, or a prompt with prefill", build_llama_13b, true},
    {"baichuan_13b", "Baichuan 13B (ALiBi, packed qkv): one token against the cache, or a prompt with prefill",
     build_baichuan_13b, true},
    {"vit_b16", "ViT-B/16, 224x224, 86 million parameters", build_vit_b16},
    {"yolo", "YOLOv8 nano, 640x640, 3.2 million parameters", build_yolo},
    {"lstm", "a word model of two LSTM layers of 650, 35 steps of 20 sequences", build_lstm},
};

std::string trainable() {
  std::string names;
  for (const ZooEntry& entry : kEntries)
    if (entry.trains) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return "these have one: " + names;
}

}  // namespace

std::span<const ZooEntry> zoo() { return kEntries; }

Result<Model> open_zoo(std::string_view name, const OpenOptions& options) {
  std::string names;
  for (const ZooEntry& entry : kEntries) {
    if (name == entry.name) {
      if (options.tokens < 0 || options.tokens > (1 << 20))
        return Error{fmt::format("zoo:{}: a sequence of {} tokens", name, options.tokens)};
      if (options.training && !entry.trains)
        return Error{fmt::format("zoo:{} has no training step; {}", name, trainable())};
      return entry.build(options);
    }
    names += names.empty() ? "" : ", ";
    names += entry.name;
  }
  return Error{fmt::format("the zoo has no '{}'; it has {}", name, names)};
}

}  // namespace arenascope::models
