// SPDX-License-Identifier: MIT
// An ONNX file as plain values, the interface between reader and lowering, so that only one file depends on protobuf's
// classes. Weight data is not copied: it stays in the mapped file, or in mapped external files.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/models/model.h>
#include <arenascope/models/string_table.h>
#include <arenascope/models/weight_source.h>
#include <arenascope/tensor/shape.h>
#include "engine/models/mapped_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace arenascope::models::ir {

struct TensorData {
  std::string name;
  int32_t type = 0;            // the file's type code
  std::optional<DType> dtype;  // none: a type without tensors (strings, COMPLEX128, ...)
  StringTable strings;         // of strings: `source` has their indices, as I64
  Dims sizes;
  std::vector<int64_t> full_shape;  // all of them, where there are more than kMaxDims
  int64_t byte_count = 0;
  WeightSource source;  // of byte_count bytes, contiguous, little endian

  std::span<const std::byte> bytes() const { return source.bytes(); }
  // False for a sparse tensor, which is expanded when it is loaded.
  bool lies_as_bytes() const { return static_cast<int64_t>(bytes().size()) == byte_count; }
};

struct Graph;

struct Attribute {
  // The type, with ONNX's codes.
  enum Kind : int32_t { kUntold, kFloat, kInt, kString, kTensor, kGraph, kFloats, kInts, kStrings };
  int32_t kind = kUntold;
  float f = 0;
  int64_t i = 0;
  std::string s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  std::shared_ptr<TensorData> tensor, sparse;
  std::shared_ptr<Graph> graph;
  std::string passed_on;  // in a function: the one of the call whose value this is
  bool odd = false;       // a kind that no operator here reads (types, lists of tensors, ...)
  bool repeated = false;  // the node has several of that name
};

struct Node {
  std::string op, domain, name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Attribute> attributes;
  int64_t opset = 1;       // opset of its domain
  bool continues = false;  // created here: the remainder of a node, with separate attributes and inputs
  std::string within;      // the function calls that it comes from, as a layer inside of its own layer

  // "Conv 'conv1'", or with the first output if the node has no name.
  std::string label() const;
  // The operator, prefixed with "DOMAIN::" if it is not in ONNX's own domain.
  std::string full_name() const;
};

// A dimension of -1 is not known; `symbol` is its name, if it has one.
struct ValueType {
  std::string name;
  int32_t type = 0;  // 0: not specified, or not a tensor
  std::optional<DType> dtype;
  bool has_shape = false;
  std::vector<int64_t> sizes;
  std::vector<std::string> symbols;
  // The kind of value; for sequences and optional values the fields above describe the tensors in it.
  enum class Kind : uint8_t { Tensor, Sequence, Optional, OptionalSequence, Map, Other };
  Kind kind = Kind::Tensor;
};

// The contents of a test case's file: a tensor, the tensors of a sequence, or nothing if it is optional; for a map, its
// values and then its keys.
struct Parsed {
  bool there = true, sequence = false;
  std::vector<TensorData> tensors;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;  // inputs before users
  std::vector<TensorData> weights;
  std::vector<ValueType> inputs;  // without the weights, which old files list too
  std::vector<ValueType> outputs;
  std::vector<ValueType> values;  // declared types of intermediate tensors
};

// The body of a function, which replaces its calls.
struct Function {
  std::string name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Attribute> usual;  // values of attributes that a call leaves out
  std::vector<Node> nodes;                 // inputs before users
};
using Functions = std::map<std::pair<std::string, std::string>, std::shared_ptr<const Function>>;  // by domain and name

struct File {
  int64_t ir_version = 0;
  std::string producer;
  std::map<std::string, int64_t> opsets;  // by domain; "" is ONNX's own
  Functions functions;
  Graph graph;
  MissingData missing;
};

// At most kMaxDims sizes; further outer dimensions are folded into one. None: overflow or a negative size.
std::optional<Dims> fold_outermost(std::span<const int64_t> sizes);

// "FLOAT", "STRING", ... of a type code.
std::string type_name(int32_t type);
std::optional<DType> to_dtype(int32_t type);

// Reads and validates a file without its weight data: every weight has the size of its shape, names are
// written once, and nodes can be sorted. Errors name the file, the reason and the location; allocations are limited by the
// size of the file.
Result<File> read_onnx(const std::filesystem::path& path);
// The same for a file that is already mapped; external data is looked for in `folder`.
Result<File> parse_onnx(const std::shared_ptr<const MappedFile>& file, const std::filesystem::path& folder);
// A TensorProto by itself (a test case's input or output).
Result<TensorData> parse_tensor(const std::shared_ptr<const MappedFile>& file);
// A SequenceProto, OptionalProto or MapProto, according to `kind`; or a tensor as above.
Result<Parsed> parse_value(const std::shared_ptr<const MappedFile>& file, ValueType::Kind kind);
std::vector<std::byte> serialize_tensor(const std::string& name, DType dtype, const Dims& sizes,
                                        std::span<const std::byte> bytes, const StringTable& strings = nullptr,
                                        bool complex = false);
inline constexpr int32_t kStringType = 8, kBFloat16Type = 16;  // the file's codes
inline constexpr int32_t kComplex64 = 14;                      // pairs of f32, each stored in an I64

// The names that a graph inside a node may read: its own and those of the graphs around it.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_set<std::string> names;
  bool has(const std::string& name) const { return names.count(name) != 0 || (outer && outer->has(name)); }
};

// Puts the nodes of a graph in an order in which inputs come before users. `outer` are names from outside.
// Errors: a name that is written twice, one that nothing writes, a cycle.
Status sort_nodes(Graph& graph, const Scope* outer);

// The path of external data; nullopt if there is no such file. Errors: `location` leaves `folder` (an absolute path,
// "..", a link), or is not a file.
Result<std::optional<std::filesystem::path>> find_external(const std::filesystem::path& folder,
                                                           const std::string& location);
// The part of an external file that contains a weight of `expected` bytes; nullopt if the file is too short. `length`
// -1: unspecified. Error: another length than expected, an invalid offset.
Result<std::optional<std::span<const std::byte>>> external_part(std::span<const std::byte> file, int64_t offset,
                                                                int64_t length, int64_t expected);

}  // namespace arenascope::models::ir
