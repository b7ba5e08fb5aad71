// SPDX-License-Identifier: GPL-3.0-or-later
// Files that tests write for arenascope-cli and read back.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_folder.h"

namespace arenascope::test {

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);

// Float32 in C order.
struct Array {
  std::vector<int64_t> shape;
  std::vector<float> values;
};
std::string npy_bytes(const Array& array);
// Empty if the bytes are not a valid file.
Array read_npy(const std::filesystem::path& path);

// A model of one node, z = x + y, each float32 with `size` elements; negative: symbolic size N.
std::string add_model(int64_t size);
// z = op(x), float32 with `size` elements.
std::string unary_model(const char* op, int64_t size);
// z = op(x), u = op(x) with an op that does not exist: z is declared without a shape, u is N × 3.
std::string unknown_model();
// z = x * yᵀ, float32 matrices.
std::string product_model(int64_t rows, int64_t depth, int64_t columns);
// The same with y as a zero weight, written directly to a file at an offset of a multiple of 64 plus `shift`.
void write_weighted_product(const std::string& path, int64_t rows, int64_t depth, int64_t columns, size_t shift);
// An ONNX TensorProto.
std::string tensor_proto(const std::string& name, const Array& array);

}  // namespace arenascope::test
