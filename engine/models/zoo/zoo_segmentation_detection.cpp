// SPDX-License-Identifier: MIT
// Networks whose output is as wide as their input: U-Net (Ronneberger 2015, with batch norm and padding, so that
// sizes match) and YOLOv8 nano (Ultralytics 2023, boxes decoded, before non-maximum suppression).
#include <fmt/format.h>
#include "engine/models/zoo/model_builder.h"

#include <vector>

namespace arenascope::models {
namespace {

Tensor double_conv(ModelBuilder& builder, const Tensor& x, const std::string& name, int64_t to) {
  builder.layer(name);
  Tensor y = x;
  for (int i : {0, 3}) {
    y = builder.conv(fmt::format("{}.{}", name, i), y, to, 3, 1, 1, 1, false);
    y = builder.relu(builder.batch_norm(fmt::format("{}.{}", name, i + 1), y), fmt::format("{}.{}", name, i + 2));
  }
  return y;
}

Tensor up_conv(ModelBuilder& builder, const Tensor& x, const std::string& name, int64_t to) {
  if (!x) return {};
  const int64_t from = x.sizes()[1];
  const Tensor w = builder.matmul_weight(name + ".weight", {from, to, 2, 2}, from);
  const ConvParams params{2, {2, 2, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1};
  return builder.g().op_with(Op::ConvTranspose, {x, w, builder.bias(name + ".bias", to)}, params, name);
}

constexpr int64_t kClasses = 80, kBins = 16, kBoxChannels = 64, kCells = 8400;

// Where the cells of the three grids have their middles, [2, cells], and the stride of each cell, [1, cells].
std::function<Status(std::byte*)> anchor_writer(bool strides) {
  return [strides](std::byte* out) -> Status {
    auto* numbers = reinterpret_cast<float*>(out);
    int64_t cell = 0;
    for (int stride : {8, 16, 32}) {
      const int side = 640 / stride;
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x, ++cell) {
          numbers[cell] = strides ? static_cast<float>(stride) : static_cast<float>(x) + 0.5f;
          if (!strides) numbers[kCells + cell] = static_cast<float>(y) + 0.5f;
        }
    }
    return {};
  };
}

// YOLOv8's blocks and its head; the first argument is the module's name.
class Yolo {
 public:
  explicit Yolo(ModelBuilder& builder) : builder_(builder) {}

  // Convolution, batch norm, silu.
  Tensor conv(const std::string& name, const Tensor& x, int64_t to, int kernel, int stride) {
    const Tensor y = builder_.conv(name + ".conv", x, to, kernel, stride, kernel / 2, 1, false);
    return builder_.g().op(Op::Silu, {builder_.batch_norm(name + ".bn", y, {0.8, 1.2}, 1e-3f)}, {}, name + ".act");
  }

  Tensor c2f(const std::string& name, const Tensor& x, int64_t to, int repeats, bool shortcut) {
    builder_.layer(name);
    const int64_t half = to / 2;
    const Tensor both = conv(name + ".cv1", x, to, 1, 1);
    std::vector<Tensor> parts{builder_.g().slice(both, 1, 0, half, 1, name + ".chunk0"),
                              builder_.g().slice(both, 1, half, to, 1, name + ".chunk1")};
    for (int i = 0; i < repeats; ++i) {
      const std::string m = fmt::format("{}.m.{}", name, i);
      const Tensor y = conv(m + ".cv2", conv(m + ".cv1", parts.back(), half, 3, 1), half, 3, 1);
      parts.push_back(shortcut ? builder_.g().add(parts.back(), y, m + ".add") : y);
    }
    return conv(name + ".cv2", builder_.g().concat(parts, 1, name + ".cat"), to, 1, 1);
  }

  Tensor sppf(const std::string& name, const Tensor& x, int64_t to) {
    builder_.layer(name);
    std::vector<Tensor> parts{conv(name + ".cv1", x, to / 2, 1, 1)};
    for (int i = 0; i < 3; ++i)
      parts.push_back(builder_.g().pool2d(Op::MaxPool, parts.back(), 5, 1, 2, fmt::format("{}.m{}", name, i)));
    return conv(name + ".cv2", builder_.g().concat(parts, 1, name + ".cat"), to, 1, 1);
  }

  Tensor upsampled_cat(const std::string& name, const Tensor& x, const Tensor& skip) {
    if (!x) return {};
    builder_.layer(name);
    Dims sizes = x.sizes();
    sizes[2] *= 2, sizes[3] *= 2;
    const ResizeParams params{
        sizes, {1, 1, 2, 2}, ResizeMode::Nearest, ResizeCoordinates::Asymmetric, ResizeNearest::Floor, -0.75f};
    return cat(name, builder_.g().op_with(Op::Resize, {x}, params, name + ".upsample"), skip);
  }

  Tensor cat(const std::string& name, const Tensor& a, const Tensor& b) {
    const Tensor parts[] = {a, b};
    return builder_.g().concat(parts, 1, name + ".cat");
  }

  // One scale of the head: box bins and class scores of each cell.
  void head(int scale, const Tensor& level, std::vector<Tensor>& boxes, std::vector<Tensor>& scores) {
    builder_.layer(fmt::format("model.22.{}", scale));
    const int64_t cells = level.sizes()[2] * level.sizes()[3];
    const auto branch = [&](const char* which, int64_t width, int64_t to) {
      const std::string name = fmt::format("model.22.{}.{}", which, scale);
      const Tensor y = conv(name + ".1", conv(name + ".0", level, width, 3, 1), width, 3, 1);
      return builder_.g().reshape(builder_.conv(name + ".2", y, to, 1, 1, 0, 1, true, 1), {1, to, cells},
                                  name + ".flat");
    };
    boxes.push_back(branch("cv2", 64, kBoxChannels));
    scores.push_back(branch("cv3", 80, kClasses));
  }

  // Boxes as centre and extent in pixels, above the classes' probabilities. Each side's distance is the mean of its 16
  // bins: soft_max(bins) times 0, 1, … 15.
  Tensor decode(const std::vector<Tensor>& boxes, const std::vector<Tensor>& scores) {
    builder_.layer("model.22.decode");
    GraphBuilder& g = builder_.g();
    Tensor bins = g.reshape(g.concat(boxes, 2, "model.22.boxes"), {1, 4, kBins, kCells}, "model.22.bins");
    bins = g.soft_max(g.permute(bins, {0, 1, 3, 2}, "model.22.bins_last"), 3, 1, {}, "model.22.dfl.softmax");
    const FillParams ramp{{1, kBins}, DType::F32, 0, 1};
    OpParams ramp_params;
    ramp_params.set(ramp);
    const Tensor values = g.op(Op::Arange, std::span<const Tensor>{}, ramp_params, "model.22.dfl.values");
    Tensor sides = g.mul_mat(values, g.reshape(bins, {4 * kCells, kBins}, "model.22.dfl.rows"), {}, "model.22.dfl");
    sides = g.reshape(sides, {1, 4, kCells}, "model.22.sides");
    const Tensor anchors = builder_.constant("model.22.anchors", {1, 2, kCells}, anchor_writer(false));
    const Tensor strides = builder_.constant("model.22.strides", {1, 1, kCells}, anchor_writer(true));
    const Tensor low = g.op(Op::Sub, {anchors, g.slice(sides, 1, 0, 2, 1, "model.22.lt")}, {}, "model.22.x1y1");
    const Tensor high = g.add(anchors, g.slice(sides, 1, 2, 4, 1, "model.22.rb"), "model.22.x2y2");
    const Tensor middle = g.scale(g.add(low, high, "model.22.sum"), 0.5f, 0, "model.22.xy");
    const Tensor extent = g.op(Op::Sub, {high, low}, {}, "model.22.wh");
    const Tensor corner[] = {middle, extent};
    const Tensor xywh = g.mul(g.concat(corner, 1, "model.22.xywh"), strides, "model.22.dbox");
    const Tensor classes = g.op(Op::Sigmoid, {g.concat(scores, 2, "model.22.scores")}, {}, "model.22.cls");
    const Tensor parts[] = {xywh, classes};
    return g.concat(parts, 1, "model.22.output");
  }

 private:
  ModelBuilder& builder_;
};

}  // namespace

Result<Model> build_unet(const OpenOptions& options) {
  ModelBuilder builder("unet");
  builder.learn(options);
  Tensor x = builder.input("input", {1, 3, 256, 256});
  std::vector<Tensor> skips{double_conv(builder, x, "inc", 64)};
  for (int i = 1; i <= 4; ++i) {
    const std::string name = fmt::format("down{}", i);
    builder.layer(name);
    x = builder.g().pool2d(Op::MaxPool, skips.back(), 2, 2, 0, name + ".pool");
    skips.push_back(double_conv(builder, x, name, int64_t{64} << i));
  }
  x = skips.back();
  for (int i = 1; i <= 4; ++i) {
    const std::string name = fmt::format("up{}", i);
    const int64_t to = int64_t{512} >> (i - 1);
    builder.layer(name);
    const Tensor parts[] = {skips[static_cast<size_t>(4 - i)], up_conv(builder, x, name + ".up", to)};
    x = double_conv(builder, builder.g().concat(parts, 1, name + ".cat"), name, to);
  }
  builder.layer("outc");
  builder.output("logits", builder.conv("outc", x, 2, 1));
  return builder.finish();
}

Result<Model> build_yolo(const OpenOptions& options) {
  ModelBuilder builder("yolo");
  builder.learn(options);
  Yolo yolo(builder);
  builder.layer("model.0");
  Tensor x = builder.input("images", {1, 3, 640, 640}, {0, 1});
  x = yolo.conv("model.0", x, 16, 3, 2);
  builder.layer("model.1");
  x = yolo.c2f("model.2", yolo.conv("model.1", x, 32, 3, 2), 32, 1, true);
  builder.layer("model.3");
  const Tensor p3 = yolo.c2f("model.4", yolo.conv("model.3", x, 64, 3, 2), 64, 2, true);
  builder.layer("model.5");
  const Tensor p4 = yolo.c2f("model.6", yolo.conv("model.5", p3, 128, 3, 2), 128, 2, true);
  builder.layer("model.7");
  x = yolo.c2f("model.8", yolo.conv("model.7", p4, 256, 3, 2), 256, 1, true);
  const Tensor p5 = yolo.sppf("model.9", x, 256);
  const Tensor n4 = yolo.c2f("model.12", yolo.upsampled_cat("model.10", p5, p4), 128, 1, false);
  const Tensor n3 = yolo.c2f("model.15", yolo.upsampled_cat("model.13", n4, p3), 64, 1, false);
  builder.layer("model.16");
  const Tensor d4 = yolo.cat("model.17", yolo.conv("model.16", n3, 64, 3, 2), n4);
  const Tensor m4 = yolo.c2f("model.18", d4, 128, 1, false);
  builder.layer("model.19");
  const Tensor d5 = yolo.cat("model.20", yolo.conv("model.19", m4, 128, 3, 2), p5);
  const Tensor m5 = yolo.c2f("model.21", d5, 256, 1, false);

  std::vector<Tensor> boxes, scores;
  int scale = 0;
  for (const Tensor& level : {n3, m4, m5}) {
    if (!level) return builder.finish();
    yolo.head(scale++, level, boxes, scores);
  }
  builder.output("output0", yolo.decode(boxes, scores));
  return builder.finish();
}

}  // namespace arenascope::models
