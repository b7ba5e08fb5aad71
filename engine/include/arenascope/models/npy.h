// SPDX-License-Identifier: MIT
// NumPy's .npy files (format 1 to 3): one array each. Fortran order is converted to C order while reading.
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

// Errors name the file: not .npy, an unsupported type or byte order, a size that differs from the header. complex64 is
// supported if `complex` is given, which is then set: each I64 element has the bytes of two f32.
Result<Tensor> read_npy(const std::filesystem::path& path, bool* complex = nullptr);
Result<Tensor> parse_npy(std::span<const std::byte> bytes, bool* complex = nullptr);

// bf16 has no name in NumPy and is refused, like quantised types. `complex`: an I64 tensor as above.
Status write_npy(const std::filesystem::path& path, const Tensor& tensor, bool complex = false);
Result<std::vector<std::byte>> format_npy(const Tensor& tensor, bool complex = false);

}  // namespace arenascope::models
