// SPDX-License-Identifier: MIT
#include "engine/models/onnx/onnx_ir.h"
#include <arenascope/base/checked.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace arenascope::models::ir {

std::string Node::label() const {
  if (!name.empty()) return fmt::format("{} '{}'", op, name);
  return outputs.empty() ? op : fmt::format("{} that makes '{}'", op, outputs[0]);
}

std::string Node::full_name() const { return domain.empty() ? op : fmt::format("{}::{}", domain, op); }

std::optional<Dims> fold_outermost(std::span<const int64_t> sizes) {
  int64_t all = 1;  // without sizes of 0, so that any folding of dimensions fits
  for (const int64_t size : sizes) {
    const auto product = size < 0 ? std::nullopt : checked_mul(all, std::max<int64_t>(size, 1));
    if (!product) return std::nullopt;
    all = *product;
  }
  Dims out;
  const size_t first = sizes.size() > kMaxDims ? sizes.size() - kMaxDims : 0;
  for (size_t d = first; d < sizes.size(); ++d) out.push_back(sizes[d]);
  for (size_t d = 0; d < first; ++d) out[0] *= sizes[d];
  return out;
}

std::string type_name(int32_t type) {
  static constexpr const char* kNames[] = {
      "UNDEFINED", "FLOAT",      "UINT8",      "INT8",         "UINT16",         "INT16",      "INT32",
      "INT64",     "STRING",     "BOOL",       "FLOAT16",      "DOUBLE",         "UINT32",     "UINT64",
      "COMPLEX64", "COMPLEX128", "BFLOAT16",   "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
      "UINT4",     "INT4",       "FLOAT4E2M1", "FLOAT8E8M0",   "UINT2",          "INT2"};
  if (type >= 0 && type < static_cast<int32_t>(std::size(kNames))) return kNames[type];
  return fmt::format("type {}", type);
}

std::optional<DType> to_dtype(int32_t type) {
  switch (type) {
    case 1: return DType::F32;
    case 2: return DType::U8;
    case 3: return DType::I8;
    case 4: return DType::U16;
    case 5: return DType::I16;
    case 6: return DType::I32;
    case 7: return DType::I64;
    case 9: return DType::Bool;
    case 10: return DType::F16;
    case 11: return DType::F64;
    case 12: return DType::U32;
    case 13: return DType::U64;
    case 16: return DType::BF16;
    default: return std::nullopt;
  }
}

Status sort_nodes(Graph& graph, const Scope* outer) {
  std::unordered_set<std::string> own;
  const auto given = [&](const std::string& name) { return own.count(name) != 0 || (outer && outer->has(name)); };
  for (const ValueType& input : graph.inputs)
    if (!own.insert(input.name).second) return Error{fmt::format("the input '{}' is duplicated", input.name)};
  for (const TensorData& weight : graph.weights)
    if (!own.insert(weight.name).second) return Error{fmt::format("the weight '{}' is duplicated", weight.name)};
  std::unordered_map<std::string, size_t> writer;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (const std::string& output : graph.nodes[n].outputs) {
      if (output.empty()) continue;
      if (own.count(output) || !writer.emplace(output, n).second)
        return Error{fmt::format("'{}' is written twice, the second time by {}", output, graph.nodes[n].label())};
    }
  // Kahn's algorithm; among ready nodes the file's order is kept.
  std::vector<std::vector<size_t>> users(graph.nodes.size());
  std::vector<size_t> missing(graph.nodes.size(), 0);
  bool sorted = true;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (const std::string& input : graph.nodes[n].inputs) {
      if (input.empty()) continue;
      const auto found = writer.find(input);
      if (found == writer.end()) {
        if (given(input)) continue;
        return Error{fmt::format("{} reads '{}', which nothing writes", graph.nodes[n].label(), input)};
      }
      users[found->second].push_back(n);
      ++missing[n];
      sorted = sorted && found->second < n;
    }
  for (const ValueType& output : graph.outputs)
    if (!writer.count(output.name) && !given(output.name))
      return Error{fmt::format("the output '{}' is written by nothing", output.name)};
  if (sorted) return {};
  std::vector<size_t> order;
  order.reserve(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (missing[n] == 0) order.push_back(n);
  for (size_t head = 0; head < order.size(); ++head)
    for (size_t user : users[order[head]])
      if (--missing[user] == 0) order.push_back(user);
  if (order.size() < graph.nodes.size())
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (missing[n] > 0)
        return Error{fmt::format("{} depends on its own result: the graph has a cycle", graph.nodes[n].label())};
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (size_t n : order) nodes.push_back(std::move(graph.nodes[n]));
  graph.nodes = std::move(nodes);
  return {};
}

Result<std::optional<std::filesystem::path>> find_external(const std::filesystem::path& folder,
                                                           const std::string& location) {
  const std::filesystem::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos)
    return Error{"the path of its external data is empty or no path"};
  if (relative.is_absolute()) return Error{fmt::format("its external data '{}' is an absolute path", location)};
  for (const auto& part : relative)
    if (part == "..") return Error{fmt::format("its external data '{}' leaves the model's folder", location)};
  std::error_code problem;
  const auto root = std::filesystem::canonical(folder.empty() ? "." : folder, problem);
  if (problem) return Error{fmt::format("the folder of the model, '{}', cannot be read", folder.string())};
  auto full = std::filesystem::canonical(root / relative, problem);
  if (problem == std::errc::no_such_file_or_directory || problem == std::errc::not_a_directory)
    return std::optional<std::filesystem::path>();
  if (problem) return Error{fmt::format("its external data '{}' cannot be read: {}", location, problem.message())};
  const auto [end, unused] = std::mismatch(root.begin(), root.end(), full.begin(), full.end());
  (void)unused;
  if (end != root.end())
    return Error{fmt::format("its external data '{}' leaves the model's folder through a link", location)};
  if (!std::filesystem::is_regular_file(full, problem))
    return Error{fmt::format("its external data '{}' is not a file", location)};
  return std::optional(std::move(full));
}

Result<std::optional<std::span<const std::byte>>> external_part(std::span<const std::byte> file, int64_t offset,
                                                                int64_t length, int64_t expected) {
  if (length < -1 || (length >= 0 && length != expected))
    return Error{fmt::format("its external data has {} bytes, its shape needs {}", length, expected)};
  const auto end = checked_add(offset, expected);
  if (offset < 0 || !end) return Error{fmt::format("its external data begins at byte {}", offset)};
  if (*end > static_cast<int64_t>(file.size())) return std::optional<std::span<const std::byte>>();
  return std::optional(file.subspan(static_cast<size_t>(offset), static_cast<size_t>(expected)));
}

}  // namespace arenascope::models::ir
