// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli serve --mcp: the Model Context Protocol on standard input and output, one JSON-RPC 2.0 message per line.
#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/mcp_tools.h"
#include "app/cli/model_options.h"

namespace arenascope::cli {
namespace {

// Codes of JSON-RPC 2.0.
enum RpcError : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602
};

constexpr size_t kMaxLine = size_t{4} << 20;
constexpr int kMaxDepth = 64;
constexpr std::array<std::string_view, 3> kProtocols{"2025-06-18", "2025-03-26", "2024-11-05"};

struct ServeArguments {
  bool mcp = false;
  std::string folder = ".";
  double seconds = 120;
  double memory_gib = 16;
};

// Lines of standard input. A line that is too long is read to its end and dropped.
class LineReader {
 public:
  struct Line {
    std::string text;
    bool is_too_long = false;
  };
  std::optional<Line> next() {
    Line line;
    while (true) {
      const size_t end = buffered_.find('\n');
      line.text.append(buffered_, 0, end);
      line.is_too_long |= line.text.size() > kMaxLine;
      if (line.is_too_long) line.text.clear();
      if (end != std::string::npos) {
        buffered_.erase(0, end + 1);
        return line;
      }
      std::array<char, 65536> bytes;
      const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      buffered_.assign(bytes.data(), static_cast<size_t>(std::max<ssize_t>(count, 0)));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return line.text.empty() && !line.is_too_long ? std::nullopt : std::optional(line);
    }
  }

 private:
  std::string buffered_;
};

Json rpc_error(const Json& id, RpcError code, const std::string& message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

Json initialized(const Json& parameters) {
  const Json requested = parameters.is_object() ? parameters.value("protocolVersion", Json()) : Json();
  const auto supported = std::ranges::find_if(kProtocols, [&](std::string_view one) { return requested == one; });
  return {{"protocolVersion", supported != kProtocols.end() ? *supported : kProtocols.front()},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "arenascope"}, {"version", ARENASCOPE_VERSION}}},
          {"instructions",
           "Read-only questions about the memory and time of tensor programs: models (ONNX, GGUF, safetensors), "
           "recordings and traces of other tools. Begin with info or report."}};
}

// The response to a message; none for notifications.
std::optional<Json> response_to(const Json& message, const ToolOptions& options) {
  if (!message.is_object()) return rpc_error(Json(), kInvalidRequest, "expected one JSON object");
  const Json id = message.value("id", Json());
  const bool has_id = id.is_string() || id.is_number_integer();
  if (message.value("jsonrpc", Json()) != "2.0" || !message.value("method", Json()).is_string() ||
      (message.contains("id") && !has_id))
    return rpc_error(has_id ? id : Json(), kInvalidRequest,
                     "expected \"jsonrpc\": \"2.0\", a method, and a string or an integer as id");
  if (!has_id) return std::nullopt;
  const auto method = message["method"].get<std::string>();
  const Json parameters = message.value("params", Json::object());
  Json result;
  if (method == "initialize") {
    result = initialized(parameters);
  } else if (method == "ping") {
    result = Json::object();
  } else if (method == "tools/list") {
    result = list_tools();
  } else if (method == "tools/call") {
    auto called = call_tool(parameters, options);
    if (!called) return rpc_error(id, kInvalidParams, called.error().message);
    result = std::move(*called);
  } else {
    return rpc_error(id, kMethodNotFound, fmt::format("unknown method '{}'", method));
  }
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}};
}

std::optional<Json> response_to(const LineReader::Line& line, const ToolOptions& options) {
  if (line.is_too_long)
    return rpc_error(Json(), kInvalidRequest, fmt::format("the message is longer than {} bytes", kMaxLine));
  if (line.text.find_first_not_of(" \t\r") == std::string::npos) return std::nullopt;
  // Copies of a value are recursive, so that their depth is limited.
  bool is_deep = false;
  const auto limit_depth = [&](int depth, Json::parse_event_t, const Json&) {
    is_deep |= depth > kMaxDepth;
    return !is_deep;
  };
  const Json message = Json::parse(line.text, limit_depth, false);
  if (is_deep) return rpc_error(Json(), kInvalidRequest, fmt::format("the message has more than {} levels", kMaxDepth));
  if (message.is_discarded()) return rpc_error(Json(), kParseError, "the message is not JSON");
  return response_to(message, options);
}

int serve(const ServeArguments& arguments) {
  if (!arguments.mcp) return fail(kUsage, "expected --mcp, the protocol to serve");
  std::error_code error;
  ToolOptions options{std::filesystem::canonical(arguments.folder, error), {}};
  if (error || !std::filesystem::is_directory(options.folder, error))
    return fail(kUsage, fmt::format("{}: expected a folder", arguments.folder));
  options.limits.seconds = arguments.seconds;
  options.limits.address_space = static_cast<Bytes>(arguments.memory_gib * static_cast<double>(Bytes{1} << 30));
  LineReader lines;
  while (const auto line = lines.next()) {
    const auto response = response_to(*line, options);
    if (!response) continue;
    // Non-ASCII is escaped: some clients treat U+2028 or U+0085 as line breaks, and a message must be one line.
    cli::print("{}\n", response->dump(-1, ' ', true, Json::error_handler_t::replace));
    if (std::fflush(stdout) != 0) break;  // main reports the closed stream
  }
  return kDone;
}

}  // namespace

void add_serve(CLI::App& app, Body& body) {
  auto* command = app.add_subcommand(
      "serve", "Answer questions of an assistant about files: Model Context Protocol on standard input and output");
  auto arguments = std::make_shared<ServeArguments>();
  command->add_flag("--mcp", arguments->mcp, "Serve the Model Context Protocol");
  command->add_option("--folder", arguments->folder, "Folder whose files may be read")->capture_default_str();
  command->add_option("--timeout", arguments->seconds, "Time limit of one answer in seconds")
      ->capture_default_str()
      ->check(seconds());
  command->add_option("--memory-limit", arguments->memory_gib, "Address space of one answer in GiB")
      ->capture_default_str()
      ->check(CLI::Range(0.125, 65536.0));
  command->callback([&body, arguments] { body = [arguments] { return serve(*arguments); }; });
}

}  // namespace arenascope::cli
