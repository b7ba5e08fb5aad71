// SPDX-License-Identifier: MIT
#include <arenascope/trace/match.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace arenascope::trace {
namespace {

constexpr int32_t kTwice = -2;  // a name shared by several tensors

using ByName = std::unordered_map<std::string_view, int32_t>;

ByName by_name(const std::vector<TensorInfo>& list) {
  ByName names;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].name.empty()) continue;
    const auto [at, is_new] = names.try_emplace(list[i].name, static_cast<int32_t>(i));
    if (!is_new) at->second = kTwice;
  }
  return names;
}

// For each node: its users, and the index of the input that they read.
using Users = std::vector<std::vector<std::pair<int32_t, int32_t>>>;

Users users_of(const GraphInfo& graph) {
  Users users(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (size_t s = 0; s < graph.nodes[i].sources.size(); ++s)
      if (const TensorRef ref = graph.nodes[i].sources[s]; ref.is_node() && ref.index() < users.size())
        users[ref.index()].emplace_back(static_cast<int32_t>(i), static_cast<int32_t>(s));
  return users;
}

class Matcher {
 public:
  Matcher(const GraphInfo& a, const GraphInfo& b) : a_(a), b_(b), users_a_(users_of(a)), users_b_(users_of(b)) {
    m_.nodes_to_other.resize(a.nodes.size());
    m_.leafs_to_other.resize(a.leafs.size());
    m_.nodes_from_other.resize(b.nodes.size());
    m_.leafs_from_other.resize(b.leafs.size());
  }

  GraphMatch run() {
    names(a_.leafs, b_.leafs, true);
    names(a_.nodes, b_.nodes, false);
    spread();
    rest(a_.leafs, b_.leafs, true);
    rest(a_.nodes, b_.nodes, false);
    return std::move(m_);
  }

 private:
  static TensorRef ref(size_t i, bool leaf) { return leaf ? TensorRef::leaf(LeafId(i)) : TensorRef::node(NodeId(i)); }
  bool free_a(TensorRef r) const { return r.valid() && in_a(r) && !m_.to_other(r).valid(); }
  bool free_b(TensorRef r) const { return r.valid() && in_b(r) && !m_.from_other(r).valid(); }
  bool in_a(TensorRef r) const { return r.index() < (r.is_leaf() ? a_.leafs : a_.nodes).size(); }
  bool in_b(TensorRef r) const { return r.index() < (r.is_leaf() ? b_.leafs : b_.nodes).size(); }
  const TensorInfo& info_a(TensorRef r) const { return (r.is_leaf() ? a_.leafs : a_.nodes)[r.index()]; }
  const TensorInfo& info_b(TensorRef r) const { return (r.is_leaf() ? b_.leafs : b_.nodes)[r.index()]; }

  void pair(TensorRef a, TensorRef b) {
    (a.is_leaf() ? m_.leafs_to_other : m_.nodes_to_other)[a.index()] = b;
    (b.is_leaf() ? m_.leafs_from_other : m_.nodes_from_other)[b.index()] = a;
    if (a.is_node() && b.is_node()) queue_.emplace_back(a.index(), b.index());
  }

  void names(const std::vector<TensorInfo>& a, const std::vector<TensorInfo>& b, bool leaf) {
    const ByName names_a = by_name(a), names_b = by_name(b);
    for (size_t i = 0; i < a.size(); ++i) {
      const auto mine = names_a.find(a[i].name);
      const auto theirs = names_b.find(a[i].name);
      if (mine == names_a.end() || theirs == names_b.end() || mine->second == kTwice || theirs->second == kTwice)
        continue;
      pair(ref(i, leaf), ref(static_cast<size_t>(theirs->second), leaf));
    }
  }

  // Extends matches from each pair to its inputs and users.
  void spread() {
    while (!queue_.empty()) {
      const auto [a, b] = queue_.back();
      queue_.pop_back();
      const auto &sources_a = a_.nodes[a].sources, &sources_b = b_.nodes[b].sources;
      for (size_t s = 0; s < sources_a.size() && s < sources_b.size(); ++s) {
        const TensorRef x = sources_a[s], y = sources_b[s];
        if (free_a(x) && free_b(y) && x.is_leaf() == y.is_leaf() && info_a(x).op == info_b(y).op) pair(x, y);
      }
      for (const auto& [user, place] : users_a_[a]) {
        const TensorRef x = ref(static_cast<size_t>(user), false);
        if (!free_a(x)) continue;
        for (const auto& [other, other_place] : users_b_[b]) {
          const TensorRef y = ref(static_cast<size_t>(other), false);
          if (other_place != place || !free_b(y) || info_a(x).op != info_b(y).op) continue;
          pair(x, y);
          break;
        }
      }
    }
  }

  void rest(const std::vector<TensorInfo>& a, const std::vector<TensorInfo>& b, bool leaf) {
    std::map<std::pair<std::string_view, std::vector<int64_t>>, std::vector<size_t>> waiting;
    for (size_t j = b.size(); j-- > 0;)
      if (free_b(ref(j, leaf))) waiting[{b[j].op, b[j].shape}].push_back(j);
    for (size_t i = 0; i < a.size(); ++i) {
      if (!free_a(ref(i, leaf))) continue;
      const auto at = waiting.find({a[i].op, a[i].shape});
      // An unrelated chain must not be split: only accept an op that identifies the match.
      if (at == waiting.end() || at->second.empty()) continue;
      pair(ref(i, leaf), ref(at->second.back(), leaf));
      at->second.pop_back();
    }
  }

  const GraphInfo &a_, &b_;
  const Users users_a_, users_b_;
  GraphMatch m_;
  std::vector<std::pair<size_t, size_t>> queue_;
};

}  // namespace

size_t GraphMatch::matched_nodes() const {
  return static_cast<size_t>(
      std::count_if(nodes_to_other.begin(), nodes_to_other.end(), [](TensorRef r) { return r.valid(); }));
}

GraphMatch match_graphs(const GraphInfo& graph, const GraphInfo& other) { return Matcher(graph, other).run(); }

std::vector<std::pair<int32_t, int32_t>> match_steps(const GraphMatch& match, const std::vector<NodeId>& order,
                                                     const std::vector<NodeId>& other_order) {
  std::vector<int32_t> step_of(match.nodes_to_other.size(), -1);
  for (size_t s = 0; s < order.size(); ++s)
    if (order[s].valid() && order[s].index() < step_of.size()) step_of[order[s].index()] = static_cast<int32_t>(s);
  // Longest increasing subsequence of our steps along theirs, by patience sorting.
  struct Card {
    int32_t theirs, ours;
    int32_t before;
  };
  std::vector<Card> cards;
  std::vector<int32_t> piles;  // top card of each pile
  for (size_t s = 0; s < other_order.size(); ++s) {
    if (!other_order[s].valid()) continue;
    const TensorRef mine = match.from_other(TensorRef::node(other_order[s]));
    if (!mine.is_node() || mine.index() >= step_of.size() || step_of[mine.index()] < 0) continue;
    const int32_t ours = step_of[mine.index()];
    const auto at = std::partition_point(piles.begin(), piles.end(),
                                         [&](int32_t card) { return cards[static_cast<size_t>(card)].ours < ours; });
    const int32_t before = at == piles.begin() ? -1 : *(at - 1);
    cards.push_back({static_cast<int32_t>(s), ours, before});
    const auto card = static_cast<int32_t>(cards.size() - 1);
    if (at == piles.end())
      piles.push_back(card);
    else
      *at = card;
  }
  std::vector<std::pair<int32_t, int32_t>> pairs;
  for (int32_t card = piles.empty() ? -1 : piles.back(); card >= 0; card = cards[static_cast<size_t>(card)].before)
    pairs.emplace_back(cards[static_cast<size_t>(card)].theirs, cards[static_cast<size_t>(card)].ours);
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace arenascope::trace
