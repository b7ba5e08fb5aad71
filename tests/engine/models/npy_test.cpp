// SPDX-License-Identifier: MIT
#include <arenascope/models/npy.h>
#include <doctest/doctest.h>
#include "engine/models/seeded.h"

#include <cstring>
#include <numeric>
#include <string>

using namespace arenascope;
using namespace arenascope::models;

namespace {

std::vector<std::byte> npy(const std::string& header, const std::string& data, char major = 1) {
  std::string text = "\x93NUMPY";
  text += major;
  text += '\0';
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  if (major > 1) text += std::string(2, '\0');
  text += header + data;
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace

TEST_CASE("every NumPy type round-trips") {
  for (int t = 0; t < kDTypeCount; ++t) {
    const auto dtype = static_cast<DType>(t);
    if (info(dtype).quantised || dtype == DType::BF16) continue;
    for (const Dims& sizes : {Dims{}, Dims{3}, Dims{2, 3}, Dims{0, 4}, Dims{1, 2, 1, 2, 1, 2, 1, 2}}) {
      auto tensor = host_tensor(sizes, dtype);
      REQUIRE(tensor.ok());
      for (Bytes i = 0; i < (*tensor)->byte_count(); ++i) (*tensor)->data()[i] = static_cast<std::byte>(i * 7);
      auto bytes = format_npy(*tensor);
      REQUIRE(bytes.ok());
      auto back = parse_npy(*bytes);
      REQUIRE(back.ok());
      CHECK(back->dtype() == dtype);
      CHECK(back->sizes() == sizes);
      if ((*tensor)->byte_count() > 0)
        CHECK(std::memcmp((*back)->data(), (*tensor)->data(), static_cast<size_t>((*tensor)->byte_count())) == 0);
    }
  }
  auto brain = host_tensor({2}, DType::BF16);
  REQUIRE(brain.ok());
  CHECK(!format_npy(*brain).ok());
}

TEST_CASE("Fortran order is transposed") {
  std::string data(6, '\0');
  std::iota(data.begin(), data.end(), '\0');
  auto tensor = parse_npy(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", data));
  REQUIRE(tensor.ok());
  const auto* v = tensor->data_as<uint8_t>();
  CHECK(std::vector<int>(v, v + 6) == std::vector<int>{0, 2, 4, 1, 3, 5});
}

TEST_CASE("headers of versions 2 and 3 and of other writers are parsed") {
  CHECK(parse_npy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", "ab", 2)).ok());
  CHECK(parse_npy(npy("{'descr':'|u1','fortran_order':False,'shape':(2,)}", "ab", 3)).ok());
  CHECK(parse_npy(npy("{\"shape\": (2L,), \"descr\": \"<i1\", \"fortran_order\": False}", "ab")).ok());
}

TEST_CASE("invalid and inconsistent .npy files are errors") {
  const std::string good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n";
  CHECK(parse_npy(npy(good, "ab")).ok());
  CHECK(!parse_npy({}).ok());
  CHECK(!parse_npy(npy(good, "a")).ok());
  CHECK(!parse_npy(npy(good, "abc")).ok());
  CHECK(!parse_npy(npy(good, "ab", 4)).ok());
  for (const char* header :
       {"", "{", "{}", "{'descr': '|u1'}", "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), } more",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '|u1', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': 2}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '|u1', 'fortran_order': True, 'shape': (1,1,1,1,1,1,1,1,2)}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (2,)}"}) {
    CAPTURE(header);
    CHECK(!parse_npy(npy(header, "ab")).ok());
  }
  const auto wide = parse_npy(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,1,3,1,1,1,1,1,1)}", "abcdef"));
  REQUIRE(wide.ok());
  CHECK(wide->sizes() == Dims{2, 3, 1, 1, 1, 1, 1, 1});  // nine dimensions, the outermost two as one
  auto bytes = npy(good, "ab");
  for (size_t cut = 0; cut < bytes.size(); ++cut) CHECK(!parse_npy(std::span(bytes).first(cut)).ok());
}
