// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli info: ops, tensors, sizes, and unsupported ops of a model; contents of a recording or trace.
#include <algorithm>
#include <optional>

#include <arenascope/graph/op.h>
#include <fmt/format.h>

#include "app/cli/cli.h"
#include "app/cli/file_tensors_report.h"
#include "app/cli/fusion_report.h"
#include "app/cli/model_options.h"
#include "app/cli/trace_info.h"
#include "app/common/format.h"
#include "app/common/left_out.h"
#include "app/common/recorded_lifetimes.h"

namespace arenascope::cli {
namespace {

using app::counted;

// True if the file declares no shape and none could be computed.
bool has_unknown_rank(const models::Model& model, const models::ValueInfo& value) {
  return value.sizes.rank() == 0 && std::ranges::find(model.unknown_sizes, value.name) != model.unknown_sizes.end();
}

Json values(const models::Model& model, std::span<const models::ValueInfo> list) {
  Json out = Json::array();
  for (const auto& value : list) {
    Json shape = std::vector<int64_t>(value.sizes.begin(), value.sizes.end());
    if (has_unknown_rank(model, value)) shape = nullptr;
    out.push_back({{"name", value.name}, {"dtype", value.type_name()}, {"shape", std::move(shape)}});
  }
  return out;
}

// The weights of an ONNX file without a graph.
Json tensors(const models::Model& model) {
  Json out = Json::array();
  for (const models::Weight& weight : model.weights) {
    const KeptDims& sizes = weight.tensor.sizes();
    out.push_back({{"name", std::string(weight.tensor.name())},
                   {"dtype", name(weight.tensor.dtype())},
                   {"shape", std::vector<int64_t>(sizes.begin(), sizes.end())}});
  }
  return out;
}

// "[2, ?]": the second size is not known.
std::string shape_text(const models::Model& model, const models::ValueInfo& value) {
  if (has_unknown_rank(model, value)) return "of unknown shape";
  std::vector<std::string> sizes;
  for (const int64_t size : value.sizes) sizes.push_back(size < 0 ? "?" : std::to_string(size));
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

void print_values(const models::Model& model, const char* what, std::span<const models::ValueInfo> list) {
  for (const auto& value : list)
    cli::print("{:<12} {} {} {}\n", what, value.name, value.type_name(), shape_text(model, value));
}

// Derived facts about a model.
struct Info {
  size_t nodes = 0, parameters = 0, leafs = 0;  // counts of the graph; parameters are included in nodes
  int64_t flops = 0;
  Bytes activations = 0;
  std::optional<FusedGraph> fused;
};

Result<Info> gather(const Graph& graph, bool fuse) {
  Info out;
  if (!graph.defined()) return out;
  out.nodes = graph.nodes().size();
  out.leafs = graph.leafs().size();
  for (const TensorImpl* node : graph.nodes()) {
    out.parameters += node->op == Op::None;
    out.flops += flops(*node);
  }
  out.activations = activation_bytes(graph);
  if (!fuse) return out;
  auto fused = fuse_for(graph, "cpu");
  if (!fused) return fused.error();
  out.fused = std::move(*fused);
  return out;
}

Json info_json(const models::Model& model, const Info& info) {
  Json object{{"model", model.name},
              {"format", model.format},
              {"nodes", model.node_count},
              {"ops", model.ops},
              {"unsupported", model.unsupported},
              {"parameter_bytes", model.parameter_bytes},
              {"weight_bytes", model.weight_bytes()},
              {"inputs", values(model, model.inputs)},
              {"outputs", values(model, model.own_outputs())},
              {"problems", model.problems},
              {"graph_nodes", info.nodes},
              {"graph_parameters", info.parameters},
              {"graph_leaves", info.leafs},
              {"flops", info.flops},
              {"activation_bytes", info.activations}};
  if (model.deferred)
    object["deferred"] = {
        {"why", model.deferred->why}, {"nodes", model.deferred->node_count}, {"outputs", model.deferred->outputs}};
  if (model.file_node_count > 0) object["file_nodes"] = model.file_node_count;
  if (!model.assumed_values.empty()) object["assumed_values"] = model.assumed_values;
  if (!model.unknown_sizes.empty()) object["unknown_sizes"] = model.unknown_sizes;
  if (model.missing.tensors > 0)
    object["missing_data"] = {{"tensors", model.missing.tensors}, {"file", model.missing.file}};
  if (info.fused) {
    object["fused"] = Json::array();
    for (const FusedGraph::Fused& f : info.fused->fused)
      object["fused"].push_back({{"name", f.node->name}, {"ops", fused_ops(*f.node)}});
    object["fused_graph_nodes"] = info.fused->graph.nodes().size();
    object["fused_activation_bytes"] = activation_bytes(info.fused->graph);
  }
  if (lists_file_tensors(model))
    add_file_tensors(object, model);
  else if (!model.graph.defined())
    object["tensors"] = tensors(model);
  return object;
}

void print_fused(const FusedGraph& fused) {
  cli::print("{:<12} {}, {} of them fused; activations {}\n", "fused",
             counted(std::ssize(fused.graph.nodes()), "graph node"), fused.fused.size(),
             app::format_bytes(activation_bytes(fused.graph)));
  const auto nodes = fused.graph.nodes();
  if (const auto last =
          std::count_if(nodes.begin(), nodes.end(), [](const TensorImpl* node) { return node->channels_last(); });
      last > 0)
    cli::print("{:<12} {}\n", "NHWC", counted(last, "node"));
  for (const FusedGraph::Fused& f : fused.fused) cli::print("{:<12} {}\n", "fused node", held_text(*f.node));
}

void print_info(const models::Model& model, const Info& info) {
  cli::print("{:<12} {} ({})\n", "model", model.name, model.format);
  const bool unrolled = model.file_node_count > 0 && model.file_node_count != model.node_count;
  cli::print("{:<12} {}{}", "nodes", unrolled ? fmt::format("{} in the file, ", model.file_node_count) : "",
             counted(model.node_count, "operator"));
  if (model.graph.defined())
    cli::print(", {}{}, {}", counted(static_cast<int64_t>(info.nodes), "graph node"),
               info.parameters > 0
                   ? fmt::format(" ({} among them)", counted(static_cast<int64_t>(info.parameters), "parameter"))
                   : "",
               counted(static_cast<int64_t>(info.leafs), "leaf tensor"));
  const Bytes stored = model.parameter_bytes, read = model.weight_bytes();
  cli::print("\n{:<12} {}\n", "parameters",
             read == stored || read == 0 ? app::format_bytes(stored)
                                         : fmt::format("{} as stored, {} when the model runs",
                                                       app::format_bytes(stored), app::format_bytes(read)));
  if (model.missing.tensors > 0)
    cli::print("{:<12} {} have no data: {}; a run needs it\n", "missing", counted(model.missing.tensors, "weight"),
               model.missing.why);
  if (model.graph.defined())
    cli::print("{:<12} {} without memory reuse\n{:<12} {:.3f} GFLOP per run\n", "activations",
               app::format_bytes(info.activations), "work", double(info.flops) / 1e9);
  if (info.fused) print_fused(*info.fused);
  print_values(model, "input", model.inputs);
  print_values(model, "output", model.own_outputs());
  if (model.deferred)
    cli::print("{:<12} {} and {}, compiled at run time: {}\n", "deferred",
               counted(model.deferred->node_count, "operator"), counted(std::ssize(model.deferred->outputs), "output"),
               model.deferred->why);
  cli::print("{}", assumptions(model));
  std::vector<std::pair<std::string, int64_t>> ops(model.ops.begin(), model.ops.end());
  std::stable_sort(ops.begin(), ops.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [op, count] : ops)
    cli::print("{:<12} {:>6} {}{}\n", "op", count, op, model.unsupported.count(op) ? "  (unsupported)" : "");
  if (lists_file_tensors(model))
    print_file_tensors(model, !model.graph.defined());
  else if (!model.graph.defined())
    for (const models::Weight& weight : model.weights)
      cli::print("{:<12} {} {} {}\n", "tensor", weight.tensor.name(), name(weight.tensor.dtype()),
                 to_string(weight.tensor.sizes()));
  for (const std::string& problem : model.problems) cli::print("{:<12} {}\n", "problem", problem);
  cli::print("{}", unknown_sizes_text(model));
}

int show_info(Context& context, const ModelArguments& arguments, bool fuse) {
  if (app::is_recording(arguments.model)) return show_trace_info(context, arguments.model);
  auto options = arguments.options();
  if (!options) return fail(kUsage, options.error().message);
  Progress progress;
  progress.phase("opening");
  auto model = models::open_model(arguments.model, *options);
  if (!model) return fail(kUsage, model.error().message);
  auto info = gather(model->graph, fuse);
  if (!info) return fail(kFailed, info.error().message);
  if (const std::string missing = app::left_out(*model); !missing.empty() && model->graph.defined())
    context.incomplete = fmt::format("{}: {}", arguments.model, missing);
  if (context.json)
    print_json(context, info_json(*model, *info));
  else
    print_info(*model, *info);
  return kDone;
}

}  // namespace

void add_info(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("info",
                                     "Print what a model contains (ops, tensors, sizes, unsupported ops), or a "
                                     "recording or trace (graphs, plans, runs, "
                                     "memory)");
  auto arguments = std::make_shared<ModelArguments>();
  add_model_arguments(*command, *arguments);
  command->get_option("model")->description(
      "Model file (.onnx, .gguf, .safetensors), directory in the ONNX test-case layout, zoo:NAME, or a recording or "
      "trace of another tool, detected from the content");
  command->add_flag("--json", context.json, "Print one JSON object");
  add_allow_unknown(*command, context, "some nodes of the model cannot be computed, or the file is damaged");
  auto fuse = std::make_shared<bool>(false);
  command->add_flag("--fuse", *fuse, "List the fused nodes of the CPU backend");
  command->callback(
      [&, arguments, fuse] { body = [&, arguments, fuse] { return show_info(context, *arguments, *fuse); }; });
}

}  // namespace arenascope::cli
