// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/findings.h"

#include <arenascope/schedule/finding_sentence.h>
#include <fmt/format.h>

#include "app/common/format.h"

namespace arenascope::app {
namespace {

using Json = ReportJson;

std::string thread_name(const trace::Snapshot& snapshot, trace::TrackId id) {
  const bool is_known = id.valid() && id.index() < snapshot.tracks.size();
  return is_known && !snapshot.tracks[id.index()].info.name.empty() ? snapshot.tracks[id.index()].info.name
                                                                    : fmt::format("thread {}", id.value);
}

Json names_json(const FindingsInput& about, const FindingValue& value) {
  Json names = Json::array();
  for (const trace::TensorRef ref : value.tensors)
    names.push_back({{"name", about.graph ? trace::display_name(*about.graph, ref) : std::string()}});
  for (const trace::SpaceAllocation& slice : value.slices)
    names.push_back({{"name", trace::display_name(*about.snapshot, slice)}});
  for (size_t i = 0; i < value.bytes.size(); ++i) names[i]["bytes"] = value.bytes[i];
  return {{"names", names}, {"more", value.number}};
}

Json value_json(const FindingsInput& about, const FindingValue& value) {
  using Kind = FindingValue::Kind;
  switch (value.kind) {
    case Kind::Size: return {{"bytes", value.number}};
    case Kind::Time: return {{"nanoseconds", value.number}};
    case Kind::Count: return {{"number", value.number}};
    case Kind::Share: return {{"share", value.share}};
    case Kind::Planner:
    case Kind::Order: return {{"option", value.name}};
    case Kind::Track: return {{"names", {{{"name", thread_name(*about.snapshot, value.track)}}}}, {"more", 0}};
    case Kind::Names: return names_json(about, value);
  }
  return {};
}

std::string value_text(const Json& value, const std::function<std::string(const std::string&)>& name) {
  if (value.contains("bytes")) return format_bytes(value["bytes"].get<Bytes>());
  if (value.contains("nanoseconds")) return format_nanoseconds(value["nanoseconds"].get<Nanoseconds>());
  if (value.contains("number")) return std::to_string(value["number"].get<int64_t>());
  if (value.contains("share")) return fmt::format("{:.1f} %", 100 * value["share"].get<double>());
  if (value.contains("option")) return value["option"].get<std::string>();
  std::string text;
  for (const Json& each : value["names"]) {
    if (!text.empty()) text += kFindingSeparator;
    text += name(each["name"].get<std::string>());
    if (each.contains("bytes")) text += fmt::format(" ({})", format_bytes(each["bytes"].get<Bytes>()));
  }
  const auto more = value["more"].get<int64_t>();
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

}  // namespace

std::string finding_text(const Json& finding, const std::function<std::string(const std::string&)>& name) {
  const auto text = finding["text"].get<std::string>();
  const Json &values = finding["values"], &count = finding["count"];
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t number = text[i] == '%' && i + 1 < text.size() ? static_cast<size_t>(text[i + 1] - '0') : 0;
    if (number >= 1 && number <= values.size())
      out += value_text(values[number - 1], name), ++i;
    else if (text.compare(i, 2, "%n") == 0)
      out += std::to_string(count.get<int64_t>()), ++i;
    else if (text.compare(i, 3, "(s)") == 0)
      out += count == 1 ? "" : "s", i += 2;
    else
      out += text[i];
  }
  return out;
}

std::string finding_saving(const Json& finding) {
  if (!finding["saved_bytes"].is_null()) return format_bytes(finding["saved_bytes"].get<Bytes>());
  if (!finding["saved_nanoseconds"].is_null())
    return format_nanoseconds(finding["saved_nanoseconds"].get<Nanoseconds>());
  return "—";
}

Json findings_json(const std::shared_ptr<const trace::Snapshot>& snapshot, const trace::Subject& subject,
                   double seconds) {
  Json list = Json::array();
  FindingsInput about{snapshot, nullptr, nullptr, subject.run ? subject.run->info.id : trace::RunId()};
  if (subject.graph) about.graph = snapshot->graphs[subject.graph->id.index()];
  if (subject.plan) about.plan = snapshot->plans[subject.plan->id.index()];
  if (seconds <= 0 || (!about.graph && snapshot->event_count == 0)) return list;
  FindingsOptions options;
  options.budget_seconds = seconds;
  for (const Finding& finding : find_savings(about, options)) {
    const FindingSentence sentence = finding_sentence(finding, about);
    Json each{{"kind", arenascope::name(finding.kind)},
              {"saved_bytes", finding.saved > 0 ? Json(finding.saved) : Json()},
              {"saved_nanoseconds", finding.time > 0 ? Json(finding.time) : Json()},
              {"sentence", ""},
              {"text", sentence.text},
              {"count", sentence.count >= 0 ? Json(sentence.count) : Json()},
              {"values", Json::array()}};
    for (const FindingValue& value : sentence.values) each["values"].push_back(value_json(about, value));
    each["sentence"] = finding_text(each, [](const std::string& name) { return name; });
    list.push_back(std::move(each));
  }
  return list;
}

}  // namespace arenascope::app
