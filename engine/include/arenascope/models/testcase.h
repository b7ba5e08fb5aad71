// SPDX-License-Identifier: MIT
// ONNX's test-case layout: next to model.onnx, folders test_data_set_N contain input_I.pb and output_I.pb, one
// TensorProto each; .npy files (input_I.npy, output_I.npy) are accepted instead. Files of sequence or optional values
// hold a SequenceProto or OptionalProto; their tensors are named NAME[0], NAME[1], …
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/models/model.h>
#include <arenascope/models/string_table.h>
#include <arenascope/tensor/tensor.h>

#include <filesystem>
#include <string>
#include <vector>

namespace arenascope::models {

struct NamedTensor {
  std::string name;  // empty if the file has no name: then its index among the model's inputs or outputs is used
  Tensor tensor;     // on the host
  StringTable strings = nullptr;  // string tensors: the I64 elements are indices into this table
  bool complex = false;           // COMPLEX64: each element holds two f32, real part first
};

struct TestCase {
  std::string name;  // the folder's, e.g. "test_data_set_0"
  std::vector<NamedTensor> inputs;
  std::vector<NamedTensor> outputs;  // expected values
};

// Reads a TensorProto file. Errors: damaged file, unsupported type (COMPLEX128, sequences), size and byte count that
// differ.
Result<NamedTensor> read_tensor_pb(const std::filesystem::path& path);
Status write_tensor_pb(const std::filesystem::path& path, const std::string& name, const Tensor& tensor,
                       const StringTable& strings = nullptr, bool complex = false);
// Reads a file by its extension: .npy, .pb, or an image (.jpg, .png, …), which is returned as its raw bytes, u8
// [count].
Result<NamedTensor> read_tensor_file(const std::filesystem::path& path);

// The test cases next to a model, in numerical order. An empty list is not an error.
Result<std::vector<TestCase>> read_test_cases(const std::filesystem::path& model_folder);

// Inputs of the first case by name, for OpenOptions; unreadable files are skipped.
Result<GivenInputs> first_case_inputs(const std::filesystem::path& model_folder);
// Reads files for a model's inputs, by name, as read_tensor_file() does. For an ONNX input that is a sequence, an
// optional value or a map, the .pb holds that type. Errors: a file cannot be read.
Result<GivenInputs> read_inputs(const std::filesystem::path& model, const std::map<std::string, std::string>& files);

}  // namespace arenascope::models
