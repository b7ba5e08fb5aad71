// SPDX-License-Identifier: MIT
#include "engine/models/chat/value.h"

#include <fmt/format.h>

namespace arenascope::models::chat {

bool truth(const Value& value) {
  if (const bool* b = value.get<bool>()) return *b;
  if (const int64_t* n = value.get<int64_t>()) return *n != 0;
  if (const std::string* s = value.get<std::string>()) return !s->empty();
  if (const List* list = value.as_list()) return !list->empty();
  if (const Object* object = value.as_object()) return !object->empty();
  return false;
}

bool equal(const Value& a, const Value& b) {
  if (a.held.index() != b.held.index()) return false;
  if (const bool* x = a.get<bool>()) return *x == *b.get<bool>();
  if (const int64_t* x = a.get<int64_t>()) return *x == *b.get<int64_t>();
  if (const std::string* x = a.get<std::string>()) return *x == *b.get<std::string>();
  if (const List* x = a.as_list()) {
    const List* y = b.as_list();
    bool same = x->size() == y->size();
    for (size_t i = 0; same && i < x->size(); ++i) same = equal((*x)[i], (*y)[i]);
    return same;
  }
  return a.as_object() == b.as_object();
}

std::string json_of(const Value& value) {
  if (const bool* b = value.get<bool>()) return *b ? "true" : "false";
  if (const int64_t* n = value.get<int64_t>()) return std::to_string(*n);
  if (const std::string* s = value.get<std::string>()) {
    std::string out = "\"";
    for (char c : *s) {
      if (c == '"' || c == '\\')
        out += {'\\', c};
      else if (c == '\n')
        out += "\\n";
      else if (static_cast<unsigned char>(c) < 0x20)
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      else
        out += c;
    }
    return out + "\"";
  }
  std::string out;
  if (const List* list = value.as_list()) {
    for (const Value& item : *list) out += (out.empty() ? "" : ", ") + json_of(item);
    return "[" + out + "]";
  }
  if (const Object* object = value.as_object()) {
    for (const auto& [key, item] : *object)
      out += (out.empty() ? "" : ", ") + json_of(Value(key)) + ": " + json_of(item);
    return "{" + out + "}";
  }
  return "null";
}

std::string text_of(const Value& value) {
  if (const std::string* s = value.get<std::string>()) return *s;
  if (const bool* b = value.get<bool>()) return *b ? "True" : "False";
  if (!value.defined() || value.get<None>()) return {};
  return json_of(value);
}

}  // namespace arenascope::models::chat
