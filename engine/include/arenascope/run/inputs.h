// SPDX-License-Identifier: MIT
// What a run is given: files for a model's inputs, whose shapes settle the model's unknown ones.
#pragma once
#include <map>
#include <string>

#include <arenascope/models/model.h>

namespace arenascope {

using InputFiles = std::map<std::string, std::string>;  // input name → .npy or .pb file

// Reads the input files into `open.inputs` and opens the model (`spec` as models::open_model() takes it), so that their
// shapes settle its unknown ones. Without files the first data set beside an ONNX test case does. Errors: a file or the
// model cannot be read.
Result<models::Model> open_with_inputs(const std::string& spec, const InputFiles& files, models::OpenOptions& open);

// Error: a file is for an input that the model has not, or holds another type or shape than it takes.
Status check_given_inputs(const models::Model& model, const InputFiles& files, const models::OpenOptions& open);

}  // namespace arenascope
