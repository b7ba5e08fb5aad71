// SPDX-License-Identifier: MIT
// Views: what they cover, what they share, and every way to reach outside.
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/builder.h>
#include <arenascope/tensor/ggml_shape.h>

namespace arenascope {
namespace {

GraphBuilder builder(bool no_alloc = false) { return GraphBuilder(*Context::create({1 << 20, nullptr, no_alloc})); }

Tensor counted(GraphBuilder& b, const Dims& sizes) {
  Tensor t = b.input("x", sizes);
  for (int64_t i = 0; i < t->element_count(); ++i) t.data_as<float>()[i] = static_cast<float>(i);
  return t;
}

float at(const Tensor& t, std::initializer_list<int64_t> index) {
  int64_t offset = 0;
  int i = 0;
  for (int64_t k : index) offset += k * t.strides()[i++];
  return t.data_as<float>()[offset];
}

// Refused, and the builder's error is gone again.
bool refused(const std::function<Tensor(GraphBuilder&, const Tensor&)>& make, const Dims& sizes = {4, 6}) {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", sizes);
  const Tensor made = make(b, x);
  return !made && !b.ok() && !b.status().error().message.empty();
}

}  // namespace

TEST_CASE("views share the bytes of their source and refer to the owner") {
  GraphBuilder b = builder();
  const Tensor x = counted(b, {4, 6});
  const Tensor row = b.slice(x, 0, 2, 3);
  CHECK(at(row, {0, 5}) == 17);
  CHECK(row->view_source == x.impl());
  CHECK(row->view_offset == 12 * 4);

  const Tensor t = b.transpose(x);
  CHECK(t.sizes() == Dims{6, 4});
  CHECK(at(t, {5, 1}) == 11);
  CHECK_FALSE(t->contiguous());

  const Tensor inner = b.slice(b.slice(t, 0, 1, 5, 2), 1, 1, 4);  // rows 1 and 3, columns 1 to 3
  CHECK(inner.sizes() == Dims{2, 3});
  CHECK(at(inner, {1, 2}) == 3 * 6 + 3);
  CHECK(inner->view_source == x.impl());  // never a view itself
  CHECK(inner->view_offset == (1 + 6) * 4);
  CHECK(inner->sources[0]->is_view());
  CHECK(b.ok());
}

TEST_CASE("slices with a negative step reverse, twice restores") {
  GraphBuilder b = builder();
  const Tensor x = counted(b, {2, 5});
  const Tensor down = b.slice(x, 1, 4, -1, -1);  // 4 3 2 1 0
  REQUIRE(b.ok());
  CHECK(down.sizes() == Dims{2, 5});
  CHECK(down.strides() == Dims{5, -1});
  CHECK(at(down, {0, 0}) == 4);
  CHECK(at(down, {1, 4}) == 5);
  const Tensor every = b.slice(x, 1, 4, 0, -2);  // 4 2
  CHECK(every.sizes() == Dims{2, 2});
  CHECK(at(every, {1, 1}) == 7);
  const Tensor again = b.slice(down, 1, 4, -1, -1);  // reversed twice
  REQUIRE(b.ok());
  CHECK(at(again, {1, 0}) == 5);
  CHECK(again->contiguous());
  const Tensor part = b.slice(down, 1, 1, 3);  // 3 2
  CHECK(at(part, {0, 0}) == 3);
  CHECK(at(part, {0, 1}) == 2);
}

TEST_CASE("empty slices and huge steps") {
  GraphBuilder b = builder();
  const Tensor x = counted(b, {4, 6});
  CHECK(b.slice(x, 0, 2, 2)->element_count() == 0);
  CHECK(b.slice(x, 0, 3, 1)->element_count() == 0);
  CHECK(b.slice(x, 1, 0, 5, -1)->element_count() == 0);
  CHECK(b.slice(x, 1, 0, INT64_MAX, INT64_MAX).sizes() == Dims{4, 1});
  CHECK(b.slice(x, 1, 5, -1, INT64_MIN).sizes() == Dims{4, 1});
  REQUIRE(b.ok());
  const Tensor none = b.slice(x, 0, 4, 4);
  CHECK(b.reshape(none, {0, 3}).sizes() == Dims{0, 3});
  CHECK(b.ok());
}

TEST_CASE("no view reaches outside its source") {
  CHECK(refused([](auto& b, auto& x) { return b.slice(x, 0, 0, 5); }));
  CHECK(refused([](auto& b, auto& x) { return b.slice(x, 1, -1, 3); }));  // would read the row above
  CHECK(refused([](auto& b, auto& x) { return b.slice(x, 1, 4, 8); }));   // would read the row below
  CHECK(refused([](auto& b, auto& x) { return b.slice(x, 0, 4, 0, -1); }));
  CHECK(refused([](auto& b, auto& x) { return b.slice(x, 2, 0, 1); }));
  CHECK(refused([](auto& b, auto& x) { return b.slice(x, 0, 0, 1, 0); }));
  CHECK(refused([](auto& b, auto& x) { return b.slice(x, 0, INT64_MIN, INT64_MAX, 1); }));
  const auto view = [](Dims sizes, Dims strides, int64_t offset) {
    return refused([=](auto& b, auto& x) { return b.op_with(Op::View, {x}, ViewParams{sizes, strides, offset}); });
  };
  CHECK(view({25}, {1}, 0));
  CHECK(view({24}, {1}, 1));
  CHECK(view({2}, {-1}, 0));
  CHECK(view({2}, {24}, 0));
  CHECK(view({1}, {1}, -1));
  CHECK(view({1}, {1}, 24));
  CHECK(view({0}, {1}, 25));
  CHECK(view({2, 2}, {1}, 0));
  CHECK(view({3}, {INT64_MAX}, 0));
  CHECK(view({2, 2}, {INT64_MAX, INT64_MAX}, 0));
  CHECK(view({2}, {INT64_MIN}, 0));
  CHECK(view({-1}, {1}, 0));
}

TEST_CASE("strides of dimensions of size one are harmless") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {4});
  const Tensor one = b.op_with(Op::View, {x}, ViewParams{{1, 2}, {INT64_MAX, 1}, 0});
  const Tensor none = b.op_with(Op::View, {x}, ViewParams{{5, 0}, {INT64_MAX, 1}, 0});
  REQUIRE(b.ok());
  CHECK(one->byte_span() == 8);
  CHECK(ggml_shape(*one).nb[1] == 8);
  CHECK(none->byte_span() == 0);
  CHECK(b.slice(one, 0, 0, 1).sizes() == Dims{1, 2});
}

TEST_CASE("random nested slices agree with index arithmetic") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    GraphBuilder b = builder();
    Tensor t = counted(b, {5, 4, 6});
    std::vector<std::vector<int64_t>> kept(3);  // the original index of each remaining one, by axis
    for (int axis = 0; axis < 3; ++axis)
      for (int64_t i = 0; i < t.sizes()[axis]; ++i) kept[static_cast<size_t>(axis)].push_back(i);
    for (int cut = 0; cut < 4; ++cut) {
      const auto axis = static_cast<int>(random() % 3);
      auto& indices = kept[static_cast<size_t>(axis)];
      const auto size = static_cast<int64_t>(indices.size());
      if (size == 0) break;
      int64_t start = static_cast<int64_t>(random()) % size, end = static_cast<int64_t>(random()) % size;
      const int64_t step = static_cast<int64_t>(random() % 3) + 1;
      const bool down = random() % 2;
      if (down == (start < end)) std::swap(start, end);
      std::vector<int64_t> left;
      for (int64_t i = start; down ? i > end : i < end; i += down ? -step : step)
        left.push_back(indices[static_cast<size_t>(i)]);
      t = b.slice(t, axis, start, end, down ? -step : step);
      REQUIRE(b.ok());
      indices = left;
      REQUIRE(t.sizes()[axis] == static_cast<int64_t>(left.size()));
    }
    for (size_t i = 0; i < kept[0].size(); ++i)
      for (size_t j = 0; j < kept[1].size(); ++j)
        for (size_t k = 0; k < kept[2].size(); ++k)
          REQUIRE(at(t, {static_cast<int64_t>(i), static_cast<int64_t>(j), static_cast<int64_t>(k)}) ==
                  static_cast<float>((kept[0][i] * 4 + kept[1][j]) * 6 + kept[2][k]));
  }
}

TEST_CASE("expand repeats without a copy; reshape requires contiguous data") {
  GraphBuilder b = builder();
  const Tensor x = counted(b, {3, 1});
  const Tensor wide = b.op_with(Op::Expand, {x}, ReshapeParams{{2, 3, 4}});
  REQUIRE(b.ok());
  CHECK(wide.strides() == Dims{0, 1, 0});
  CHECK(at(wide, {1, 2, 3}) == 2);
  CHECK(wide->byte_span() == 12);
  const Tensor flat = b.reshape(wide, {24});  // copied first
  CHECK(flat->sources[0]->op == Op::Cont);
  CHECK(b.ok());
  CHECK(refused([](auto& bb, auto& t) { return bb.op_with(Op::Reshape, {bb.transpose(t)}, ReshapeParams{{24}}); }));
  CHECK(refused([](auto& bb, auto& t) { return bb.reshape(t, {25}); }));
  CHECK(refused([](auto& bb, auto& t) { return bb.op_with(Op::Expand, {t}, ReshapeParams{{4, 12}}); }));
  CHECK(refused([](auto& bb, auto& t) { return bb.op_with(Op::Expand, {t}, ReshapeParams{{INT64_MAX, 4, 6}}); }));
}

TEST_CASE("quantised rows are sliced at block boundaries only") {
  GraphBuilder b = builder(true);
  const Tensor w = b.weight("w", {8, 64}, DType::Q4_0);
  const Tensor rows = b.slice(w, 0, 2, 6, 2);
  const Tensor half = b.slice(w, 1, 32, 64);
  REQUIRE(b.ok());
  CHECK(rows->view_offset == 2 * 2 * 18);
  CHECK(half->view_offset == 18);
  CHECK(half->byte_count() == 8 * 18);
  CHECK(half->byte_span() == (7 * 2 + 1) * 18);
  const auto cut = [](auto make) {
    GraphBuilder bb = builder(true);
    make(bb, bb.weight("w", {8, 64}, DType::Q4_0));
    return !bb.ok();
  };
  CHECK(cut([](auto& bb, const Tensor& t) { bb.slice(t, 1, 16, 48); }));
  CHECK(cut([](auto& bb, const Tensor& t) { bb.slice(t, 1, 0, 48); }));
  CHECK(cut([](auto& bb, const Tensor& t) { bb.slice(t, 1, 0, 64, 2); }));
  CHECK(cut([](auto& bb, const Tensor& t) { bb.transpose(t); }));
  CHECK(cut([](auto& bb, const Tensor& t) { bb.permute(t, {1, 0}); }));
  CHECK(cut([](auto& bb, const Tensor& t) { bb.reshape(t, {32, 16}); }));
}

}  // namespace arenascope
