// SPDX-License-Identifier: MIT
// What ONNX says of its operators in each opset: sources, results, attributes, types, and what some consist of. Facts from a
// checked-in table, onnx_schemas.inc, which packaging/onnx/schemas makes; its first lines say how it is written.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models::ir {

// Bit n: tensors whose elements have the file's code n; besides them what is no tensor.
using TypeSet = uint64_t;
inline constexpr TypeSet kSequences = TypeSet{1} << 40, kOptionals = TypeSet{1} << 41, kMaps = TypeSet{1} << 42;

// A source or a result.
struct Formal {
  enum class Option : uint8_t { Single, Optional, Variadic };
  std::string_view name, type;  // of the same type: the same text
  TypeSet allowed = 0;
  Option option = Option::Single;
  int64_t least = 0;        // of variadic ones
  bool homogeneous = true;  // these are all of one type
};

struct AttributeRule {
  std::string_view name;
  int32_t kind = 0;  // as Attribute::kind
  bool required = false;
  std::optional<Attribute> usual;  // the value of one that is left out
};

struct Schema {
  std::string_view op;
  int64_t since = 1;
  bool gone = false;  // there was such an operator before
  std::vector<Formal> inputs, outputs;
  std::vector<AttributeRule> attributes;
  std::shared_ptr<const Function> body;  // null: it does not consist of others, or ONNX tells it for given types only

  const AttributeRule* attribute(std::string_view name) const;
};

// The schemas that one opening asks for. The table is looked through once a process, each schema read when it is needed.
class Schemas {
 public:
  // Whether the table has an operator at all.
  static bool knows(const std::string& domain, const std::string& op);
  // Null: it has none of that name, or not in this opset yet.
  const Schema* find(const std::string& domain, const std::string& op, int64_t opset);
  // The first opset that has it; of operators that the table knows.
  static int64_t first_opset(const std::string& domain, const std::string& op);
  // Of a domain; 0: the table has none of it.
  static int64_t newest_opset(const std::string& domain);
  // All operators, as "DOMAIN::OP", ONNX's own without "::".
  static std::vector<std::string> names();

 private:
  std::map<std::pair<const void*, int64_t>, std::unique_ptr<const Schema>> read_;  // by the table's entry, opset
};

// What ONNX's specification does not allow of a node, in a sentence; empty where it fits. `types`: of its sources, one bit
// each, 0 where they are not known.
std::string schema_mismatch(const Node& node, const Schema& schema, const std::vector<TypeSet>& types);

}  // namespace arenascope::models::ir
