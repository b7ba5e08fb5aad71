// SPDX-License-Identifier: MIT
// ONNX's operator schemas by opset: inputs, outputs, attributes, types, and function bodies. The data comes from a
// checked-in table, onnx_schemas.inc, which packaging/onnx/schemas generates; its first lines document the format.
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

// Bit n: tensors with element type code n; further bits for types that are not tensors.
using TypeSet = uint64_t;
inline constexpr TypeSet kSequences = TypeSet{1} << 40, kOptionals = TypeSet{1} << 41, kMaps = TypeSet{1} << 42;

// An input or a result.
struct Formal {
  enum class Option : uint8_t { Single, Optional, Variadic };
  std::string_view name, type;  // of the same type: the same text
  TypeSet allowed = 0;
  Option option = Option::Single;
  int64_t least = 0;        // minimum number of variadic ones
  bool homogeneous = true;  // these are all of one type
};

struct AttributeRule {
  std::string_view name;
  int32_t kind = 0;  // as Attribute::kind
  bool required = false;
  std::optional<Attribute> usual;  // the default value
};

struct Schema {
  std::string_view op;
  int64_t since = 1;
  bool gone = false;  // removed in this opset
  std::vector<Formal> inputs, outputs;
  std::vector<AttributeRule> attributes;
  std::shared_ptr<const Function> body;  // null: no function body, or only for certain types

  const AttributeRule* attribute(std::string_view name) const;
};

// The schemas used while one model is opened. The table is indexed once per process; each schema is parsed on demand.
class Schemas {
 public:
  // True if the table has the operator in any opset.
  static bool knows(const std::string& domain, const std::string& op);
  // Null: unknown operator, or not yet in this opset.
  const Schema* find(const std::string& domain, const std::string& op, int64_t opset);
  // The first opset that has it; the operator must be known.
  static int64_t first_opset(const std::string& domain, const std::string& op);
  // The newest opset of a domain; 0: the domain is unknown.
  static int64_t newest_opset(const std::string& domain);
  // All operators, as "DOMAIN::OP", ONNX's own without "::".
  static std::vector<std::string> names();

 private:
  std::map<std::pair<const void*, int64_t>, std::unique_ptr<const Schema>> read_;  // by the table's entry, opset
};

// Checks a node against its schema: the first violation as an error message, or empty. `types`: of its inputs, one bit
// each, 0 where they are not known.
std::string schema_mismatch(const Node& node, const Schema& schema, const std::vector<TypeSet>& types);

}  // namespace arenascope::models::ir
