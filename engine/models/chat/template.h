// SPDX-License-Identifier: MIT
// A template of text with {{ expressions }} and {% statements %}: for, if, set. Line ends behind a statement and blanks
// in front of it are its own, as published chat templates expect (trim_blocks and lstrip_blocks).
#pragma once
#include "engine/models/chat/expression.h"

#include <optional>

namespace arenascope::models::chat {

class Template {
 public:
  // Errors: a statement that is not known here or has no end, what parse_expression() says.
  static Result<Template> parse(std::string_view text);
  // Errors: as evaluate()'s, more text than a conversation can have.
  Result<std::string> render(Object names) const;

  // One piece: text, an expression to print, or a statement with what stands inside.
  struct Node {
    enum class Kind { Text, Print, Set, For, If } kind = Kind::Text;
    std::string text;                // of Text
    std::vector<std::string> names;  // what Set and For give values to; Set of a field: the object's and the field's
    bool field = false;
    std::vector<Expression>
        expressions;  // what is printed, set, walked over (and its condition), or asked by each branch
    std::vector<std::vector<Node>>
        branches;  // bodies: of For one (and the one for nothing), of If one more where there is an else
  };

 private:
  std::vector<Node> nodes_;
};

}  // namespace arenascope::models::chat
