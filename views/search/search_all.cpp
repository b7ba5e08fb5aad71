// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_all.h"

#include <arenascope/trace/call_site.h>
#include <arenascope/trace/difference.h>
#include <arenascope/trace/span_label.h>
#include <views/common/format.h>
#include <views/common/spaces.h>
#include <QCoreApplication>

#include <map>
#include <set>
#include <unordered_map>

namespace arenascope::views {
namespace {

using Field = SearchFilter::Field;

struct SearchTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Search)
};

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// One search: its query with the results so far.
class Searcher {
 public:
  Searcher(const trace::Snapshot& snapshot, const SearchQuery& query, std::stop_token stop, size_t limit)
      : snapshot_(snapshot), query_(query), stop_(std::move(stop)), limit_(limit) {
    for (uint32_t i = 0; i < snapshot_.stacks.size(); ++i)
      for (const uint32_t allocation : snapshot_.stacks[i].allocations) stack_of_.emplace(allocation, i);
  }
  SearchResult run() {
    add_graphs();
    show_exact_names_first();
    add_spans();
    add_allocations();
    add_frames();
    add_messages();
    return std::move(result_);
  }

 private:
  bool wants(SearchKind kind) const {
    return std::ranges::all_of(query_.filters,
                               [&](const SearchFilter& f) { return f.field != Field::Kind || f.kind == kind; });
  }
  bool has_filter(Field field) const {
    return std::ranges::find(query_.filters, field, &SearchFilter::field) != query_.filters.end();
  }
  bool passes(Field field, double number) const {
    return std::ranges::all_of(
        query_.filters, [&](const SearchFilter& f) { return f.field != field || (number >= 0 && holds(f, number)); });
  }
  bool passes(Field field, const QStringList& texts) const {
    return std::ranges::all_of(query_.filters,
                               [&](const SearchFilter& f) { return f.field != field || holds(f, texts); });
  }
  // False if it must not go on.
  bool add(SearchHit hit) {
    if (result_.hits.size() >= limit_) {
      result_.complete = false;
      return false;
    }
    result_.hits.push_back(std::move(hit));
    return !stop_.stop_requested();
  }

  static QStringList ops_of(const trace::TensorInfo& node);
  static QStringList names_of(const trace::TensorInfo& node);
  bool matches(const trace::TensorInfo& tensor) const {
    return passes(Field::Op, ops_of(tensor)) && passes(Field::Layer, {qt(tensor.layer)}) &&
           names_match(query_, names_of(tensor));
  }
  bool add_tensor(const trace::GraphInfo& graph, trace::TensorRef ref, const trace::TensorInfo& tensor, double time);
  void add_graphs();
  void show_exact_names_first();
  bool is_on_track(const trace::ThreadInfo& track) const;
  bool label_matches(const trace::Event& span);
  void add_spans();
  bool owner_matches(const trace::SpaceAllocation& allocation);
  bool add_allocation(const trace::SpaceAllocation& allocation);
  void add_allocations();
  std::vector<std::optional<trace::SpaceAllocation>> largest_allocations() const;
  void add_frames();
  void add_messages();

  const trace::Snapshot& snapshot_;
  const SearchQuery& query_;
  std::stop_token stop_;
  size_t limit_;
  SearchResult result_;
  // Results for spans of one label and for allocations of one owner.
  std::map<trace::SpanLabelKey, bool> labels_;
  std::map<std::pair<int32_t, uint32_t>, bool> owners_;
  std::unordered_map<uint32_t, bool> sites_;
  std::unordered_map<uint32_t, uint32_t> stack_of_;  // by allocation
};

QStringList Searcher::ops_of(const trace::TensorInfo& node) {
  QStringList ops{qt(node.op)};
  for (const trace::PartInfo& part : node.parts) ops << qt(part.op);
  for (const trace::FileNodeInfo& file : node.file_nodes) ops << qt(file.op);
  return ops;
}

QStringList Searcher::names_of(const trace::TensorInfo& node) {
  QStringList names = ops_of(node);
  names << qt(node.name);
  for (const trace::PartInfo& part : node.parts) names << qt(part.name);
  for (const trace::FileNodeInfo& file : node.file_nodes) names << qt(file.name);
  return names;
}

// --- nodes and leaf tensors

bool Searcher::add_tensor(const trace::GraphInfo& graph, trace::TensorRef ref, const trace::TensorInfo& tensor,
                          double time) {
  const auto bytes = static_cast<double>(tensor.bytes);
  if (!passes(Field::Bytes, bytes) || !passes(Field::Time, time) || !matches(tensor)) return true;
  return add({ref.is_node() ? SearchKind::Node : SearchKind::Tensor, NodeSelection{graph.id, ref}, bytes, time});
}

// The graph of the file is searched only if no other has nodes, since its names are also those of the graph that runs.
void Searcher::add_graphs() {
  if (has_filter(Field::Thread)) return;
  const bool any =
      std::ranges::any_of(snapshot_.graphs, [](const auto& g) { return g && !g->of_file && !g->nodes.empty(); });
  for (const SearchKind kind : {SearchKind::Node, SearchKind::Tensor}) {
    if (!wants(kind)) continue;
    for (const auto& graph : snapshot_.graphs) {
      if (!graph || (graph->of_file && any)) continue;
      const bool nodes = kind == SearchKind::Node;
      const auto& list = nodes ? graph->nodes : graph->leafs;
      const auto stats = nodes ? snapshot_.stats(graph->id) : std::vector<trace::NodeStats>();
      for (size_t i = 0; i < list.size(); ++i) {
        const auto ref = nodes ? trace::TensorRef::node(NodeId(i)) : trace::TensorRef::leaf(LeafId(i));
        const bool ran = i < stats.size() && stats[i].runs > 0;
        if (!add_tensor(*graph, ref, list[i], ran ? static_cast<double>(stats[i].median) : -1)) return;
      }
    }
  }
}

void Searcher::show_exact_names_first() {
  if (query_.words.size() != 1) return;
  std::ranges::stable_partition(result_.hits, [&](const SearchHit& hit) {
    const auto& of = std::get<NodeSelection>(hit.of);
    const trace::TensorInfo* tensor = snapshot_.tensor(of.graph, of.tensor);
    return tensor != nullptr && names_of(*tensor).contains(query_.words.front(), Qt::CaseInsensitive);
  });
}

// --- spans

// A number is the thread's id or a number in its name.
bool Searcher::is_on_track(const trace::ThreadInfo& track) const {
  const QString name = qt(track.name);
  return std::ranges::all_of(query_.filters, [&](const SearchFilter& f) {
    if (f.field != Field::Thread) return true;
    bool is_number = false;
    const qlonglong number = f.text.toLongLong(&is_number);
    if (!is_number) return holds(f, QStringList{name, qt(track.program)});
    const QRegularExpression whole(QStringLiteral("(?<!\\d)%1(?!\\d)").arg(f.text));
    return number == track.thread || whole.match(name).hasMatch();
  });
}

bool Searcher::label_matches(const trace::Event& span) {
  const auto [it, added] = labels_.try_emplace(trace::SpanLabelKey::of(snapshot_, span), false);
  if (!added) return it->second;
  const trace::GraphInfo* graph = span.kind() == trace::EventKind::Work ? snapshot_.graph_of(span.run()) : nullptr;
  QStringList names{qt(snapshot_.label(span))};
  QString layer;
  QStringList ops;
  if (graph != nullptr && span.node().valid() && span.node().index() < graph->nodes.size()) {
    const trace::TensorInfo& node = graph->nodes[span.node().index()];
    names << names_of(node);
    ops = ops_of(node);
    layer = qt(node.layer);
  }
  return it->second = passes(Field::Op, ops) && passes(Field::Layer, {layer}) && names_match(query_, names);
}

void Searcher::add_spans() {
  if (!wants(SearchKind::Span)) return;
  for (size_t t = 0; t < snapshot_.tracks.size(); ++t) {
    const trace::TrackView& track = snapshot_.tracks[t];
    if (!is_on_track(track.info)) continue;
    for (uint32_t lane = 0; lane < track.lanes.size(); ++lane) {
      const auto& rows = track.lanes[lane].rows;
      for (uint32_t row = 0; row < rows.size(); ++row) {
        const trace::Event& e = rows[row];
        if (e.kind() == trace::EventKind::None) continue;
        const auto time = static_cast<double>(e.end() - e.begin());
        const double bytes = e.kind() == trace::EventKind::Copy ? static_cast<double>(e.b) : -1;
        if (!passes(Field::Time, time) || !passes(Field::Bytes, bytes) || !label_matches(e)) continue;
        if (!add({SearchKind::Span, trace::SpanRef{trace::TrackId(t), lane, row}, bytes, time})) return;
      }
      if (stop_.stop_requested()) return;
    }
  }
}

// --- allocations and call stacks

bool Searcher::owner_matches(const trace::SpaceAllocation& allocation) {
  if (allocation.tensor.valid()) {
    const auto [it, added] = owners_.try_emplace({allocation.graph.value, allocation.tensor.value}, false);
    if (!added) return it->second;
    const trace::TensorInfo* tensor = snapshot_.tensor(allocation.graph, allocation.tensor);
    return it->second = tensor != nullptr && matches(*tensor);
  }
  if (has_filter(Field::Op) || has_filter(Field::Layer)) return false;
  if (trace::is_arena(allocation)) return names_match(query_, {qt(trace::display_name(snapshot_, allocation))});
  const auto stack = stack_of_.find(allocation.block);
  const uint32_t key = stack == stack_of_.end() ? UINT32_MAX - allocation.allocator : stack->second;
  const auto [it, added] = sites_.try_emplace(key, false);
  if (added) it->second = names_match(query_, {qt(trace::display_name(snapshot_, allocation))});
  return it->second;
}

bool Searcher::add_allocation(const trace::SpaceAllocation& allocation) {
  const auto bytes = static_cast<double>(allocation.bytes),
             time = static_cast<double>(allocation.end - allocation.begin);
  if (!passes(Field::Bytes, bytes) || !passes(Field::Time, time) || !owner_matches(allocation)) return true;
  return add({SearchKind::Allocation, allocation, bytes, time});
}

template <class Visit>
void each_allocation(const trace::Snapshot& snapshot, Visit visit) {  // until it returns false
  for (size_t i = 0; i < snapshot.space_slices.size(); ++i)
    if (!visit(snapshot.space_slices[i])) return;
  for (const trace::SpaceAllocation& allocation : snapshot.open_space_slices)
    if (!visit(allocation)) return;
}

void Searcher::add_allocations() {
  if (!wants(SearchKind::Allocation) || has_filter(Field::Thread)) return;
  each_allocation(snapshot_, [&](const trace::SpaceAllocation& a) { return add_allocation(a); });
}

// By stack.
std::vector<std::optional<trace::SpaceAllocation>> Searcher::largest_allocations() const {
  std::vector<std::optional<trace::SpaceAllocation>> largest(snapshot_.stacks.size());
  each_allocation(snapshot_, [&](const trace::SpaceAllocation& a) {
    const auto stack = stack_of_.find(a.block);
    if (stack == stack_of_.end()) return true;
    auto& found = largest[stack->second];
    if (!found || a.bytes > found->bytes) found = a;
    return true;
  });
  return largest;
}

// Each frame once.
void Searcher::add_frames() {
  if (!wants(SearchKind::Frame)) return;
  for (const Field field : {Field::Bytes, Field::Time, Field::Op, Field::Layer, Field::Thread})
    if (has_filter(field)) return;
  const auto largest = largest_allocations();
  std::set<std::string> seen;
  for (uint32_t s = 0; s < snapshot_.stacks.size(); ++s) {
    const auto& frames = snapshot_.stacks[s].frames;
    for (uint32_t f = 0; f < frames.size(); ++f) {
      std::string text = trace::frame_text(snapshot_, frames[f]);
      if (text.empty() || !seen.insert(text).second) continue;
      const QStringList names{qt(text), qt(snapshot_.name(frames[f].function)), qt(snapshot_.name(frames[f].file))};
      if (names_match(query_, names) && !add({SearchKind::Frame, SearchHit::OfStack{s, f, largest[s]}})) return;
    }
  }
}

void Searcher::add_messages() {
  if (!wants(SearchKind::Message)) return;
  for (const Field field : {Field::Bytes, Field::Time, Field::Op, Field::Layer, Field::Thread})
    if (has_filter(field)) return;
  for (uint32_t i = 0; i < snapshot_.problems.size(); ++i)
    if (names_match(query_, {qt(snapshot_.problems[i].sentence)}) &&
        !add({SearchKind::Message, SearchHit::OfMessage{i}}))
      return;
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

SearchResult search_all(const trace::Snapshot& snapshot, const SearchQuery& query, std::stop_token stop, size_t limit) {
  if (query.empty()) return {};
  return Searcher(snapshot, query, std::move(stop), limit).run();
}

QString name_of(const trace::Snapshot& s, const SearchHit& hit) {
  return std::visit(
      Overloaded{
          [&](const NodeSelection& of) {
            const trace::GraphInfo* graph = s.graph(of.graph);
            const trace::TensorInfo* tensor = s.tensor(of.graph, of.tensor);
            if (graph == nullptr || tensor == nullptr) return QString();
            const QString name = qt(trace::display_name(*graph, of.tensor));
            return tensor->op.empty() || tensor->name.empty() ? name : name + QStringLiteral("  ") + qt(tensor->op);
          },
          [&](const trace::SpanRef& of) { return qt(s.label(s.event(of))); },
          [&](const trace::SpaceAllocation& of) { return qt(trace::display_name(s, of)); },
          [&](const SearchHit::OfStack& of) { return qt(trace::frame_text(s, s.stacks[of.stack].frames[of.frame])); },
          [&](const SearchHit::OfMessage& of) { return qt(s.problems[of.message].sentence); }},
      hit.of);
}

QString where_of(const trace::Snapshot& s, const SearchHit& hit) {
  return std::visit(
      Overloaded{[&](const NodeSelection& of) {
                   const trace::TensorInfo* tensor = s.tensor(of.graph, of.tensor);
                   if (tensor == nullptr) return QString();
                   const QString file = DisplayNames::file_name(*tensor);
                   return file.isEmpty()          ? qt(tensor->layer)
                          : tensor->layer.empty() ? file
                                                  : qt(tensor->layer) + QStringLiteral(" · ") + file;
                 },
                 [&](const trace::SpanRef& of) {
                   const auto begin = s.event(of).begin() - s.time.begin;
                   return SearchTexts::tr("%1, at %2").arg(qt(s.tracks[of.track.index()].info.name), format_ns(begin));
                 },
                 [&](const trace::SpaceAllocation& of) {
                   return QStringLiteral("%1 · %2").arg(allocator_name(s, of.allocator),
                                                        format_address(static_cast<Bytes>(of.address)));
                 },
                 [&](const SearchHit::OfStack& of) { return qt(s.name(s.stacks[of.stack].frames[of.frame].file)); },
                 [&](const SearchHit::OfMessage& of) {
                   const trace::Problem& p = s.problems[of.message];
                   const trace::GraphInfo* graph = s.graph_of(p.run);
                   return graph == nullptr || !p.node.valid()
                              ? QString()
                              : qt(trace::display_name(*graph, trace::TensorRef::node(p.node)));
                 }},
      hit.of);
}

QString kind_text(SearchKind kind) {
  switch (kind) {
    case SearchKind::Node: return SearchTexts::tr("node");
    case SearchKind::Tensor: return SearchTexts::tr("tensor");
    case SearchKind::Span: return SearchTexts::tr("span");
    case SearchKind::Allocation: return SearchTexts::tr("allocation");
    case SearchKind::Frame: return SearchTexts::tr("stack frame");
    case SearchKind::Message: return SearchTexts::tr("message");
  }
  return {};
}

Selection selection_of(const trace::Snapshot& s, const SearchHit& hit) {
  return std::visit(
      Overloaded{[](const NodeSelection& of) { return Selection(of); },
                 [](const trace::SpanRef& of) { return Selection(EventSelection{of}); },
                 [](const trace::SpaceAllocation& of) { return slice_selection(of); },
                 [](const SearchHit::OfStack& of) { return of.largest ? slice_selection(*of.largest) : Selection(); },
                 [&](const SearchHit::OfMessage& of) {
                   const trace::Problem& p = s.problems[of.message];
                   const trace::GraphInfo* graph = s.graph_of(p.run);
                   return graph == nullptr || !p.node.valid() ? Selection() : Selection::node(graph->id, p.node);
                 }},
      hit.of);
}

}  // namespace arenascope::views
