// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a recording, trace or plan: totals, the peak and its parts, findings, occupancy, arena map, timeline, nodes. It is
// one JSON object, from which text, Markdown and a self-contained HTML page are made. No Qt.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include <arenascope/trace/snapshot.h>
#include <nlohmann/json.hpp>

namespace arenascope::app {

using ReportJson = nlohmann::ordered_json;

struct ReportLimits {
  size_t rectangles = 15'000;   // rectangles of the map; the largest are kept
  size_t spans = 15'000;        // spans of the timeline; more are merged per pixel
  size_t frames = 5'000;        // frames of a flame graph; the largest are kept
  size_t points = 2'000;        // points of a curve
  size_t rows = 2'000;          // rows of a table
  double findings_seconds = 8;  // time limit of the search for savings; 0: none
};

// `file`: as the user named it. Sizes are bytes, times nanoseconds from the start of the recording; null: not recorded.
ReportJson make_report(const std::shared_ptr<const trace::Snapshot>& snapshot, const std::string& file,
                       const ReportLimits& limits = {});

// `rows`: the largest rows per table.
std::string report_text(const ReportJson& report, size_t rows);
std::string report_markdown(const ReportJson& report, size_t rows);

// One page with its data, without references to the network: of a report, a lesson (app/window/lessons/page) or the course.
enum class PageKind : uint8_t { Report, Lesson, Course };
std::string html_page(PageKind kind, const ReportJson& data);

}  // namespace arenascope::app
