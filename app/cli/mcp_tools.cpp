// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/mcp_tools.h"

#include <algorithm>
#include <vector>

#include <arenascope/trace/session.h>
#include <fmt/format.h>

#include "app/query/tables.h"

namespace arenascope::cli {
namespace {

namespace fs = std::filesystem;

enum class ParameterKind : uint8_t {
  File,    // positional: a path below the folder, or zoo:NAME
  Text,    // positional
  Option,  // --NAME=VALUE
};

struct ToolParameter {
  const char* name;
  ParameterKind kind;
  const char* type;  // JSON Schema type
  const char* description;
  bool required = false;
};

struct Tool {
  const char* name;  // name of the tool and of the command
  std::string description;
  std::vector<const char*> text_options;  // for answers in text
  std::vector<ToolParameter> parameters;
};

constexpr const char* kFile = "Path relative to the served folder, or zoo:NAME for a built-in model";

// "nodes(id, name, op), spans(track, name)"
std::string table_names() {
  const trace::Session empty;
  std::string text;
  for (const query::Table& table : query::tables_of(empty.snapshot())) {
    std::string columns;
    for (const query::Column& column : table.columns)
      columns += fmt::format("{}{}", columns.empty() ? "" : ", ", column.name);
    text += fmt::format("{}{}({})", text.empty() ? "" : ", ", table.name, columns);
  }
  return text;
}

const std::vector<Tool>& tools() {
  using Kind = ParameterKind;
  static const ToolParameter file{"file", Kind::File, "string", kFile, true};
  static const ToolParameter planner{"planner", Kind::Option, "string",
                                     "Memory planner, such as search or greedy-by-size"};
  static const ToolParameter order{"order", Kind::Option, "string",
                                   "Execution order, such as depth-first or least-peak-first"};
  static const std::vector<Tool> all{
      {"info",
       "Contents of a model (ops, tensors, sizes, unsupported ops) or of a recording or trace (graphs, plans, runs, "
       "memory)",
       {},
       {file}},
      {"report",
       "Summary of a model, recording or trace: peak memory and its parts, findings with their savings, slowest nodes",
       {"--markdown"},
       {file, planner, order, {"top", Kind::Option, "integer", "Rows per table; default 15"}}},
      {"query",
       "SQL (SQLite) over the tables of a model, recording or trace. Times are nanoseconds, sizes bytes. Tables: " +
           table_names(),
       {"--csv"},
       {file, {"sql", Kind::Text, "string", "One SELECT statement", true}}},
      {"plan",
       "Memory plan of a model: arena, lower bound and ratio",
       {},
       {file,
        planner,
        order,
        {"capacity", Kind::Option, "integer", "Arena size in bytes into which the plan must fit"}}},
      {"diff",
       "Changes between two models, recordings or traces: peak, arena and times, with the tensors, call sites and "
       "nodes that explain it",
       {"--markdown", "--all"},
       {{"a", Kind::File, "string", "The baseline: a path relative to the served folder, or zoo:NAME", true},
        {"b", Kind::File, "string", "The new one", true},
        {"fail-on", Kind::Option, "string", "Limits of growth, such as peak+2%,arena+0"}}},
  };
  return all;
}

Json schema_of(const Tool& tool) {
  Json properties = Json::object(), required = Json::array();
  for (const ToolParameter& parameter : tool.parameters) {
    properties[parameter.name] = {{"type", parameter.type}, {"description", parameter.description}};
    if (parameter.required) required.push_back(parameter.name);
  }
  properties["format"] = {
      {"type", "string"}, {"enum", {"text", "json"}}, {"description", "Form of the answer; default text"}};
  return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

// Symbolic links are followed before the folder is compared. Not a directory: a model in it could be a link to another folder.
Result<std::string> path_below(const fs::path& folder, const std::string& given) {
  if (given.starts_with("zoo:")) return given;
  if (given.empty() || given.find('\0') != std::string::npos)
    return Error{fmt::format("expected a path below {}, found an empty or invalid one", folder.string())};
  std::error_code error;
  const fs::path path = fs::weakly_canonical(folder / given, error);
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  // Before anything else, so that the message does not depend on whether a file outside exists.
  if (error || end != folder.end()) return Error{fmt::format("{}: expected a file below {}", given, folder.string())};
  if (!fs::exists(path, error)) return Error{fmt::format("{}: file not found below {}", given, folder.string())};
  if (fs::is_directory(path, error)) return Error{fmt::format("{}: expected a file, found a directory", given)};
  return path.string();
}

// The value of a parameter as text. Error: it has another type than the schema.
Result<std::string> text_of_parameter(const ToolParameter& parameter, const Json& value) {
  if (std::string_view(parameter.type) == "string" && value.is_string()) return value.get<std::string>();
  if (std::string_view(parameter.type) == "integer" && value.is_number_integer())
    return std::to_string(value.get<int64_t>());
  return Error{fmt::format("{}: expected {} {}, found {}", parameter.name,
                           std::string_view(parameter.type) == "integer" ? "an" : "a", parameter.type,
                           value.type_name())};
}

// The command line of a call.
Result<std::vector<std::string>> command_of(const Tool& tool, const Json& arguments, const fs::path& folder) {
  for (const auto& [key, unused] : arguments.items())
    if (key != "format" && std::ranges::none_of(tool.parameters, [&](const auto& p) { return p.name == key; }))
      return Error{fmt::format("{}: unknown argument '{}'", tool.name, key)};
  std::vector<std::string> command{tool.name}, positional{"--"};
  const Json format = arguments.value("format", Json("text"));
  if (format != "text" && format != "json") return Error{"format: expected text or json"};
  if (format == "json")
    command.emplace_back("--json");
  else
    command.insert(command.end(), tool.text_options.begin(), tool.text_options.end());
  for (const ToolParameter& parameter : tool.parameters) {
    if (!arguments.contains(parameter.name)) {
      if (parameter.required) return Error{fmt::format("{}: expected the argument '{}'", tool.name, parameter.name)};
      continue;
    }
    auto text = text_of_parameter(parameter, arguments[parameter.name]);
    if (text.ok() && parameter.kind == ParameterKind::File) text = path_below(folder, *text);
    if (!text) return text.error();
    if (parameter.kind == ParameterKind::Option)
      command.push_back(fmt::format("--{}={}", parameter.name, *text));
    else
      positional.push_back(std::move(*text));
  }
  command.insert(command.end(), positional.begin(), positional.end());
  return command;
}

Json tool_result(std::initializer_list<std::string> texts, bool is_error) {
  Json content = Json::array();
  for (const std::string& text : texts)
    if (!text.empty()) content.push_back({{"type", "text"}, {"text", text}});
  return {{"content", content}, {"isError", is_error}};
}

}  // namespace

Json list_tools() {
  Json list = Json::array();
  for (const Tool& tool : tools())
    list.push_back({{"name", tool.name},
                    {"description", tool.description},
                    {"inputSchema", schema_of(tool)},
                    {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  return {{"tools", list}};
}

Result<Json> call_tool(const Json& parameters, const ToolOptions& options) {
  if (!parameters.is_object() || !parameters.contains("name") || !parameters["name"].is_string())
    return Error{"expected the name of a tool"};
  const auto name = parameters["name"].get<std::string>();
  const auto tool = std::ranges::find(tools(), name, [](const Tool& one) { return std::string(one.name); });
  if (tool == tools().end()) return Error{fmt::format("unknown tool '{}'", name)};
  const Json arguments = parameters.value("arguments", Json::object());
  if (!arguments.is_object()) return Error{fmt::format("arguments of {}: expected an object", name)};
  auto command = command_of(*tool, arguments, options.folder);
  if (!command) return tool_result({command.error().message}, true);
  auto answer = run_command(*command, options.limits);
  if (!answer) return tool_result({fmt::format("{}: {}", name, answer.error().message)}, true);
  // Status 1 with an answer: a limit is exceeded, or the file is incomplete; the message states which.
  const bool is_error = answer->status > kFailed || (answer->status != kDone && answer->out.empty());
  return tool_result({answer->out, answer->err}, is_error);
}

}  // namespace arenascope::cli
