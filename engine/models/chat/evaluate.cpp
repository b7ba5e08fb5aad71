// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "engine/models/chat/expression.h"

namespace arenascope::models::chat {
namespace {

using Kind = Expression::Kind;
using Values = std::vector<Value>;

std::string stripped(const std::string& text, bool left = true, bool right = true) {
  const size_t begin = left ? text.find_first_not_of(kBlank) : 0;
  if (begin == std::string::npos) return {};
  const size_t end = right ? text.find_last_not_of(kBlank) + 1 : text.size();
  return text.substr(begin, end - begin);
}

std::string mapped(std::string text, int (*letter)(int)) {
  for (char& c : text) c = static_cast<char>(letter(static_cast<unsigned char>(c)));
  return text;
}

std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return text;
  std::string out;
  size_t at = 0;
  for (size_t found; (found = text.find(from, at)) != std::string::npos; at = found + from.size())
    out += text.substr(at, found - at) + to;
  return out + text.substr(at);
}

Values split(const std::string& text, const std::string& by) {
  Values out;
  size_t at = 0;
  for (size_t found; !by.empty() && (found = text.find(by, at)) != std::string::npos; at = found + by.size())
    out.emplace_back(text.substr(at, found - at));
  out.emplace_back(text.substr(at));
  return out;
}

Result<Value> of_text(const std::string& method, const std::string& text, const Values& arguments) {
  const std::string* a = arguments.empty() ? nullptr : arguments[0].get<std::string>();
  if (method == "strip" || method == "trim") return Value(stripped(text));
  if (method == "lstrip") return Value(stripped(text, true, false));
  if (method == "rstrip") return Value(stripped(text, false, true));
  if (method == "upper") return Value(mapped(text, std::toupper));
  if (method == "lower") return Value(mapped(text, std::tolower));
  if (method == "startswith" && a) return Value(text.starts_with(*a));
  if (method == "endswith" && a) return Value(text.ends_with(*a));
  if (method == "split" && a) return Value::list(split(text, *a));
  if (method == "replace" && arguments.size() == 2 && a && arguments[1].get<std::string>())
    return Value(replaced(text, *a, *arguments[1].get<std::string>()));
  return Error{fmt::format("the string method '{}' is not supported", method)};
}

int64_t length(const Value& value) {
  if (const std::string* s = value.get<std::string>()) return static_cast<int64_t>(s->size());
  if (const List* list = value.as_list()) return static_cast<int64_t>(list->size());
  if (const Object* object = value.as_object()) return static_cast<int64_t>(object->size());
  return -1;
}

Result<Value> filtered(const std::string& name, const Value& value, const Values& arguments) {
  if (name == "default") return value.defined() ? value : arguments.empty() ? Value("") : arguments[0];
  if (name == "tojson") return Value(json_of(value));
  if (name == "string") return Value(text_of(value));
  if (name == "safe" || name == "list") return value;
  if ((name == "length" || name == "count") && length(value) >= 0) return Value(length(value));
  if (const std::string* text = value.get<std::string>()) return of_text(name, *text, arguments);
  if (const List* list = value.as_list(); list && (name == "first" || name == "last"))
    return list->empty() ? Value() : name == "first" ? list->front() : list->back();
  if (const List* list = value.as_list(); list && name == "join") {
    std::string out;
    for (size_t i = 0; i < list->size(); ++i)
      out += (i > 0 && !arguments.empty() ? text_of(arguments[0]) : "") + text_of((*list)[i]);
    return Value(out);
  }
  return Error{fmt::format("the filter '{}' is not supported", name)};
}

Result<Value> tested(const std::string& name, const Value& value) {
  if (name == "defined") return Value(value.defined());
  if (name == "undefined") return Value(!value.defined());
  if (name == "none") return Value(value.get<None>() != nullptr);
  if (name == "string") return Value(value.get<std::string>() != nullptr);
  if (name == "mapping") return Value(value.as_object() != nullptr);
  if (name == "number" || name == "integer") return Value(value.get<int64_t>() != nullptr);
  if (name == "boolean") return Value(value.get<bool>() != nullptr);
  if (name == "iterable" || name == "sequence") return Value(length(value) >= 0);
  if (name == "true" || name == "false") return Value(value.get<bool>() && *value.get<bool>() == (name == "true"));
  return Error{fmt::format("the test '{}' is not supported", name)};
}

bool holds(const Value& in, const Value& what) {
  if (const std::string* text = in.get<std::string>())
    return what.get<std::string>() && text->find(*what.get<std::string>()) != std::string::npos;
  if (const List* list = in.as_list())
    return std::any_of(list->begin(), list->end(), [&](const Value& item) { return equal(item, what); });
  if (const Object* object = in.as_object()) return what.get<std::string>() && object->count(*what.get<std::string>());
  return false;
}

Result<Value> computed(const std::string& sign, const Value& a, const Value& b) {
  if (sign == "==") return Value(equal(a, b));
  if (sign == "!=") return Value(!equal(a, b));
  if (sign == "in") return Value(holds(b, a));
  if (sign == "~") return Value(text_of(a) + text_of(b));
  if (const int64_t* x = a.get<int64_t>(), *y = b.get<int64_t>(); x && y) {
    if (sign == "<") return Value(*x < *y);
    if (sign == ">") return Value(*x > *y);
    if (sign == "<=") return Value(*x <= *y);
    if (sign == ">=") return Value(*x >= *y);
    int64_t out = 0;
    const bool large = sign == "+"   ? __builtin_add_overflow(*x, *y, &out)
                       : sign == "-" ? __builtin_sub_overflow(*x, *y, &out)
                       : sign == "*" ? __builtin_mul_overflow(*x, *y, &out)
                                     : true;
    if (!large) return Value(out);
    if (*y > 0 && sign == "//") return Value(*x / *y - (*x % *y < 0 ? 1 : 0));
    if (*y > 0 && sign == "%") return Value((*x % *y + *y) % *y);
  }
  if (sign == "+" && a.get<std::string>() && b.get<std::string>())
    return Value(*a.get<std::string>() + *b.get<std::string>());
  if (sign == "+" && a.as_list() && b.as_list()) {
    List all = *a.as_list();
    all.insert(all.end(), b.as_list()->begin(), b.as_list()->end());
    return Value::list(std::move(all));
  }
  return Error{fmt::format("'{}' of {} and {} is not supported", sign, json_of(a), json_of(b))};
}

// [begin:end:step] as Python has it: -1 is the last one.
Result<Value> sliced(const Value& of, const Values& bounds) {
  const int64_t count = length(of), step = bounds[2].get<int64_t>() ? *bounds[2].get<int64_t>() : 1;
  const std::string* text = of.get<std::string>();
  const List* list = of.as_list();
  if ((!text && !list) || step == 0) return Error{"only lists and strings can be sliced"};
  const auto bound = [&](const Value& value, int64_t otherwise) {
    if (!value.get<int64_t>()) return otherwise;
    const int64_t n = *value.get<int64_t>();
    return std::clamp<int64_t>(n < 0 ? n + count : n, step > 0 ? 0 : -1, step > 0 ? count : count - 1);
  };
  const int64_t begin = bound(bounds[0], step > 0 ? 0 : count - 1), end = bound(bounds[1], step > 0 ? count : -1);
  std::string letters;
  List items;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) {
    if (text)
      letters += (*text)[static_cast<size_t>(i)];
    else
      items.push_back((*list)[static_cast<size_t>(i)]);
  }
  return text ? Value(letters) : Value::list(std::move(items));
}

Value at_index(const Value& of, const Value& index) {
  if (const Object* object = of.as_object(); object && index.get<std::string>()) {
    const auto found = object->find(*index.get<std::string>());
    return found == object->end() ? Value() : found->second;
  }
  const List* list = of.as_list();
  const int64_t* n = index.get<int64_t>();
  if (!list || !n) return {};
  const int64_t at = *n < 0 ? *n + length(of) : *n;
  return at >= 0 && at < length(of) ? (*list)[static_cast<size_t>(at)] : Value();
}

class Evaluator {
 public:
  explicit Evaluator(const Object& names) : names_(names) {}

  Result<Value> of(const Expression& e) {
    switch (e.kind) {
      case Kind::Constant: return e.constant;
      case Kind::Name: {
        const auto found = names_.find(e.name);
        return found == names_.end() ? Value() : found->second;
      }
      case Kind::Call: return call(e);
      case Kind::Binary:
        if (e.name == "and" || e.name == "or") return logical(e);
        break;
      case Kind::Choice: return chosen(e);
      default: break;
    }
    Values parts;
    for (const Expression& part : e.parts) {
      auto value = of(part);
      if (!value) return value;
      parts.push_back(std::move(*value));
    }
    switch (e.kind) {
      case Kind::Field: return at_index(parts[0], Value(e.name));
      case Kind::Index: return at_index(parts[0], parts[1]);
      case Kind::Slice: return sliced(parts[0], Values(parts.begin() + 1, parts.end()));
      case Kind::Filter: return filtered(e.name, parts[0], Values(parts.begin() + 1, parts.end()));
      case Kind::Test: return tested(e.name, parts[0]);
      case Kind::Binary: return computed(e.name, parts[0], parts[1]);
      case Kind::MakeList: return Value::list(std::move(parts));
      case Kind::MakeObject: return object(e, parts);
      default:
        return e.name == "not" ? Result<Value>(Value(!truth(parts[0]))) : computed("-", Value(int64_t{0}), parts[0]);
    }
  }

 private:
  static Value object(const Expression& e, const Values& values) {
    Object fields;
    for (size_t i = 0; i < values.size(); ++i) fields[e.keys[i]] = values[i];
    return Value::object(std::move(fields));
  }
  Result<Value> logical(const Expression& e) {
    auto first = of(e.parts[0]);
    if (!first || truth(*first) == (e.name == "or")) return first;
    return of(e.parts[1]);
  }
  Result<Value> chosen(const Expression& e) {
    auto condition = of(e.parts[0]);
    if (!condition) return condition;
    return of(e.parts[truth(*condition) ? 1 : 2]);
  }
  Result<Value> call(const Expression& e) {
    const Expression& called = e.parts[0];
    Values arguments;
    Object named;
    for (size_t i = 1; i < e.parts.size(); ++i) {
      auto value = of(e.parts[i]);
      if (!value) return value;
      if (e.keys[i].empty())
        arguments.push_back(std::move(*value));
      else
        named[e.keys[i]] = std::move(*value);
    }
    if (called.kind == Kind::Name && called.name == "namespace") return Value::object(std::move(named));
    if (called.kind == Kind::Name && called.name == "range" && !arguments.empty()) return range(arguments);
    if (called.kind == Kind::Name && called.name == "raise_exception")
      return Error{arguments.empty() ? std::string("it refuses this conversation") : text_of(arguments[0])};
    if (called.kind == Kind::Field) {
      auto self = of(called.parts[0]);
      if (!self) return self;
      if (const std::string* text = self->get<std::string>()) return of_text(called.name, *text, arguments);
      if (self->as_object() && called.name == "get" && !arguments.empty()) {
        const Value found = at_index(*self, arguments[0]);
        return found.defined() ? found : arguments.size() > 1 ? arguments[1] : Value(None());
      }
      if (self->as_object() && called.name == "items") return items(*self->as_object());
    }
    return Error{fmt::format("the function '{}' is not supported", called.name)};
  }
  static Result<Value> range(const Values& arguments) {
    const int64_t* first = arguments[0].get<int64_t>();
    const int64_t* second = arguments.size() > 1 ? arguments[1].get<int64_t>() : nullptr;
    const int64_t begin = second ? *first : 0, end = second ? *second : first ? *first : 0;
    if (end - begin > (1 << 16)) return Error{"a range of so many numbers is not counted here"};
    List out;
    for (int64_t i = begin; i < end; ++i) out.emplace_back(i);
    return Value::list(std::move(out));
  }
  static Value items(const Object& object) {
    List out;
    for (const auto& [key, value] : object) out.push_back(Value::list({Value(key), value}));
    return Value::list(std::move(out));
  }

  const Object& names_;
};

}  // namespace

Result<Value> evaluate(const Expression& expression, const Object& names) { return Evaluator(names).of(expression); }

}  // namespace arenascope::models::chat
