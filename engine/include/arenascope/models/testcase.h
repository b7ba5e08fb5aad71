// SPDX-License-Identifier: MIT
// ONNX's test-case layout: beside a model.onnx, folders test_data_set_N with input_I.pb and output_I.pb, each one
// TensorProto; .npy files (input_I.npy, output_I.npy) are read in their place too. Where the model's input or output is
// a sequence or an optional value, so is the file; its tensors are named NAME[0], NAME[1], …
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/models/model.h>
#include <arenascope/models/words.h>
#include <arenascope/tensor/tensor.h>

#include <filesystem>
#include <string>
#include <vector>

namespace arenascope::models {

struct NamedTensor {
  std::string name;       // empty where the file has none: then its place among the model's inputs or outputs counts
  Tensor tensor;          // on the host
  Words words = nullptr;  // it holds strings: its numbers are places among these
  bool complex = false;   // of COMPLEX64: each number is the bytes of two f32, the real part first
};

struct TestCase {
  std::string name;  // the folder's, e.g. "test_data_set_0"
  std::vector<NamedTensor> inputs;
  std::vector<NamedTensor> outputs;  // as expected
};

// A TensorProto file. Errors: damaged, a type of which there are no tensors (COMPLEX128, sequences), sizes and bytes that
// differ.
Result<NamedTensor> read_tensor_pb(const std::filesystem::path& path);
Status write_tensor_pb(const std::filesystem::path& path, const std::string& name, const Tensor& tensor,
                       const Words& words = nullptr, bool complex = false);
// By the ending: .npy, .pb, or an image (.jpg, .png, …), which is given as its bytes, [count] of u8.
Result<NamedTensor> read_tensor_file(const std::filesystem::path& path);

// The cases beside a model, in order of their numbers; none is no error.
Result<std::vector<TestCase>> read_test_cases(const std::filesystem::path& model_folder);

// The first case's inputs as OpenOptions wants them, by name; files that cannot be read are left out.
Result<GivenInputs> first_case_inputs(const std::filesystem::path& model_folder);
// Files for a model's inputs, by name: as read_tensor_file() reads them, and where an input of an ONNX file is a sequence, an
// optional value or a map, a .pb is such a one. Errors: a file cannot be read.
Result<GivenInputs> read_inputs(const std::filesystem::path& model, const std::map<std::string, std::string>& files);

}  // namespace arenascope::models
