// SPDX-License-Identifier: MIT
// NumPy's .npy files, read and written: one array, its type and shape in a small header.
// Format: numpy.lib.format, versions 1.0 to 3.0, little endian.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include <arenascope/tensor/shape.h>

namespace arenascope::models {

// An array on the host, row-major and contiguous.
struct NpyArray {
  DType dtype = DType::F32;
  Dims sizes;
  std::vector<std::byte> bytes;
};

// Column-major arrays are put in row-major order. Errors name the file: unreadable, no .npy, another byte order, a
// type or rank that tensors do not have, data that ends early.
Result<NpyArray> read_npy(const std::filesystem::path& path);
Result<NpyArray> parse_npy(std::span<const std::byte> file, const std::string& name);

// `bytes` are the elements, row-major. Errors: a type that NumPy does not have, a file that cannot be written.
Status write_npy(const std::filesystem::path& path, DType dtype, const Dims& sizes, std::span<const std::byte> bytes);

}  // namespace arenascope::models
