// SPDX-License-Identifier: MIT
#include <arenascope/lesson/programs.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/trace/import.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "engine/lesson/fact_table.h"
#include "engine/lesson/words.h"

namespace arenascope::lesson {
namespace {

// A recording that lies beside the lesson; models go by other names.
bool is_recording(const std::string& spec) {
  const std::string ending = std::filesystem::path(spec).extension().string();
  return !spec.starts_with("zoo:") && ending != ".onnx" && ending != ".gguf" && ending != ".safetensors";
}

const TensorImpl* find(const Graph& graph, const std::string& name) {
  for (const auto& list : {graph.nodes(), graph.leafs()})
    for (const TensorImpl* tensor : list)
      if (tensor->name == name) return tensor;
  return nullptr;
}

}  // namespace

Result<std::map<std::string, std::vector<float>>> read_values(const Lesson& lesson, const std::string& spec,
                                                              const std::set<std::string>& tensors) {
  std::map<std::string, std::vector<float>> out;
  if (tensors.empty()) return out;
  auto model = spec.empty() ? lesson_model(lesson) : models::open_model(spec);
  if (!model) return model.error();
  RunnerOptions options = runner_options(lesson.settings);
  options.strategy = MemoryStrategy::None;
  options.in_place = false;
  options.threads = 1;
  auto runner = Runner::open(std::move(*model), options);
  if (!runner) return runner.error();
  if (auto ran = (*runner)->run(); !ran) return ran.error();
  for (const std::string& name : tensors) {
    const TensorImpl* tensor = find((*runner)->plan().graph, name);
    if (!tensor) return Error{fmt::format("there is no tensor '{}' in what is open", name)};
    if (tensor->dtype != DType::F32) return Error{fmt::format("the numbers of '{}' are not f32", name)};
    auto bytes = (*runner)->read(*tensor);
    if (!bytes) return bytes.error();
    std::vector<float>& numbers = out[name];
    numbers.resize(bytes->size() / sizeof(float));
    std::memcpy(numbers.data(), bytes->data(), numbers.size() * sizeof(float));
  }
  return out;
}

Stage::Stage(const Lesson& lesson) : lesson_(lesson) {}
Stage::~Stage() = default;

Status Stage::run_model(Result<models::Model> model, const std::string& spec) {
  runner_.reset();
  shown_ = nullptr;
  open_ = has_model_ = false;
  if (!model) return model.error();
  recorder_ = std::make_unique<trace::Recorder>();
  session_ = std::make_shared<trace::Session>();
  recorder_->add_sink(session_);
  RunnerOptions options = runner_options(lesson_.settings);
  options.recorder = recorder_.get();
  auto runner = Runner::open(std::move(*model), options);
  if (!runner) return runner.error();
  runner_ = std::move(*runner);
  spec_ = spec;
  open_ = has_model_ = true;
  auto ran = runner_->run();
  recorder_->drain();
  return ran ? Status() : Status(ran.error());
}

Status Stage::open(const std::string& spec) {
  if (!is_recording(spec)) return run_model(models::open_model(spec), spec);
  runner_.reset();
  shown_ = nullptr;
  has_model_ = false;
  session_ = std::make_shared<trace::Session>();
  const auto path = std::filesystem::path(lesson_.file).parent_path() / spec;
  auto opened = trace::open_trace(path, *session_);
  open_ = opened.ok();
  return opened ? Status() : Status(opened.error());
}

Status Stage::show_plan(const std::string& planner, const std::string& order) {
  auto scene = this->scene();
  if (!scene) return scene.error();
  if (!scene->graph) return Error{"there is no graph to plan"};
  auto restored = restore_graph(*scene->graph);
  if (!restored) return restored.error();
  MemoryPlanOptions options;
  if (scene->plan && scene->plan->alignment > 0) options.alignment = scene->plan->alignment;
  options.planner.budget_seconds = 0.05;
  auto plan = plan_memory(*restored, planner, order, options);
  if (!plan) return plan.error();
  auto described = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
  described->graph = scene->graph->id;
  shown_ = std::move(described);
  return {};
}

Status Stage::act(const Action& action) {
  const std::string argument = action.arguments.empty() ? "" : action.arguments[0];
  if (action.verb == "open") return open(argument);
  if (action.verb == "graph") {
    if (lesson_.computes()) return run_model(lesson_model(lesson_), "");
    runner_.reset();
    shown_ = nullptr;
    has_model_ = false;
    auto session = lesson_session(lesson_);
    open_ = session.ok();
    if (!session) return session.error();
    session_ = *session;
    return {};
  }
  if (action.verb == "program") {
    runner_.reset();
    shown_ = nullptr;
    has_model_ = false;
    auto session = run_program(argument);
    open_ = session.ok();
    if (!session) return session.error();
    session_ = *session;
    return {};
  }
  if (action.verb == "layout" || action.verb == "show" || action.verb == "all" || action.verb == "clear") return {};
  if (!open_) return Error{fmt::format("'{}' has nothing to work on: nothing is open", action.verb)};
  if (action.verb == "select") {
    auto scene = this->scene();
    if (!scene) return scene.error();
    auto found = tensor_of(*scene, argument);
    return found ? Status() : Status(found.error());
  }
  if (action.verb == "step") {
    const auto step = whole_number(argument);
    auto scene = this->scene();
    if (!scene) return scene.error();
    const int64_t steps = scene->plan ? static_cast<int64_t>(scene->plan->order.size()) : 0;
    if (argument != "peak" && (!step || *step < 0 || *step >= steps))
      return Error{fmt::format("there is no step {}", argument)};
    return {};
  }
  if (action.verb == "axis")
    return argument == "step" || argument == "time" ? Status()
                                                    : Status(Error{fmt::format("'{}' is no axis", argument)});
  if (action.verb == "plan") return show_plan(argument, action.arguments[1]);
  if (action.verb == "plan_all" || action.verb == "expand") {
    auto scene = this->scene();
    return scene && scene->graph ? Status() : Status(Error{"there is no graph"});
  }
  if (!has_model_) return Error{fmt::format("'{}' wants a model that can be run", action.verb)};
  if (action.verb == "run") {
    auto ran = runner_->run();
    recorder_->drain();
    return ran ? Status() : Status(ran.error());
  }
  return {};  // node, stop: the window's
}

Result<Scene> Stage::scene(const std::set<std::string>& tensors) {
  if (!open_) return Error{"nothing is open"};
  Scene scene;
  scene.snapshot = session_->snapshot();
  if (const size_t runs = scene.snapshot->runs.size(); runs > 0) scene.run = trace::RunId(runs - 1);
  for (const auto& graph : scene.snapshot->graphs) scene.graph = graph;
  for (const auto& plan : scene.snapshot->plans) scene.plan = plan;
  if (shown_) scene.plan = shown_;
  if (tensors.empty()) return scene;
  if (!has_model_) return Error{"numbers can be had of a model only"};
  auto values = read_values(lesson_, spec_, tensors);
  if (!values) return values.error();
  scene.values = std::move(*values);
  return scene;
}

}  // namespace arenascope::lesson
