// SPDX-License-Identifier: MIT
// Constant folding while a model is opened.
#include <arenascope/models/host_array.h>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>

using namespace arenascope;
using namespace arenascope::models;

namespace {

using Ints = std::vector<int64_t>;

HostArray shaped(const Dims& sizes, Ints values) { return {DType::I64, sizes, std::move(values), {}}; }

Result<HostArray> run(std::string_view op, std::vector<HostArray> inputs, std::map<std::string, Ints> attributes = {},
                      int64_t opset = 13) {
  std::vector<const HostArray*> pointers;
  for (const HostArray& input : inputs) pointers.push_back(&input);
  const FoldCall call{
      op,
      opset,
      pointers,
      [&](const char* name, int64_t fallback) { return attributes.count(name) ? attributes[name].at(0) : fallback; },
      [&](const char* name) { return attributes.count(name) ? attributes[name] : Ints(); },
      [&](const char* name) { return attributes.count(name) != 0; },
      1};
  auto out = fold(call);
  if (!out) return out.error();
  return std::move(out->at(0));
}

Ints ints(std::string_view op, std::vector<HostArray> inputs, std::map<std::string, Ints> attributes = {},
          int64_t opset = 13) {
  auto out = run(op, std::move(inputs), std::move(attributes), opset);
  REQUIRE(out.ok());
  return out->ints;
}

}  // namespace

TEST_CASE("f16 and bf16 are rounded to nearest even and round-trip") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto h = static_cast<uint16_t>(bits);
    if (!std::isnan(half_to_float(h))) CHECK(float_to_half(half_to_float(h)) == h);
    if (!std::isnan(bfloat_to_float(h))) CHECK(float_to_bfloat(bfloat_to_float(h)) == h);
  }
  CHECK(float_to_half(65504.0f) == 0x7BFF);
  CHECK(float_to_half(65520.0f) == 0x7C00);
  CHECK(float_to_half(1.0f + 1.0f / 2048) == 0x3C00);
  CHECK(float_to_half(1.0f + 3.0f / 2048) == 0x3C02);
  CHECK(float_to_half(5.9604645e-8f) == 1);
  CHECK(std::isnan(half_to_float(float_to_half(NAN))));
  CHECK(std::isinf(half_to_float(0xFC00)));
}

TEST_CASE("arrays of all types round-trip through bytes") {
  for (int t = 0; t < kDTypeCount; ++t) {
    const auto dtype = static_cast<DType>(t);
    if (info(dtype).quantised) continue;
    HostArray array = HostArray::make(dtype, {3});
    for (int i = 0; i < 3; ++i) array.set(i, i == 2 ? 1 : i);
    std::vector<std::byte> bytes(static_cast<size_t>(3 * element_bytes(dtype)));
    array.to_bytes(bytes.data());
    const HostArray back = HostArray::from_bytes(dtype, {3}, bytes.data());
    CHECK(back.ints == array.ints);
    CHECK(back.floats == array.floats);
  }
}

TEST_CASE("Slice follows NumPy") {
  const auto slice = [](int64_t size, int64_t start, int64_t end, int64_t step) {
    auto cut = slice_range(size, start, end, step);
    REQUIRE(cut.ok());
    Ints out;
    for (int64_t i = 0; i < cut->count; ++i) out.push_back(cut->start + i * cut->step);
    return out;
  };
  CHECK(slice(5, 1, 4, 1) == Ints{1, 2, 3});
  CHECK(slice(5, -3, -1, 1) == Ints{2, 3});
  CHECK(slice(5, 0, INT64_MAX, 2) == Ints{0, 2, 4});
  CHECK(slice(5, 4, INT64_MIN, -1) == Ints{4, 3, 2, 1, 0});
  CHECK(slice(5, INT64_MAX, -6, -2) == Ints{4, 2, 0});
  CHECK(slice(5, -1, 0, -1) == Ints{4, 3, 2, 1});
  CHECK(slice(5, 3, 3, 1).empty());
  CHECK(slice(5, 4, 1, 1).empty());
  CHECK(slice(0, 0, INT64_MAX, 1).empty());
  CHECK(slice(0, -1, INT64_MIN, -1).empty());
  CHECK(slice(5, 0, 5, INT64_MAX) == Ints{0});
  CHECK(slice(5, 4, INT64_MIN, INT64_MIN) == Ints{4});
  CHECK(!slice_range(5, 0, 5, 0).ok());
}

TEST_CASE("shape arithmetic") {
  CHECK(ints("Gather", {HostArray::of({7, 8, 9}), HostArray::scalar(-1)}) == Ints{9});
  CHECK(ints("Concat", {HostArray::of({1, 2}), HostArray::of({3})}, {{"axis", {0}}}) == Ints{1, 2, 3});
  CHECK(ints("Slice", {HostArray::of({1, 2, 3, 4}), HostArray::of({1}), HostArray::of({3})}) == Ints{2, 3});
  CHECK(ints("Mul", {HostArray::of({1, 2}), HostArray::of({3})}) == Ints{3, 6});
  CHECK(ints("Div", {HostArray::of({7, -7}), HostArray::of({2})}) == Ints{3, -3});
  CHECK(ints("Mod", {HostArray::of({7, -7}), HostArray::of({3})}) == Ints{1, 2});
  CHECK(ints("Mod", {HostArray::of({7, -7}), HostArray::of({3})}, {{"fmod", {1}}}) == Ints{1, -1});
  CHECK(ints("Where", {HostArray{DType::Bool, {2}, {1, 0}, {}}, HostArray::of({1, 2}), HostArray::of({3, 4})}) ==
        Ints{1, 4});
  CHECK(ints("Equal", {HostArray::of({1, 2}), HostArray::of({1, 3})}) == Ints{1, 0});
  CHECK(ints("ReduceProd", {HostArray::of({2, 3, 4})}, {{"keepdims", {0}}}) == Ints{24});
  CHECK(ints("Range", {HostArray::scalar(5), HostArray::scalar(0), HostArray::scalar(-2)}) == Ints{5, 3, 1});
  CHECK(ints("Transpose", {shaped({2, 3}, {0, 1, 2, 3, 4, 5})}) == Ints{0, 3, 1, 4, 2, 5});
  CHECK(ints("Tile", {HostArray::of({1, 2}), HostArray::of({2})}) == Ints{1, 2, 1, 2});
  CHECK(ints("Expand", {shaped({2, 1}, {1, 2}), HostArray::of({2, 2})}) == Ints{1, 1, 2, 2});
  CHECK(ints("NonZero", {HostArray::of({0, 5, 0, 6})}) == Ints{1, 3});
  CHECK(ints("ConstantOfShape", {HostArray::of({2}), HostArray::scalar(7)}) == Ints{7, 7});
  CHECK(ints("Cast", {HostArray::scalar_f32(2.9)}, {{"to", {7}}}) == Ints{2});
  auto shape = run("Reshape", {HostArray::of({1, 2, 3, 4, 5, 6}), HostArray::of({2, -1})});
  REQUIRE(shape.ok());
  CHECK(to_string(shape->sizes) == "[2, 3]");
  auto old = run("Unsqueeze", {HostArray::of({1, 2})}, {{"axes", {0, 2}}}, 11);
  REQUIRE(old.ok());
  CHECK(to_string(old->sizes) == "[1, 2, 1]");
  auto mean = run("ReduceMean", {HostArray{DType::F32, {2, 2}, {}, {1, 2, 3, 4}}}, {{"axes", {1}}, {"keepdims", {0}}});
  REQUIRE(mean.ok());
  CHECK(mean->floats == std::vector<double>{1.5, 3.5});
}

TEST_CASE("mismatching shapes are errors, never computed") {
  CHECK(!run("Gather", {HostArray::of({1}), HostArray::scalar(1)}).ok());
  CHECK(!run("Div", {HostArray::of({1}), HostArray::of({0})}).ok());
  CHECK(run("Div", {HostArray::of({INT64_MIN}), HostArray::of({-1})}).ok());
  CHECK(!run("Add", {HostArray::of({1, 2}), HostArray::of({1, 2, 3})}).ok());
  CHECK(!run("Reshape", {HostArray::of({1, 2, 3}), HostArray::of({2, -1})}).ok());
  CHECK(!run("Reshape", {HostArray::of({1, 2, 3}), HostArray::of(Ints(9, 1))}).ok());
  CHECK(!run("Expand", {HostArray::of({1}), HostArray::of({int64_t{1} << 40})}).ok());
  CHECK(!run("ConstantOfShape", {HostArray::of({int64_t{1} << 40, int64_t{1} << 40}), HostArray::scalar(1)}).ok());
  CHECK(!run("Range", {HostArray::scalar(0), HostArray::scalar(INT64_MAX), HostArray::scalar(1)}).ok());
  CHECK(!run("Range", {HostArray::scalar(0), HostArray::scalar(1), HostArray::scalar(0)}).ok());
  CHECK(!run("Tile", {HostArray::of({1, 2}), HostArray::of({INT64_MAX})}).ok());
  CHECK(!run("Transpose", {shaped({2, 2}, {1, 2, 3, 4})}, {{"perm", {0, 0}}}).ok());
  CHECK(!run("Squeeze", {HostArray::of({1, 2}), HostArray::of({0})}).ok());
  CHECK(!run("ReduceMax", {HostArray::of({})}).ok());
  CHECK(!run("Mystery", {HostArray::of({1})}).ok());
}
