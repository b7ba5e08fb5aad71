// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_options.h"

#include <charconv>

#include <fmt/format.h>

namespace arenascope::cli {

Result<models::OpenOptions> ModelArguments::options() const {
  models::OpenOptions out;
  for (const std::string& dim : dims) {
    const size_t at = dim.rfind('=');
    int64_t value = 0;
    const char* end = dim.data() + dim.size();
    if (at == std::string::npos || at == 0 ||
        std::from_chars(dim.data() + at + 1, end, value).ptr != end || at + 1 == dim.size() || value < 0)
      return Error{fmt::format("'--dim {}' is not NAME=N with N a whole number", dim)};
    out.dims[dim.substr(0, at)] = value;
  }
  if (tokens < 0) return Error{fmt::format("{} tokens", tokens)};
  out.tokens = tokens;
  out.prefill = prefill;
  out.training = training;
  return out;
}

void add_model_arguments(CLI::App& command, ModelArguments& arguments) {
  command.add_option("model", arguments.model, "A file (.onnx, .gguf), a directory in the ONNX test-case layout, or zoo:NAME")
      ->required();
  command.add_option("--dim", arguments.dims, "NAME=N: the size of a symbolic dimension");
  command.add_option("--tokens", arguments.tokens, "Language models of the zoo: sequence length");
  command.add_flag("--prefill", arguments.prefill, "Language models of the zoo: all tokens at once");
  command.add_flag("--training", arguments.training, "Models of the zoo that have it: a training step");
}

}  // namespace arenascope::cli
