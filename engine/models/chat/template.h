// SPDX-License-Identifier: MIT
// A template of text with {{ expressions }} and {% statements %}: for, if, set. The newline after a statement and the
// blanks before it are removed, as published chat templates expect (trim_blocks and lstrip_blocks).
#pragma once
#include "engine/models/chat/expression.h"

#include <optional>

namespace arenascope::models::chat {

class Template {
 public:
  // Errors: an unsupported or unterminated statement, and those of parse_expression().
  static Result<Template> parse(std::string_view text);
  // Errors: as evaluate()'s, more text than a conversation can have.
  Result<std::string> render(Object names) const;

  // One node: text, an expression to print, or a statement with its body.
  struct Node {
    enum class Kind { Text, Print, Set, For, If } kind = Kind::Text;
    std::string text;                // of Text
    std::vector<std::string> names;  // what Set and For give values to; Set of a field: the object's and the field's
    bool field = false;
    std::vector<Expression>
        expressions;  // printed, assigned, iterated (and its filter), or the conditions of the branches
    std::vector<std::vector<Node>>
        branches;  // bodies: of For one (and that of else), of If one per condition and that of else
  };

 private:
  std::vector<Node> nodes_;
};

}  // namespace arenascope::models::chat
