// SPDX-License-Identifier: MIT
// Values of a chat template, in the types of Jinja's expressions (Ronacher).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace arenascope::models::chat {

inline constexpr const char* kBlank = " \t\r\n";  // what is stripped from texts

struct Value;
using List = std::vector<Value>;
using Object = std::map<std::string, Value>;

struct Undefined {};
struct None {};

// Lists and objects are shared: a template changes a namespace's fields in place.
struct Value {
  using Held =
      std::variant<Undefined, None, bool, int64_t, std::string, std::shared_ptr<List>, std::shared_ptr<Object>>;
  Held held;

  Value() = default;
  template <class T>
  requires(!std::is_same_v<T, Value> && std::is_constructible_v<Held, T>) Value(T value) : held(std::move(value)) {}
  Value(const char* text) : held(std::string(text)) {}
  static Value list(List values) { return std::make_shared<List>(std::move(values)); }
  static Value object(Object fields) { return std::make_shared<Object>(std::move(fields)); }

  template <class T>
  const T* get() const {
    return std::get_if<T>(&held);
  }
  const List* as_list() const {
    const auto* list = get<std::shared_ptr<List>>();
    return list ? list->get() : nullptr;
  }
  Object* as_object() const {
    const auto* object = get<std::shared_ptr<Object>>();
    return object ? object->get() : nullptr;
  }
  bool defined() const { return !get<Undefined>(); }
};

bool truth(const Value& value);
bool equal(const Value& a, const Value& b);
// The text that {{ }} prints; empty for undefined and none.
std::string text_of(const Value& value);
std::string json_of(const Value& value);

}  // namespace arenascope::models::chat
