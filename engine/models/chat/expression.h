// SPDX-License-Identifier: MIT
// Expressions of a chat template: the part of Jinja that templates of published models use.
#pragma once
#include <arenascope/base/result.h>
#include "engine/models/chat/value.h"

#include <string_view>

namespace arenascope::models::chat {

struct Expression {
  enum class Kind {
    Constant,
    Name,
    Field,
    Index,
    Slice,
    Call,
    Filter,
    Test,
    Unary,
    Binary,
    Choice,
    MakeList,
    MakeObject
  };
  Kind kind = Kind::Constant;
  std::string name;  // of a name, field, filter, test, operator, called function
  Value constant;
  std::vector<Expression> parts;  // in the order in which they are written; absent ones are Constant and undefined
  std::vector<std::string> keys;  // keys of an object, or of named arguments ("": positional)
};

// Errors state the unexpected and the expected token.
Result<Expression> parse_expression(std::string_view text);
// `names`: the variables of the template. Errors: an unknown operator or function, operands of the wrong type,
// raise_exception().
Result<Value> evaluate(const Expression& expression, const Object& names);

}  // namespace arenascope::models::chat
