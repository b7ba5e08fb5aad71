// SPDX-License-Identifier: GPL-3.0-or-later
// Files that the tests write for arenascope-cli and read from it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace arenascope::test {

// A folder of its own, gone with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);

// Float32 in C order.
struct Array {
  std::vector<int64_t> shape;
  std::vector<float> values;
};
std::string npy_bytes(const Array& array);
// Empty where the bytes are no such file.
Array read_npy(const std::filesystem::path& path);

// A model of one node, z = x + y, each float32 of `size` elements; negative: of the symbolic size N.
std::string add_model(int64_t size);
// z = op(x), float32 of `size` elements.
std::string unary_model(const char* op, int64_t size);
// z = x * y transposed, matrices of float32.
std::string product_model(int64_t rows, int64_t depth, int64_t columns);
// The same with y a weight of zeros, written straight to a file, its first byte at a multiple of 64 plus `shift`.
void write_weighted_product(const std::string& path, int64_t rows, int64_t depth, int64_t columns, size_t shift);
// An ONNX TensorProto.
std::string tensor_proto(const std::string& name, const Array& array);

}  // namespace arenascope::test
