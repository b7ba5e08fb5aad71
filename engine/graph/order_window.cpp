// SPDX-License-Identifier: MIT
#include "engine/graph/order_window.h"

#include <algorithm>
#include <utility>

namespace arenascope {

OrderTrack track_order(const OrderProblem& p, std::vector<int32_t> ops) {
  OrderTrack t;
  t.ops = std::move(ops);
  t.position.resize(t.ops.size());
  t.live.reserve(t.ops.size() + 1);
  t.step_peak.reserve(t.ops.size());
  std::vector<int32_t> left(p.bytes.size());
  std::vector<uint8_t> started(p.bytes.size(), 0);
  for (size_t b = 0; b < left.size(); ++b) left[b] = static_cast<int32_t>(p.consumers[b].size());
  Bytes live = 0;
  for (size_t i = 0; i < t.ops.size(); ++i) {
    const int32_t op = t.ops[i];
    t.position[static_cast<size_t>(op)] = static_cast<int32_t>(i);
    t.live.push_back(live);
    const auto start = [&](int32_t b) {
      if (!std::exchange(started[static_cast<size_t>(b)], 1)) live += p.bytes[static_cast<size_t>(b)];
    };
    const auto end = [&](int32_t b) {
      if (!p.keep[static_cast<size_t>(b)]) live -= p.bytes[static_cast<size_t>(b)];
    };
    for (int32_t b : p.inputs[op]) start(b);
    start(op);
    t.step_peak.push_back(live);
    t.peak = std::max(t.peak, live);
    for (int32_t b : p.inputs[op])
      if (--left[static_cast<size_t>(b)] == 0) end(b);
    if (left[static_cast<size_t>(op)] == 0) end(op);
  }
  t.live.push_back(live);
  return t;
}

OrderWindow cut_window(const OrderProblem& p, const OrderTrack& t, int32_t begin, int32_t end) {
  OrderWindow w;
  w.ops.assign(t.ops.begin() + begin, t.ops.begin() + end);
  w.live = t.live[static_cast<size_t>(begin)];
  const size_t n = w.ops.size();
  const auto local = [&](int32_t op) {  // -1: not in the window
    const int32_t at = t.position[static_cast<size_t>(op)];
    return at >= begin && at < end ? at - begin : -1;
  };
  std::vector<std::vector<int32_t>> preds(n), succs(n), inputs(n), consumers(n);
  std::vector<int32_t> buffers(w.ops);               // the problem's numbers of the local buffers
  std::vector<std::pair<int32_t, int32_t>> outside;  // (outside buffer, local op that reads it)
  for (size_t i = 0; i < n; ++i) {
    for (int32_t pred : p.preds[w.ops[i]])
      if (const int32_t from = local(pred); from >= 0) preds[i].push_back(from);
    for (int32_t user : p.succs[w.ops[i]])
      if (const int32_t to = local(user); to >= 0) succs[i].push_back(to);
    for (int32_t b : p.inputs[w.ops[i]]) {
      const int32_t from = b < p.op_count() ? local(b) : -1;
      if (from < 0) {
        outside.emplace_back(b, static_cast<int32_t>(i));
        continue;
      }
      inputs[i].push_back(from);
      consumers[static_cast<size_t>(from)].push_back(static_cast<int32_t>(i));
    }
  }
  std::sort(outside.begin(), outside.end());
  for (auto [b, op] : outside) {
    if (buffers.size() == n || buffers.back() != b) {
      buffers.push_back(b);
      consumers.emplace_back();
    }
    inputs[static_cast<size_t>(op)].push_back(static_cast<int32_t>(buffers.size()) - 1);
    consumers.back().push_back(op);
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const int32_t b = buffers[i];
    bool stays = p.keep[static_cast<size_t>(b)], given = i >= n && b < p.op_count();
    for (int32_t user : p.consumers[b]) {
      const int32_t at = t.position[static_cast<size_t>(user)];
      stays = stays || at >= end;
      given = given || at < begin;
    }
    w.bytes.push_back(p.bytes[static_cast<size_t>(b)]);
    w.stays.push_back(stays);
    w.given.push_back(given && i >= n);
  }
  w.preds = IndexLists(preds);
  w.succs = IndexLists(succs);
  w.inputs = IndexLists(inputs);
  w.consumers = IndexLists(consumers);
  return w;
}

Bytes window_lower_bound(const OrderWindow& w) {
  const size_t n = w.ops.size(), words = (n + 63) / 64;
  // Ancestors and descendants of each op, itself included, as rows of bits. The cut order is topological.
  std::vector<uint64_t> above(n * words, 0), below(n * words, 0);
  const auto merge = [&](std::vector<uint64_t>& rows, size_t into, size_t from) {
    for (size_t k = 0; k < words; ++k) rows[into * words + k] |= rows[from * words + k];
  };
  const auto has = [&](const std::vector<uint64_t>& rows, size_t row, size_t i) {
    return (rows[row * words + i / 64] >> (i % 64) & 1) != 0;
  };
  for (size_t i = 0; i < n; ++i) {
    above[i * words + i / 64] |= uint64_t{1} << (i % 64);
    for (int32_t pred : w.preds[i]) merge(above, i, static_cast<size_t>(pred));
  }
  for (size_t i = n; i-- > 0;) {
    below[i * words + i / 64] |= uint64_t{1} << (i % 64);
    for (int32_t user : w.succs[i]) merge(below, i, static_cast<size_t>(user));
  }
  Bytes fixed = w.live;  // live bytes that no op of the window reads
  for (size_t b = 0; b < w.bytes.size(); ++b)
    if (w.given[b]) fixed -= w.bytes[b];
  Bytes bound = w.live;
  for (size_t op = 0; op < n; ++op) {
    Bytes live = fixed;
    for (size_t b = 0; b < w.bytes.size(); ++b) {
      const auto users = w.consumers[b];
      bool begun = b < n ? has(above, op, b) : w.given[b] != 0;
      if (b >= n && !begun)
        begun =
            std::any_of(users.begin(), users.end(), [&](int32_t u) { return has(above, op, static_cast<size_t>(u)); });
      if (!begun) continue;
      if (b == op || w.stays[b] ||
          std::any_of(users.begin(), users.end(), [&](int32_t u) { return has(below, op, static_cast<size_t>(u)); }))
        live += w.bytes[b];
    }
    bound = std::max(bound, live);
  }
  return bound;
}

}  // namespace arenascope
