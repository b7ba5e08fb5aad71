// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run's inputs come from when a file or nothing is given.
#pragma once
#include <string>

#include <arenascope/tensor/tensor.h>

namespace arenascope::app {

// Fills a bound, contiguous tensor from a .npy file or an ONNX tensor (.pb). Errors: unreadable, another type or shape.
Status read_input_file(const std::string& path, TensorImpl& tensor);

// Fills it with numbers that depend on its name alone: floats in [-1, 1), whole numbers 0.
Status fill_seeded(TensorImpl& tensor);

}  // namespace arenascope::app
