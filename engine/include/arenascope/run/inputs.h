// SPDX-License-Identifier: MIT
// Files as inputs of a model. Their shapes determine free dimensions of the model.
#pragma once
#include <map>
#include <string>

#include <arenascope/models/model.h>

namespace arenascope {

using InputFiles = std::map<std::string, std::string>;  // input name → .npy or .pb file

// Reads the input files into `open.inputs` and opens the model (`spec` as in models::open_model()) with their shapes. Without
// files, an ONNX test case uses its first data set. Errors: a file or the model cannot be read.
Result<models::Model> open_with_inputs(const std::string& spec, const InputFiles& files, models::OpenOptions& open);

// Errors: the model has no input of that name, or a file's type or shape does not match the input.
Status check_given_inputs(const models::Model& model, const InputFiles& files, const models::OpenOptions& open);

}  // namespace arenascope
