// SPDX-License-Identifier: MIT
#include <arenascope/transform/rematerialisation.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/graph/lifetime.h>
#include <arenascope/transform/mutation_analysis.h>
#include "engine/transform/graph_copier.h"

namespace arenascope {
namespace {

constexpr int kMaxRecomputed = 48;  // nodes that may run again for one tensor

bool owns_bytes(const TensorImpl& node) { return node.op != Op::None && !node.is_view() && node.element_count() > 0; }

}  // namespace

Rematerialisation::Rematerialisation(const Graph& graph, std::span<const NodeId> order, bool keep_outputs,
                                     bool in_place)
    : graph_(graph), keep_outputs_(keep_outputs), in_place_(in_place) {
  std::vector<int32_t> value_of(graph.nodes().size(), -1);
  values_.reserve(order.size());
  for (const NodeId id : order) {
    const TensorImpl& node = graph.node(id);
    Value v;
    v.origin = &node;
    for (const TensorImpl* source : node.sources) {
      const NodeId from = graph.find_node(*source);
      v.sources.push_back(from.valid() ? value_of[from.index()] : -1 - graph.find_leaf(*source).value);
    }
    v.read = sources_read(node).size();
    const auto self = static_cast<int32_t>(values_.size());
    if (owns_bytes(node)) v.base = self;
    if (node.is_view() && v.sources[0] >= 0) v.base = values_[static_cast<size_t>(v.sources[0])].base;
    value_of[id.index()] = self;
    order_.push_back(add(std::move(v)));
  }
  find_writers();
}

void Rematerialisation::find_writers() {
  const MutationAnalysis mutations(graph_);
  if (!mutations.any()) return;
  std::map<const TensorImpl*, std::vector<int32_t>> writers;
  for (size_t id = 0; id < values_.size(); ++id)
    for (const TensorImpl* base : MutationAnalysis::written_by(*values_[id].origin))
      writers[base].push_back(static_cast<int32_t>(id));
  for (size_t id = 0; id < values_.size(); ++id) {
    Value& v = values_[id];
    v.fixed = info(v.origin->op).writes_source() || (v.base >= 0 && mutations.written(*v.origin));
    for (const TensorImpl* source : sources_read(*v.origin)) {
      if (!mutations.passing(*source)) continue;
      const std::vector<int32_t>& all = writers.at(&base_of(*source));
      // With several writers in sequence only some could move after the reader.
      v.fixed = v.fixed || placement_of(*source) != Placement::Given || all.size() > 1;
      v.writers.insert(v.writers.end(), all.begin(), all.end());
    }
  }
}

bool Rematerialisation::reads(int32_t reader, int32_t base) const {
  const Value& v = value(reader);
  return std::any_of(v.sources.begin(), v.sources.begin() + static_cast<std::ptrdiff_t>(v.read),
                     [&](int32_t s) { return s >= 0 && value(s).base == base; });
}

int32_t Rematerialisation::add(Value value) {
  values_.push_back(std::move(value));
  return static_cast<int32_t>(values_.size()) - 1;
}

Bytes Rematerialisation::bytes(int32_t id) const {
  const Value& v = value(id);
  return v.action != Action::Offload && placement_of(*v.origin) == Placement::Arena ? v.origin->byte_count() : 0;
}

// An in-place op: input and result share their bytes at that step.
void Rematerialisation::share_in_place(const Profile& p, std::span<const uint8_t> outputs,
                                       std::vector<Bytes>& change) const {
  for (size_t at = 0; at < order_.size(); ++at) {
    const int32_t id = order_[at];
    const Value& v = value(id);
    if (v.action != Action::Compute || bytes(id) == 0) continue;
    const auto ends = [&](size_t s) {  // its last use, and no other operand reads it
      const int32_t base = s < v.sources.size() ? v.sources[s] : -1;
      if (base < 0 || value(base).base != base || !fits_in_place(*v.origin, s)) return false;
      if (outputs[static_cast<size_t>(base)] || p.life[static_cast<size_t>(base)].last != static_cast<int32_t>(at) + 1)
        return false;
      return std::count_if(v.sources.begin(), v.sources.end(),
                           [&](int32_t other) { return other >= 0 && value(other).base == base; }) == 1;
    };
    const size_t taken = ends(0) ? 0 : 1;
    if (taken == 1 && !ends(1)) continue;
    change[at] -= bytes(v.sources[taken]);
    change[at + 1] += bytes(v.sources[taken]);
  }
}

Rematerialisation::Profile Rematerialisation::profile() const {
  Profile p;
  p.place.assign(values_.size(), -1);
  p.life.assign(values_.size(), {});
  const auto steps = static_cast<int32_t>(order_.size());
  LiveRangeTable uses(values_.size());
  std::vector<uint8_t> outputs(values_.size(), 0);
  for (int32_t at = 0; at < steps; ++at) {
    const int32_t id = order_[static_cast<size_t>(at)];
    p.place[static_cast<size_t>(id)] = at;
    const Value& v = value(id);
    const auto use = [&](int32_t base) {
      if (base >= 0) uses.use(static_cast<size_t>(base), at);
    };
    use(v.base);
    for (size_t k = 0; k < v.read; ++k)
      if (v.sources[k] >= 0) use(value(v.sources[k]).base);
    if (v.base < 0 || v.again || v.action != Action::Compute || !v.origin->has(kFlagOutput)) continue;
    outputs[static_cast<size_t>(v.base)] = 1;
    if (keep_outputs_) uses.keep(static_cast<size_t>(v.base));
  }
  std::vector<Bytes> change(static_cast<size_t>(steps) + 1, 0);
  for (size_t id = 0; id < values_.size(); ++id) {
    if (!uses.used(id)) continue;
    p.life[id] = {uses.first(id).value, uses.last(id, steps).value, uses.kept(id)};
    const Bytes size = bytes(static_cast<int32_t>(id));
    change[static_cast<size_t>(p.life[id].first)] += size;
    change[static_cast<size_t>(p.life[id].last)] -= size;
  }
  if (in_place_) share_in_place(p, outputs, change);
  p.live.resize(static_cast<size_t>(steps));
  Bytes live = 0;
  for (int32_t at = 0; at < steps; ++at) {
    live += change[static_cast<size_t>(at)];
    p.live[static_cast<size_t>(at)] = live;
    if (live > p.peak) p.peak = live, p.peak_place = at;
  }
  return p;
}

std::vector<int32_t> Rematerialisation::uses(int32_t id, const Profile& p) const {
  std::vector<int32_t> out;
  const Life& life = p.life[static_cast<size_t>(id)];
  for (int32_t at = life.first; at < life.last; ++at) {
    const int32_t reader = order_[static_cast<size_t>(at)];
    if (value(reader).base == id || reads(reader, id)) out.push_back(at);
  }
  return out;
}

// True if the value's bytes are available at position `to` anyway.
bool Rematerialisation::available(int32_t id, int32_t to, const Profile& p) const {
  const Value& v = value(id);
  if (v.base < 0) return true;
  const auto base = static_cast<size_t>(v.base);
  if (values_[base].action == Action::Offload) return true;
  return base < p.life.size() && p.life[base].last > to;
}

// Executes the value again, including inputs that are not available; -1: too many nodes.
int32_t Rematerialisation::again(int32_t id, int32_t to, const Profile& p, std::vector<int32_t>& made, Change& change,
                                 int& left) {
  if (--left < 0) return -1;
  Value copy = value(id);
  copy.again = true;
  for (int32_t& s : copy.sources) {
    if (s < 0 || available(s, to, p)) continue;
    for (const int32_t m : made)  // at most one execution per chain
      if (value(m).origin == value(s).origin && value(m).action != Action::Offload) {
        s = m;
        break;
      }
    if (available(s, to, p) || std::find(made.begin(), made.end(), s) != made.end()) continue;
    s = again(s, to, p, made, change, left);
    if (s < 0) return -1;
  }
  const TensorImpl& node = *copy.origin;
  if (copy.action == Action::Reload) {
    change.moved = saturating_add(change.moved, node.byte_count());
  } else {
    change.flops = saturating_add(change.flops, flops(node));
    change.moved = saturating_add(change.moved, bytes_moved(node));
    if (has_work(node)) change.computed.push_back(graph_.find_node(node));
  }
  const auto fresh = static_cast<int32_t>(values_.size());
  copy.base = owns_bytes(node) ? fresh : copy.sources.empty() || copy.sources[0] < 0 ? -1 : value(copy.sources[0]).base;
  made.push_back(add(std::move(copy)));
  return fresh;
}

// All reads of `id`, or of a view of it, from position `to` on use `fresh`.
void Rematerialisation::redirect(int32_t id, int32_t fresh, int32_t to, std::vector<int32_t>& made) {
  std::map<int32_t, int32_t> mapped{{id, fresh}};
  const auto remade = [&](auto&& self, int32_t s) -> int32_t {
    if (const auto known = mapped.find(s); known != mapped.end()) return known->second;
    Value view = value(s);
    view.again = true;
    view.sources[0] = self(self, view.sources[0]);
    view.base = fresh;
    made.push_back(add(std::move(view)));
    return mapped[s] = made.back();
  };
  for (size_t at = static_cast<size_t>(to); at < order_.size(); ++at) {
    const int32_t reader = order_[at];
    Value* v = &values_[static_cast<size_t>(reader)];
    for (size_t k = 0; k < v->read; ++k) {
      const int32_t s = v->sources[k];
      if (s < 0 || value(s).base != id) continue;
      // A view that is itself executed after `to` only changes its base.
      const bool later = s != id && std::find(order_.begin() + to, order_.begin() + static_cast<std::ptrdiff_t>(at),
                                              s) != order_.begin() + static_cast<std::ptrdiff_t>(at);
      if (later) continue;
      const int32_t now = remade(remade, s);
      v = &values_[static_cast<size_t>(reader)];  // add() may have reallocated
      journal_.sources.push_back({{reader, static_cast<int32_t>(k)}, s});
      v->sources[k] = now;
    }
  }
  // Bases of the views after `to`, in order, so that views of views follow.
  for (size_t at = static_cast<size_t>(to); at < order_.size(); ++at) {
    Value& v = values_[static_cast<size_t>(order_[at])];
    if (v.base != id || v.sources.empty() || v.sources[0] < 0) continue;
    const int32_t base = value(v.sources[0]).base;
    if (base == v.base) continue;
    journal_.sources.push_back({{order_[at], -1}, v.base});
    v.base = base;
  }
}

bool Rematerialisation::rematerialise(int32_t id, int32_t to, const Profile& p, Change& change) {
  journal_ = {values_.size(), order_, {}, {}};
  change = {};
  std::vector<int32_t> made;
  int left = kMaxRecomputed;
  const int32_t fresh = again(id, to, p, made, change, left);
  if (fresh >= 0) redirect(id, fresh, to, made);
  if (fresh < 0 || !put_in(made, to, p)) {
    undo();
    return false;
  }
  return true;
}

// Inserts the new values before position `to`, and moves nodes that write into what they read after them.
bool Rematerialisation::put_in(std::span<const int32_t> made, int32_t to, const Profile& p) {
  std::vector<int32_t> late;  // in their current order
  for (const int32_t m : made) {
    if (value(m).fixed) return false;
    for (const int32_t writer : value(m).writers) {
      values_[static_cast<size_t>(writer)].sources.push_back(m);
      journal_.waits.push_back(writer);
      if (p.place[static_cast<size_t>(writer)] < to) late.push_back(writer);
    }
  }
  const auto by_place = [&](int32_t a, int32_t b) {
    return p.place[static_cast<size_t>(a)] < p.place[static_cast<size_t>(b)];
  };
  std::sort(late.begin(), late.end(), by_place);
  late.erase(std::unique(late.begin(), late.end()), late.end());
  const auto is_late = [&](int32_t id) { return std::find(late.begin(), late.end(), id) != late.end(); };
  for (int32_t at = late.empty() ? to : p.place[static_cast<size_t>(late.front())]; at < to; ++at) {
    const int32_t between = order_[static_cast<size_t>(at)];
    const std::vector<int32_t>& sources = value(between).sources;
    if (!is_late(between) && std::any_of(sources.begin(), sources.end(), is_late)) return false;
  }
  const auto first = order_.begin() + to;
  std::vector<int32_t> order;
  std::copy_if(order_.begin(), first, std::back_inserter(order), [&](int32_t id) { return !is_late(id); });
  order.insert(order.end(), made.begin(), made.end());
  order.insert(order.end(), late.begin(), late.end());
  order.insert(order.end(), first, order_.end());
  order_ = std::move(order);
  return true;
}

bool Rematerialisation::offload(int32_t id, int32_t from, int32_t to, const Profile&, Change& change) {
  if (value(id).fixed || value(id).action != Action::Compute) return false;  // a reload is repeated by rematerialise()
  journal_ = {values_.size(), order_, {}, {}};
  change = {};
  const TensorImpl* origin = value(id).origin;
  const auto away = static_cast<int32_t>(values_.size());
  add({origin, Action::Offload, true, away, {id}, 1});
  const auto back = static_cast<int32_t>(values_.size());
  add({origin, Action::Reload, true, back, {away}, 1});
  change.moved = 2 * origin->byte_count();
  std::vector<int32_t> made{back};
  redirect(id, back, to, made);
  order_.insert(order_.begin() + to, made.begin(), made.end());
  order_.insert(order_.begin() + from + 1, away);
  return true;
}

void Rematerialisation::undo() {
  for (const int32_t writer : journal_.waits) values_[static_cast<size_t>(writer)].sources.pop_back();
  for (auto change = journal_.sources.rbegin(); change != journal_.sources.rend(); ++change) {
    Value& v = values_[static_cast<size_t>(change->first.first)];
    if (change->first.second < 0)
      v.base = change->second;
    else
      v.sources[static_cast<size_t>(change->first.second)] = change->second;
  }
  values_.resize(journal_.values);
  order_ = journal_.order;
  journal_.sources.clear();
  journal_.waits.clear();
}

namespace {

// "x" for the first execution, "x (again 1)" for the next one.
std::string name_of(const Rematerialisation::Value& v, std::map<const TensorImpl*, int>& times) {
  std::string name = v.origin->name.str();
  if (v.action == Rematerialisation::Action::Offload) return name + " (to the host)";
  if (v.action == Rematerialisation::Action::Reload) return name + fmt::format(" (back {})", ++times[v.origin]);
  return v.again ? name + fmt::format(" (again {})", ++times[v.origin]) : name;
}

Result<Tensor> make_value(GraphCopier& copier, const Rematerialisation::Value& v, std::span<const Tensor> sources,
                          std::map<const TensorImpl*, int>& times) {
  if (v.action == Rematerialisation::Action::Compute && !v.again) return copier.copy(*v.origin, sources);
  const bool computed = v.action == Rematerialisation::Action::Compute;
  auto made = copier.make(*v.origin, computed ? v.origin->op : Op::Copy, sources,
                          computed ? OpParams(v.origin->params) : OpParams(), name_of(v, times));
  if (!made) return made;
  if (v.origin->channels_last()) (*made)->strides.set(v.origin->strides.span());
  (*made)->flags = v.origin->flags & ~uint32_t{kFlagOutput};
  (*made)->placement = v.action == Rematerialisation::Action::Offload ? Placement::Host : v.origin->placement;
  return made;
}

}  // namespace

Result<Graph> Rematerialisation::make_graph(std::vector<Tensor>& node_map) const {
  auto copier = GraphCopier::start(graph_);
  if (!copier) return copier.error();
  std::vector<Tensor> made(values_.size()), sources;
  std::map<const TensorImpl*, int> times;
  for (const int32_t id : order_) {
    const Value& v = value(id);
    const NodeId node = graph_.find_node(*v.origin);
    if (v.origin->op == Op::None) {  // a parameter
      made[static_cast<size_t>(id)] = copier->mapped(*v.origin);
      copier->place(copier->mapped(*v.origin));
      continue;
    }
    sources.clear();
    for (const int32_t s : v.sources)
      sources.push_back(s < 0 ? Tensor(&graph_.leaf(LeafId(-1 - s))) : made[static_cast<size_t>(s)]);
    auto tensor = make_value(*copier, v, sources, times);
    if (!tensor) return tensor.error();
    made[static_cast<size_t>(id)] = *tensor;
    if (v.again)
      copier->place(*tensor);
    else
      copier->place_mapped(node, *tensor);
  }
  auto graph = copier->finish();
  node_map = copier->node_map();
  return graph;
}

}  // namespace arenascope
