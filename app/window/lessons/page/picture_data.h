// SPDX-License-Identifier: GPL-3.0-or-later
// The data of the pictures of a lesson page, which are drawn by its script: graph, plan, memory over time, timeline, object
// pool, frontier. Independent of the language.
#pragma once
#include "app/report/report.h"
#include "played_lesson.h"

namespace arenascope::app {

using Json = ReportJson;

// Each picture once; steps refer to it by its number.
class PictureStore {
 public:
  size_t add(const Json& picture);
  const Json& list() const { return list_; }

 private:
  std::vector<std::string> texts_;
  Json list_ = Json::array();
};

// Null: the panel is a table (page_texts.h).
Json picture_of_panel(PanelId panel, const PlayedState& state);
// {"panel", "picture"} for each panel of the state.
Json panels_json(PictureStore& store, const PlayedState& state);

// "node 22" for a tensor without a name, as in the facts.
std::string tensor_name(const trace::GraphInfo& graph, trace::TensorRef ref);

}  // namespace arenascope::app
