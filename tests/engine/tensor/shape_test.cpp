// SPDX-License-Identifier: MIT
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/tensor/shape.h>

namespace arenascope {

TEST_CASE("every element type has a parsable name and blocks of complete bytes") {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    const DTypeInfo& t = info(type);
    REQUIRE(parse_dtype(t.name) == type);
    CHECK(t.block_elements >= 1);
    CHECK(t.block_bytes >= 1);
    CHECK(t.quantised == (t.block_elements > 1));
    CHECK_FALSE((t.quantised && t.floating));
  }
  CHECK(info(DType::Q4_0).block_bytes == 18);
  CHECK(info(DType::Q6_K).block_bytes == 210);
  CHECK_FALSE(parse_dtype("f33"));
  CHECK_FALSE(parse_dtype(""));
}

TEST_CASE("sizes are counted, invalid ones are errors") {
  CHECK(*checked_element_count({}) == 1);
  CHECK(*checked_element_count({2, 3, 4}) == 24);
  CHECK(*checked_element_count({2, 0, 4}) == 0);
  CHECK(*checked_element_count({INT64_MAX}) == INT64_MAX);

  const auto negative = checked_element_count({2, -3});
  REQUIRE_FALSE(negative);
  CHECK(negative.error().message == "shape [2, -3] has the negative size -3");
  CHECK_FALSE(checked_element_count({0, -1}));
  CHECK_FALSE(checked_element_count({INT64_MAX, 2}));
  CHECK_FALSE(checked_element_count({int64_t{1} << 32, int64_t{1} << 31}));
  // An empty dimension does not excuse the others: their strides would not fit.
  CHECK_FALSE(checked_element_count({int64_t{1} << 40, 0, int64_t{1} << 40}));
}

TEST_CASE("bytes are counted in blocks") {
  CHECK(*checked_byte_count({3, 5}, DType::F32) == 60);
  CHECK(*checked_byte_count({3, 64}, DType::Q4_0) == 3 * 2 * 18);
  CHECK(*checked_byte_count({2, 256}, DType::Q6_K) == 2 * 210);
  CHECK(*checked_byte_count({0, 64}, DType::Q8_0) == 0);
  CHECK_FALSE(checked_byte_count({3, 33}, DType::Q4_0));
  CHECK_FALSE(checked_byte_count({INT64_MAX / 4 + 1}, DType::F32));
  CHECK(checked_byte_count({INT64_MAX / 4}, DType::F32));
  CHECK(checked_byte_count({}, DType::Q4_0).error().message == "a scalar cannot have the block type q4_0");
}

TEST_CASE("too many dimensions are an error") {
  const std::vector<int64_t> nine(9, 1), eight(8, 2);
  CHECK_FALSE(checked_dims(nine));
  REQUIRE(checked_dims(eight));
  CHECK(checked_dims(eight)->rank() == 8);
  CHECK(to_string(*checked_dims(std::vector<int64_t>{3, -1})) == "[3, -1]");
}

TEST_CASE("row-major strides are contiguous") {
  CHECK(contiguous_strides({2, 3, 4}) == Dims{12, 4, 1});
  CHECK(contiguous_strides({2, 0, 4}) == Dims{4, 4, 1});
  CHECK(contiguous_strides({}) == Dims{});
  CHECK(is_contiguous({2, 3}, {3, 1}));
  CHECK_FALSE(is_contiguous({2, 3}, {1, 2}));
  CHECK(is_contiguous({1, 3}, {77, 1}));  // the stride of a dimension of size 1 is not used
  CHECK(is_contiguous({0, 3}, {9, 9}));
  CHECK_FALSE(is_contiguous({2, 3}, {0, 1}));
}

TEST_CASE("broadcasting follows NumPy") {
  CHECK(*broadcast({4, 1, 3}, {5, 1}) == Dims{4, 5, 3});
  CHECK(*broadcast({}, {2, 2}) == Dims{2, 2});
  CHECK(*broadcast({1}, {0}) == Dims{0});
  const auto bad = broadcast({2, 3}, {2, 4});
  REQUIRE_FALSE(bad);
  CHECK(bad.error().message == "shapes [2, 3] and [2, 4] do not broadcast: 3 against 4 in dimension -1");
}

TEST_CASE("Dims is indexed from both ends") {
  Dims d{7, 8, 9};
  CHECK(d.back() == 9);
  CHECK(d.back(2) == 7);
  CHECK(d.back(3) == 1);
  d.push_back(1);
  CHECK(d.rank() == 4);
  d.resize(2);
  CHECK(d == Dims{7, 8});
  CHECK_FALSE(d == Dims{7, 9});
  CHECK(Dims::filled(3, 5) == Dims{5, 5, 5});
}

}  // namespace arenascope
