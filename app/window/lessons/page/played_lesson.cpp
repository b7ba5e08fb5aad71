// SPDX-License-Identifier: GPL-3.0-or-later
#include "played_lesson.h"

#include <arenascope/base/step_number.h>

#include <algorithm>
#include <charconv>

namespace arenascope::app {
namespace {

constexpr double kFindingsBudget = 2;  // seconds per step

class LessonPlayback {
 public:
  explicit LessonPlayback(const lesson::Lesson& lesson) : lesson_(lesson), stage_(lesson) {}

  Result<std::vector<PlayedStep>> play() {
    std::vector<PlayedStep> steps;
    for (size_t i = 0; i < lesson_.steps.size(); ++i) {
      const lesson::LessonStep& step = lesson_.steps[i];
      auto before = state_after(step.actions, step, lesson::entering(lesson_, i));
      if (!before) return before.error();
      PlayedStep& played = steps.emplace_back(PlayedStep{std::move(*before), std::nullopt});
      if (!step.question || step.question->then.empty()) continue;
      auto after = state_after(step.question->then, step, step.question->then, played.before);
      if (!after) return after.error();
      played.after = std::move(*after);
    }
    return steps;
  }

 private:
  // `shown`: the actions that determine panels, selection and playhead.
  Result<PlayedState> state_after(const std::vector<lesson::Action>& actions, const lesson::LessonStep& step,
                                  const std::vector<lesson::Action>& shown, PlayedState state = {}) {
    for (const lesson::Action& action : actions)
      if (auto done = stage_.act(action); !done) return error_at(lesson_, action.line, done.error().message);
    auto known = std::move(state.scene.known);
    auto scene = scene_of(step, shown);
    if (!scene) return error_at(lesson_, step.line, scene.error().message);
    state.scene = std::move(*scene);
    if (known.empty())
      lesson::evaluate_all(state.scene, step);
    else
      state.scene.known = std::move(known);  // the values of the texts
    for (const lesson::Action& action : shown) show(action, state);
    if (std::ranges::find(state.panels, PanelId::Findings) != state.panels.end()) {
      FindingsOptions options;
      options.budget_seconds = kFindingsBudget;
      const lesson::Scene& s = state.scene;
      state.findings = find_savings({s.snapshot, s.graph, s.plan, s.run}, options);
    }
    return state;
  }

  // With the elements of the selected tensor where a model can provide them.
  Result<lesson::Scene> scene_of(const lesson::LessonStep& step, const std::vector<lesson::Action>& shown) {
    std::set<std::string> tensors = lesson::tensors_read_by(step);
    const std::set<std::string> needed = tensors;
    for (const lesson::Action& action : shown)
      if (action.verb == "select") tensors.insert(action.arguments[0]);
    auto scene = stage_.scene(tensors);
    return scene ? std::move(scene) : stage_.scene(needed);
  }

  static void show(const lesson::Action& action, PlayedState& state) {
    if (action.verb == "show") {
      state.panels.clear();
      for (const std::string& name : action.arguments)
        if (const auto id = panel_named(name)) state.panels.push_back(*id);  // the lesson's names are checked elsewhere
    }
    if (action.verb == "clear") state.selected.clear();
    if (action.verb == "select") state.selected = action.arguments[0];
    if (action.verb == "generate") state.all_runs = true;
    if (action.verb != "step") return;
    const std::string& number = action.arguments[0];
    if (number == "peak" && state.scene.plan) {
      const std::vector<Bytes> live = trace::Snapshot::occupancy(*state.scene.plan);
      if (!live.empty()) state.playhead = static_cast<int32_t>(std::ranges::max_element(live) - live.begin());
    } else {
      int32_t shown = 0;
      if (std::from_chars(number.data(), number.data() + number.size(), shown).ec == std::errc())
        state.playhead = static_cast<int32_t>(step_index(shown));
    }
  }

  const lesson::Lesson& lesson_;
  lesson::Stage stage_;
};

}  // namespace

Result<std::vector<PlayedStep>> play_lesson(const lesson::Lesson& lesson) { return LessonPlayback(lesson).play(); }

}  // namespace arenascope::app
