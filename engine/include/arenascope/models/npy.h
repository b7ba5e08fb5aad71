// SPDX-License-Identifier: MIT
// NumPy's .npy files (format 1 to 3): one array each. Fortran order is turned into C order while reading.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/tensor.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace arenascope::models {

// A contiguous tensor of its own memory on the host.
Result<Tensor> host_tensor(const Dims& sizes, DType dtype);

// Errors name the file: no .npy, a type or byte order that is not read here, a size that differs from what the header
// says.
Result<Tensor> read_npy(const std::filesystem::path& path);
Result<Tensor> parse_npy(std::span<const std::byte> bytes);

// bf16 has no name in NumPy and is refused, like quantised types.
Status write_npy(const std::filesystem::path& path, const Tensor& tensor);
Result<std::vector<std::byte>> format_npy(const Tensor& tensor);

}  // namespace arenascope::models
