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
#include "engine/lesson/generate_tokens.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

// All other specs are models.
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
    if (!tensor) return Error{fmt::format("no tensor is named '{}' in the open graph", name)};
    if (tensor->dtype != DType::F32) return Error{fmt::format("the values of '{}' are not f32", name)};
    auto bytes = (*runner)->read(*tensor);
    if (!bytes) return bytes.error();
    std::vector<float>& numbers = out[name];
    numbers.resize(bytes->size() / sizeof(float));
    std::memcpy(numbers.data(), bytes->data(), numbers.size() * sizeof(float));
  }
  return out;
}

bool opens_something(const Action& action) {
  return action.verb == "open" || action.verb == "graph" || action.verb == "program";
}

std::vector<Action> entering(const Lesson& lesson, size_t step) {
  std::map<std::string, Action> newest;  // by kind
  const auto kind = [](const Action& a) {
    return opens_something(a)    ? std::string("open")
           : a.verb == "clear"   ? std::string("select")
           : a.verb == "improve" ? std::string("plan")
                                 : a.verb;
  };
  const auto open = [&] {  // ends everything else that was done to the document before
    for (const char* verb : {"plan", "generate", "select", "step"}) newest.erase(verb);
  };
  const auto take = [&](const std::vector<Action>& actions) {
    for (const Action& action : actions) {
      if (kind(action) == "open") open();
      newest[kind(action)] = action;
    }
  };
  for (size_t i = 0; i < step; ++i) {
    take(lesson.steps[i].actions);
    if (lesson.steps[i].question) take(lesson.steps[i].question->then);
  }
  std::vector<Action> own = lesson.steps[step].actions;
  const auto opens = std::ranges::find_if(own, [&](const Action& a) { return kind(a) == "open"; });
  if (opens != own.end()) open(), newest.erase("open");
  newest.try_emplace("select", Action{"clear", {}, lesson.steps[step].line});
  for (const Action& action : own) newest.erase(kind(action));
  std::vector<Action> out;
  const auto rest = opens == own.end() ? own.begin() : opens + 1;
  out.insert(out.end(), own.begin(), rest);
  const auto add = [&](const char* verb) {
    if (const auto at = newest.find(verb); at != newest.end()) out.push_back(at->second);
  };
  for (const char* verb : {"open", "generate", "plan", "axis", "show", "lens", "select", "step"}) add(verb);
  out.insert(out.end(), rest, own.end());
  add("all");  // of what the step ran
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

std::string opened_by(const Lesson& lesson, const std::string& name) {
  if (name.starts_with("zoo:") || std::filesystem::path(name).is_absolute()) return name;
  const auto beside = std::filesystem::path(lesson.file).parent_path() / name;
  std::error_code none;
  return std::filesystem::exists(beside, none) ? beside.string() : name;
}

Status Stage::open(const std::string& name) {
  const std::string spec = opened_by(lesson_, name);
  if (!is_recording(spec)) return run_model(models::open_model(spec), spec);
  runner_.reset();
  shown_ = nullptr;
  has_model_ = false;
  session_ = std::make_shared<trace::Session>();
  auto opened = trace::open_trace(spec, *session_);
  open_ = opened.ok();
  return opened ? Status() : Status(opened.error());
}

Status Stage::find_frontier() {
  if (!spec_.empty() || !has_model_)
    return Error{"the frontier requires the lesson's own graph, and it must be runnable"};
  auto points = lesson_frontier(lesson_);
  if (!points) return points.error();
  frontier_.clear();
  for (const FrontierPoint& point : *points)
    frontier_.push_back(
        {point.arena, static_cast<double>(point.extra_flops) / static_cast<double>(std::max<int64_t>(point.flops, 1))});
  return {};
}

Status Stage::show_plan(const std::string& planner, const std::string& order) {
  auto scene = this->scene();
  if (!scene) return scene.error();
  if (!scene->graph) return Error{"no graph is open to plan"};
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

Status Stage::show_lens(const Action& action) {
  auto request = parse_lens_request(action.arguments);
  if (!request) return request.error();
  auto frames = run_lens(request->experiment, std::move(request->input));
  if (frames) lens_ = std::make_shared<const std::vector<LensFrame>>(std::move(*frames));
  return frames ? Status() : Status(frames.error());
}

Status Stage::open_graph() {
  if (lesson_.computes()) return run_model(lesson_model(lesson_), "");
  return show(lesson_session(lesson_));
}

// Shows a session that has no model to run.
Status Stage::show(Result<std::shared_ptr<trace::Session>> session) {
  runner_.reset();
  shown_ = nullptr;
  has_model_ = false;
  open_ = session.ok();
  if (!session) return session.error();
  session_ = *session;
  return {};
}

Status Stage::act(const Action& action) {
  const std::string argument = action.arguments.empty() ? "" : action.arguments[0];
  if (action.verb == "open") return open(argument);
  if (action.verb == "graph") return open_graph();
  if (action.verb == "program") return show(run_program(argument));
  if (action.verb == "show" || action.verb == "all" || action.verb == "clear") return {};
  if (action.verb == "lens") return show_lens(action);
  if (!open_) return Error{fmt::format("'{}' requires an open model or recording", action.verb)};
  if (action.verb == "select") {
    auto scene = this->scene();
    if (!scene) return scene.error();
    auto found = tensor_of(*scene, argument);
    return found ? Status() : Status(found.error());
  }
  if (action.verb == "step") {
    const auto step = parse_integer(argument);
    auto scene = this->scene();
    if (!scene) return scene.error();
    const int64_t steps = scene->plan ? static_cast<int64_t>(scene->plan->order.size()) : 0;
    if (argument != "peak" && (!step || *step < 1 || *step > steps))
      return Error{fmt::format("unknown step {}: expected 1 to {}, or peak", argument, steps)};
    return {};
  }
  if (action.verb == "axis")
    return argument == "step" || argument == "time"
               ? Status()
               : Status(Error{fmt::format("unknown axis '{}': expected step or time", argument)});
  if (action.verb == "frontier") return find_frontier();
  if (action.verb == "plan") return show_plan(argument, action.arguments[1]);
  if (action.verb == "improve") {
    auto scene = this->scene();
    if (!scene) return scene.error();
    auto plan = improved_plan(*scene, argument, action.arguments[1]);
    if (plan) shown_ = std::move(*plan);
    return plan ? Status() : Status(plan.error());
  }
  if (action.verb == "plan_all" || action.verb == "expand") {
    auto scene = this->scene();
    return scene && scene->graph ? Status() : Status(Error{"no graph is open"});
  }
  if (!has_model_) return Error{fmt::format("'{}' requires a model that can be run", action.verb)};
  if (action.verb == "generate") {
    auto written = generate_tokens(spec_, lesson_.settings, action);
    if (!written) return written.error();
    session_ = *written;
    shown_ = nullptr;
    return {};
  }
  if (action.verb == "run") {
    auto ran = runner_->run();
    recorder_->drain();
    return ran ? Status() : Status(ran.error());
  }
  return {};  // node, stop: handled by the window
}

Result<Scene> Stage::scene(const std::set<std::string>& tensors) {
  if (!open_) return Error{"nothing is open"};
  Scene scene;
  scene.snapshot = session_->snapshot();
  if (const size_t runs = scene.snapshot->runs.size(); runs > 0) scene.run = trace::RunId(runs - 1);
  for (const auto& graph : scene.snapshot->graphs) scene.graph = graph;
  for (const auto& plan : scene.snapshot->plans) scene.plan = plan;
  if (shown_) scene.plan = shown_;
  scene.frontier = frontier_;
  scene.lens = lens_;
  if (tensors.empty()) return scene;
  if (!has_model_) return Error{"tensor values require a model"};
  auto values = read_values(lesson_, spec_, tensors);
  if (!values) return values.error();
  scene.values = std::move(*values);
  return scene;
}

}  // namespace arenascope::lesson
