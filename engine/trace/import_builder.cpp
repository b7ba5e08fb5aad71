// SPDX-License-Identifier: MIT
#include "engine/trace/import_builder.h"

#include <algorithm>

namespace arenascope::trace {

size_t ImportBuilder::track(const std::string& key) {
  const auto [it, fresh] = track_of_.try_emplace(key, tracks_.size());
  if (fresh) {
    tracks_.emplace_back();
    tracks_.back().info = {TrackId(it->second), key, TrackKind::Other, DeviceId::none(), 0, 0};
  }
  return it->second;
}

NameId ImportBuilder::name(std::string_view text) {
  const auto [it, fresh] = name_of_.try_emplace(std::string(text), NameId(name_of_.size()));
  if (fresh) names_.push_back(&it->first);
  return it->second;
}

CounterId ImportBuilder::counter(const std::string& name, const std::string& unit) {
  const auto [it, fresh] = counter_of_.try_emplace(name, CounterId(counter_of_.size()));
  if (fresh) counters_.push_back({it->second, name, unit});
  return it->second;
}

void ImportBuilder::rename(const std::unordered_map<std::string, std::string>& names) {
  for (const std::string*& name : names_)
    if (const auto it = names.find(*name); it != names.end()) name = &it->second;
}

size_t ImportBuilder::size() const {
  size_t sum = points_.size();
  for (const Track& t : tracks_) sum += t.spans.size();
  return sum;
}

void ImportBuilder::describe(Sink& sink) {
  for (const Track& t : tracks_) sink.describe(t.info);
  for (size_t i = 0; i < names_.size(); ++i) sink.describe(NameInfo{NameId(i), *names_[i]});
  for (const CounterInfo& c : counters_) sink.describe(c);
}

void ImportBuilder::finish(Sink& sink) {
  std::vector<TrackEvent> batch;
  std::vector<Span> open;  // the spans that enclose the current one; instants of one time are stacked
  for (size_t i = 0; i < tracks_.size(); ++i) {
    Track& t = tracks_[i];
    std::stable_sort(t.spans.begin(), t.spans.end(), [](const Span& x, const Span& y) {
      return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
    });
    batch.clear();
    open.clear();
    for (const Span& s : t.spans) {
      const bool is_instant = s.begin == s.end;
      while (!open.empty() && open.back().end <= s.begin && !(is_instant && open.back().begin == s.begin))
        open.pop_back();
      batch.push_back({TrackId(i), slice(s.begin, s.end, s.name, static_cast<int64_t>(open.size()))});
      open.push_back(s);
    }
    if (!batch.empty()) sink.events(batch);
    t = {};
  }
  std::stable_sort(points_.begin(), points_.end(),
                   [](const TrackEvent& x, const TrackEvent& y) { return x.event.time < y.event.time; });
  sink.events(points_);
  points_.clear();
  for (const LeftOutPart& p : problems_)
    sink.describe(Problem{p.severity, p.sentence, 0, RunId::none(), NodeId::none(), ProblemKind::LeftOut});
  sink.flush();
}

}  // namespace arenascope::trace
