// SPDX-License-Identifier: MIT
// Makes small ONNX files in memory, so that tests need no data. Keeps protobuf's headers out of the tests.
#pragma once
#include "engine/models/onnx/onnx.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace arenascope::models::test {

class OnnxMaker;

struct Attr {
  std::string name;
  std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, const OnnxMaker*,
               std::vector<std::string>>
      value;
  std::string passed_on = {};  // in a function: the name of its own attribute that this one has the value of
};

// ONNX's codes of element types.
enum ElementType {
  kFloat = 1,
  kUint8 = 2,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kDouble = 11,
  kComplex64 = 14,
  kInt4 = 22
};

class OnnxMaker {
 public:
  explicit OnnxMaker(int64_t opset = 13);
  ~OnnxMaker();
  OnnxMaker(const OnnxMaker&) = delete;
  OnnxMaker& operator=(const OnnxMaker&) = delete;

  // Sizes below 0 become symbols "n1", "n2", … (-1 is n1).
  OnnxMaker& input(const std::string& name, const std::vector<int64_t>& sizes, int type = kFloat);
  // Sizes as text: numbers, symbols, or "" for a dimension without a name.
  OnnxMaker& symbolic_input(const std::string& name, const std::vector<std::string>& sizes, int type = kFloat);
  // A map from keys of one type to numbers or strings of another, and a sequence of tensors.
  OnnxMaker& map_input(const std::string& name, int keys, int values);
  OnnxMaker& sequence_input(const std::string& name, int type = kFloat);
  OnnxMaker& output(const std::string& name, const std::vector<int64_t>& sizes = {}, int type = kFloat);
  OnnxMaker& value(const std::string& name, const std::vector<int64_t>& sizes, int type = kFloat);
  OnnxMaker& weight(const std::string& name, const std::vector<int64_t>& sizes, const std::vector<float>& numbers);
  OnnxMaker& weight(const std::string& name, const std::vector<int64_t>& sizes, const std::vector<int64_t>& numbers);
  OnnxMaker& weight(const std::string& name, const std::vector<int64_t>& sizes,
                    const std::vector<std::string>& strings);
  // The raw bytes, even if they do not match the sizes.
  OnnxMaker& raw_weight(const std::string& name, const std::vector<int64_t>& sizes, const std::string& bytes,
                        int type = kFloat);
  // A sparse weight, or that of a Constant: values and their indices,
  // one linear index each, or as many as there are dimensions.
  OnnxMaker& sparse_weight(const std::string& name, const std::vector<int64_t>& sizes,
                           const std::vector<int64_t>& indices, const std::vector<float>& numbers);
  OnnxMaker& sparse_constant(const std::string& name, const std::vector<int64_t>& sizes,
                             const std::vector<int64_t>& indices, const std::vector<float>& numbers);
  OnnxMaker& sparse_input(const std::string& name, const std::vector<int64_t>& sizes, int type = kFloat);
  // A part of a weight: its numbers from `begin` on.
  OnnxMaker& segment(const std::string& name, const std::vector<int64_t>& sizes, int64_t begin,
                     const std::vector<float>& numbers);
  OnnxMaker& external_weight(const std::string& name, const std::vector<int64_t>& sizes,
                             const std::vector<std::pair<std::string, std::string>>& entries, int type = kFloat);
  OnnxMaker& node(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs, const std::vector<Attr>& attributes = {},
                  const std::string& name = "", const std::string& domain = "");

  // The opset of another domain.
  OnnxMaker& opset(const std::string& domain, int64_t version);

  // The nodes added so far become a function "own::NAME" of the model, which then has none.
  OnnxMaker& function(const std::string& name, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs, const std::vector<std::string>& attributes = {},
                      int64_t opset = 13);

  std::vector<std::byte> bytes() const;
  Result<Model> open(const OpenOptions& options = {}, const std::filesystem::path& folder = {}) const;

 private:
  struct Proto;
  std::unique_ptr<Proto> proto_;
};

// A MapProto and a SequenceProto as files hold them.
std::vector<std::byte> map_file(const std::vector<std::string>& keys, const std::vector<float>& values);
std::vector<std::byte> map_file(const std::vector<int64_t>& keys, const std::vector<float>& values);
std::vector<std::byte> sequence_file(const std::vector<std::vector<float>>& lines);

}  // namespace arenascope::models::test
