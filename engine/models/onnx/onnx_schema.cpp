// SPDX-License-Identifier: MIT
// Reads the table of ONNX's operators.
#include "engine/models/onnx/onnx_schema.h"
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <functional>

namespace arenascope::models::ir {
namespace {

constexpr std::string_view kTable =
#include "engine/models/onnx/onnx_schemas.inc"
    ;

// In the order of the file's codes, the first of which is 1.
constexpr std::string_view kElements[] = {"f32",  "u8",     "i8",       "u16",        "i16",    "i32",        "i64",
                                          "str",  "bool",   "f16",      "f64",        "u32",    "u64",        "c64",
                                          "c128", "bf16",   "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "u4",
                                          "i4",   "f4e2m1", "f8e8m0",   "u2",         "i2",     "f6e2m3",     "f6e3m2"};
constexpr std::string_view kKinds[] = {"f", "i", "s", "t", "g", "fs", "is", "ss", "ts", "gs", "p", "ps", "y", "ys"};

// Takes the text up to `end`, which is removed too, or all of it if `end` does not occur.
std::string_view take(std::string_view& text, char end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return out;
}

template <class Each>
void each(std::string_view text, char between, const Each& visit) {
  while (!text.empty())
    if (const std::string_view part = take(text, between); !part.empty()) visit(part);
}

template <class Number>
Number number_of(std::string_view text) {
  Number out{};
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

template <class Number>
std::vector<Number> numbers_of(std::string_view text) {
  std::vector<Number> out;
  each(text, ',', [&](std::string_view part) { out.push_back(number_of<Number>(part)); });
  return out;
}

template <size_t N>
int32_t code_of(const std::string_view (&names)[N], std::string_view name) {
  return static_cast<int32_t>(std::find(names, names + N, name) - names) + 1;
}

TypeSet type_of(std::string_view word) {
  if (word.back() == '?') return kOptionals;
  if (word.front() == '[') return kSequences;
  if (word.front() == '{') return kMaps;
  return TypeSet{1} << code_of(kElements, word);
}

struct Version {
  int64_t since = 1;
  bool gone = false;
  std::string_view line;  // the rest of the entry
};

struct Body {
  int64_t since = 1, written_for = 1;
  std::string_view nodes;
};

struct Operator {
  std::string_view domain, name;
  std::vector<Version> versions;
  std::vector<Body> bodies;
};

struct Index {
  std::vector<TypeSet> sets;
  std::map<std::string, Operator, std::less<>> operators;  // by "DOMAIN::OP"
};

std::string full(std::string_view domain, std::string_view op) {
  return domain.empty() ? std::string(op) : fmt::format("{}::{}", domain, op);
}

Index make_index() {
  Index out;
  std::string_view text = kTable, domain;
  Operator* now = nullptr;
  while (!text.empty()) {
    const std::string_view rest_before = text;
    std::string_view line = take(text, '\n');
    if (line.empty()) continue;
    if (line.front() == ' ') {
      Body& body = now->bodies.back();
      if (body.nodes.empty()) body.nodes = rest_before.substr(0, 0);
      body.nodes = {body.nodes.data(), static_cast<size_t>(line.data() + line.size() - body.nodes.data())};
      continue;
    }
    const std::string_view first = take(line, ' ');
    if (first == "set") {
      take(line, ' ');
      TypeSet set = 0;
      each(line, ' ', [&](std::string_view word) { set |= type_of(word); });
      out.sets.push_back(set);
    } else if (first == "domain") {
      domain = line == "ai.onnx" ? std::string_view() : line;
    } else if (first == "op") {
      now = &out.operators[full(domain, line)];
      now->domain = domain;
      now->name = line;
    } else if (first == "body") {
      const auto since = number_of<int64_t>(take(line, ' '));
      now->bodies.push_back({since, number_of<int64_t>(line), {}});
    } else {
      const bool gone = first.back() == '!';
      each(gone ? first.substr(0, first.size() - 1) : first, ',', [&](std::string_view since) {
        now->versions.push_back({number_of<int64_t>(since), gone, line});
      });
    }
  }
  return out;
}

const Index& index() {
  static const Index made = make_index();
  return made;
}

const Operator* find_operator(const std::string& domain, const std::string& op) {
  const auto& all = index().operators;
  const auto found = domain.empty() ? all.find(op) : all.find(full(domain, op));
  return found == all.end() ? nullptr : &found->second;
}

// TYPE[SIZES]NUMBERS
std::shared_ptr<TensorData> tensor_of(std::string_view text) {
  auto out = std::make_shared<TensorData>();
  out->type = code_of(kElements, take(text, '['));
  out->dtype = to_dtype(out->type);
  for (const int64_t size : numbers_of<int64_t>(take(text, ']'))) out->sizes.push_back(size);
  std::vector<std::byte> bytes;
  const auto add = [&](auto numbers) {
    bytes.resize(numbers.size() * sizeof numbers[0]);
    if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  };
  if (out->dtype == DType::F32)
    add(numbers_of<float>(text));
  else
    add(numbers_of<int64_t>(text));  // the table has tensors of these two
  out->byte_count = static_cast<int64_t>(bytes.size());
  auto file = MappedFile::of_memory(std::move(bytes));
  out->source = WeightSource(file->bytes(), file);
  return out;
}

Attribute attribute_of(int32_t kind, std::string_view text) {
  Attribute out;
  out.kind = kind;
  if (text.starts_with('@')) {
    out.passed_on = text.substr(1);
    return out;
  }
  switch (kind) {
    case Attribute::kFloat: out.f = number_of<float>(text); break;
    case Attribute::kInt: out.i = number_of<int64_t>(text); break;
    case Attribute::kString: out.s = text; break;
    case Attribute::kTensor: out.tensor = tensor_of(text); break;
    case Attribute::kFloats: out.floats = numbers_of<float>(text); break;
    case Attribute::kInts: out.ints = numbers_of<int64_t>(text); break;
    default: each(text, ',', [&](std::string_view part) { out.strings.emplace_back(part); });
  }
  return out;
}

// NAME:KIND=VALUE
std::pair<std::string_view, Attribute> named_attribute(std::string_view text) {
  const std::string_view name = take(text, ':'), kind = take(text, '=');
  return {name, attribute_of(code_of(kKinds, kind), text)};
}

AttributeRule rule_of(std::string_view text) {
  AttributeRule out;
  const bool specified = text.find('=') != std::string_view::npos;
  auto [name, usual] = named_attribute(text);
  out.required = name.back() == '!';
  out.name = out.required ? name.substr(0, name.size() - 1) : name;
  out.kind = usual.kind;
  if (specified) out.usual = std::move(usual);
  return out;
}

Formal formal_of(std::string_view text) {
  Formal out;
  out.name = take(text, ':');
  out.type = text;
  if (const size_t star = out.name.find('*'); star != std::string_view::npos) {
    out.option = Formal::Option::Variadic;
    out.homogeneous = out.name.back() != '~';
    out.least = number_of<int64_t>(out.name.substr(star + 1));
    out.name = out.name.substr(0, star);
  } else if (out.name.back() == '?') {
    out.option = Formal::Option::Optional;
    out.name.remove_suffix(1);
  }
  return out;
}

// A,B = OP C,D NAME:KIND=VALUE…
Node node_of(std::string_view line, int64_t opset) {
  Node out;
  out.opset = opset;
  take(line, ' ');
  each(take(line, ' '), ',', [&](std::string_view name) { out.outputs.emplace_back(name); });
  take(line, ' ');
  out.op = take(line, ' ');
  if (line.find(':') > line.find(' ') || line.find(':') == std::string_view::npos) {
    std::string_view sources = take(line, ' ');
    while (!sources.empty()) out.inputs.emplace_back(take(sources, ','));
  }
  each(line, ' ', [&](std::string_view text) {
    auto [name, value] = named_attribute(text);
    out.attributes.emplace(name, std::move(value));
  });
  return out;
}

std::shared_ptr<const Function> read_body(const Body& from, const Schema& schema) {
  auto out = std::make_shared<Function>();
  out->name = schema.op;
  for (const Formal& f : schema.inputs) out->inputs.emplace_back(f.name);
  for (const Formal& f : schema.outputs) out->outputs.emplace_back(f.name);
  for (const AttributeRule& rule : schema.attributes)
    if (rule.usual) out->usual.emplace(rule.name, *rule.usual);
  each(from.nodes, '\n', [&](std::string_view line) { out->nodes.push_back(node_of(line, from.written_for)); });
  return out;
}

// The one that is written for the newest opset up to this; one that is written for a newer one means the same.
const Body* choose_body(const Operator& op, const Version& version, int64_t opset) {
  const Body* out = nullptr;
  for (const Body& body : op.bodies)
    if (body.since == version.since && (!out || body.written_for <= opset)) out = &body;
  return out;
}

std::unique_ptr<const Schema> read_schema(const Operator& op, const Version& version, int64_t opset) {
  auto out = std::make_unique<Schema>();
  out->op = op.name;
  out->since = version.since;
  out->gone = version.gone;
  std::array<std::string_view, 5> parts;  // nothing, inputs, results, attributes, types
  std::string_view line = version.line;
  for (std::string_view& part : parts) part = take(line, '|');
  each(parts[1], ' ', [&](std::string_view text) { out->inputs.push_back(formal_of(text)); });
  each(parts[2], ' ', [&](std::string_view text) { out->outputs.push_back(formal_of(text)); });
  each(parts[3], ' ', [&](std::string_view text) { out->attributes.push_back(rule_of(text)); });
  std::map<std::string_view, TypeSet> sets;
  each(parts[4], ' ', [&](std::string_view text) {
    const std::string_view name = take(text, '=');
    sets[name] = index().sets.at(number_of<size_t>(text));
  });
  for (std::vector<Formal>* formals : {&out->inputs, &out->outputs})
    for (Formal& f : *formals) f.allowed = sets.count(f.type) != 0 ? sets[f.type] : type_of(f.type);
  if (const Body* body = choose_body(op, version, opset)) out->body = read_body(*body, *out);
  return out;
}

}  // namespace

const AttributeRule* Schema::attribute(std::string_view name) const {
  for (const AttributeRule& rule : attributes)
    if (rule.name == name) return &rule;
  return nullptr;
}

bool Schemas::knows(const std::string& domain, const std::string& op) { return find_operator(domain, op) != nullptr; }

const Schema* Schemas::find(const std::string& domain, const std::string& op, int64_t opset) {
  const Operator* known = find_operator(domain, op);
  if (!known) return nullptr;
  const auto [at, added] = read_.try_emplace({known, opset}, nullptr);
  if (!added) return at->second.get();
  const Version* newest = nullptr;
  for (const Version& version : known->versions)
    if (version.since <= opset && (!newest || version.since > newest->since)) newest = &version;
  if (newest) at->second = read_schema(*known, *newest, opset);
  return at->second.get();
}

int64_t Schemas::first_opset(const std::string& domain, const std::string& op) {
  int64_t first = INT64_MAX;
  for (const Version& version : find_operator(domain, op)->versions) first = std::min(first, version.since);
  return first;
}

int64_t Schemas::newest_opset(const std::string& domain) {
  int64_t newest = 0;
  for (const auto& [name, op] : index().operators)
    if (op.domain == domain)
      for (const Version& version : op.versions) newest = std::max(newest, version.since);
  return newest;
}

std::vector<std::string> Schemas::names() {
  std::vector<std::string> out;
  for (const auto& [name, op] : index().operators) out.push_back(name);
  return out;
}

}  // namespace arenascope::models::ir
