// SPDX-License-Identifier: MIT
// Symbolic shapes of ops that move elements, and of the integers that shapes are computed from.
#include "engine/models/onnx/symbolic_call.h"

#include <algorithm>
#include <limits>

namespace arenascope::models::symbolic {
namespace {

// The size for -1 in a Reshape, if at most one factor remains that is not a number.
SymbolicSize inferred_size(const SymbolicSizes& from, const SymbolicSizes& to) {
  int64_t times = 1, divided = 1;
  std::vector<LinearSize> factors;
  for (const SymbolicSize& size : from) {
    if (!size) return std::nullopt;
    if (size->is_number())
      times *= std::clamp<int64_t>(size->constant, 1, 1 << 30);
    else
      factors.push_back(*size);
    if (times > int64_t{1} << 31) return std::nullopt;
  }
  for (const SymbolicSize& size : to) {
    if (is_number(size, -1)) continue;
    if (!size) return std::nullopt;
    if (size->is_number()) {
      divided *= std::clamp<int64_t>(size->constant, 1, 1 << 30);
      if (divided > int64_t{1} << 31) return std::nullopt;
      continue;
    }
    const auto same = std::find(factors.begin(), factors.end(), *size);
    if (same == factors.end()) return std::nullopt;
    factors.erase(same);
  }
  if (times % divided != 0 || factors.size() > 1) return std::nullopt;
  return factors.empty() ? number(times / divided) : factors[0].times(LinearSize::number(times / divided));
}

void concat(SymbolicCall& c) {
  SymbolicTensor y;
  y.numbers = SymbolicSizes();
  for (size_t i = 0; i < c.node().inputs.size(); ++i) {
    if (const SymbolicSizes* n = c.numbers(i); n && y.numbers)
      y.numbers->insert(y.numbers->end(), n->begin(), n->end());
    else
      y.numbers.reset();
    const SymbolicSizes* x = c.shape(i);
    const auto along = x ? c.axis(c.integer("axis", 0), x->size()) : std::nullopt;
    if (!along || (i > 0 && (!y.shape || y.shape->size() != x->size()))) {
      y.shape.reset();
      continue;
    }
    if (i == 0) {
      y.shape = *x;
      continue;
    }
    for (size_t d = 0; d < x->size(); ++d) {
      SymbolicSize& size = (*y.shape)[d];
      const SymbolicSize& other = (*x)[d];
      if (d == *along)
        size = size && other ? size->plus(*other) : std::nullopt;
      else
        c.require(size, other), size = size ? size : other;
    }
  }
  c.out(0, std::move(y));
}

void transpose(SymbolicCall& c) {
  const SymbolicSizes* x = c.shape(0);
  if (!x) return;
  const ir::Attribute* perm = c.attribute("perm");
  SymbolicSizes y(x->rbegin(), x->rend());
  for (size_t i = 0; perm && i < y.size(); ++i) {
    const auto from = i < perm->ints.size() ? c.axis(perm->ints[i], x->size()) : std::nullopt;
    y[i] = from ? (*x)[*from] : std::nullopt;
  }
  c.out(0, shaped(std::move(y)));
}

void shape_of(SymbolicCall& c) {
  const SymbolicSizes* x = c.shape(0);
  if (!x) return;
  const auto rank = static_cast<int64_t>(x->size());
  const auto place = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const int64_t begin = place(c.integer("start", 0)), end = place(c.integer("end", rank));
  if (begin > end) return;
  SymbolicSizes n(x->begin() + begin, x->begin() + end);
  c.out(0, {SymbolicSizes{number(end - begin)}, std::move(n)});
}

void gather(SymbolicCall& c) {
  const SymbolicSizes *x = c.shape(0), *i = c.shape(1), *n = c.numbers(0);
  if (!x || !i) return;
  const auto along = c.axis(c.integer("axis", 0), x->size());
  if (!along) return;
  SymbolicTensor y = shaped({x->begin(), x->begin() + static_cast<int64_t>(*along)});
  y.shape->insert(y.shape->end(), i->begin(), i->end());
  y.shape->insert(y.shape->end(), x->begin() + static_cast<int64_t>(*along) + 1, x->end());
  if (const auto indices = c.integers(1, ""); n && indices) {
    y.numbers = SymbolicSizes();
    for (const int64_t index : *indices) {
      const auto at = c.axis(index, n->size());
      y.numbers->push_back(at ? (*n)[*at] : std::nullopt);
    }
  }
  c.out(0, std::move(y));
}

void unsqueeze(SymbolicCall& c) {
  const auto axes = c.integers(1, "axes");
  const SymbolicSizes* x = c.shape(0);
  if (!x || !axes) return;
  const size_t rank = x->size() + axes->size();
  std::vector<bool> is_new(rank, false);
  for (const int64_t a : *axes) {
    const auto at = c.axis(a, rank);
    if (!at) return;
    is_new[*at] = true;
  }
  SymbolicTensor y{SymbolicSizes(), c.in(0)->numbers};
  size_t next = 0;
  for (const bool fresh : is_new) y.shape->push_back(fresh || next == x->size() ? number(1) : (*x)[next++]);
  c.out(0, std::move(y));
}

void squeeze(SymbolicCall& c) {
  const SymbolicSizes* x = c.shape(0);
  const auto axes = c.integers(1, "axes");
  if (!x || (!axes && c.has(1))) return;
  std::vector<bool> removed(x->size(), false);
  for (const int64_t a : axes.value_or(std::vector<int64_t>())) {
    const auto at = c.axis(a, x->size());
    if (!at) return;
    removed[*at] = true;
  }
  SymbolicTensor y{SymbolicSizes(), c.in(0)->numbers};
  for (size_t i = 0; i < x->size(); ++i) {
    if (!axes && !(*x)[i]) return;
    if (!removed[i] && (axes || !is_number((*x)[i], 1))) y.shape->push_back((*x)[i]);
  }
  c.out(0, std::move(y));
}

void reshape(SymbolicCall& c) {
  const SymbolicSizes *x = c.shape(0), *to = c.numbers(1);
  if (!to) return;
  SymbolicSizes y = *to;
  for (size_t i = 0; i < y.size(); ++i)
    if (is_number(y[i], 0) && c.integer("allowzero", 0) == 0) y[i] = x && i < x->size() ? (*x)[i] : std::nullopt;
  const SymbolicSizes target = y;
  for (SymbolicSize& size : y)
    if (is_number(size, -1)) size = x ? inferred_size(*x, target) : std::nullopt;
  c.out(0, {std::move(y), c.in(0) && c.in(0)->numbers ? c.in(0)->numbers : std::nullopt});
}

void expand(SymbolicCall& c) {
  const SymbolicSizes *x = c.shape(0), *to = c.numbers(1);
  if (!x || !to) return;
  SymbolicSizes y = *to;
  if (y.size() < x->size()) y.insert(y.begin(), x->size() - y.size(), number(1));
  for (size_t i = 0; i < x->size(); ++i) {
    SymbolicSize& size = y[y.size() - 1 - i];
    const SymbolicSize& own = (*x)[x->size() - 1 - i];
    if (!is_number(own, 1)) size = is_number(size, 1) || size == own ? own : std::nullopt;
  }
  c.out(0, shaped(std::move(y)));
}

// The size of [start, end) of a dimension. Symbolic bounds are taken to be inside it.
SymbolicSize sliced(const SymbolicSize& size, SymbolicSize start, SymbolicSize end) {
  if (!start || !end) return std::nullopt;
  constexpr int64_t kEnd = std::numeric_limits<int32_t>::max();
  if (end->is_number() && end->constant >= kEnd) end = size;
  if (end && end->is_number() && end->constant < 0) end = size ? size->plus(*end) : std::nullopt;
  if (end && end->is_number() && !(size && size->is_number() && size->constant >= end->constant) && end != size)
    end = size && size->is_number() ? size : std::nullopt;
  if (start->is_number() && start->constant < 0) start = size ? size->plus(*start) : std::nullopt;
  return start && end ? end->minus(*start) : std::nullopt;
}

std::optional<SymbolicSizes> part_of(const SymbolicSizes& n, const SymbolicSize& start, const SymbolicSize& end) {
  if (!start || !end || !start->is_number() || !end->is_number()) return std::nullopt;
  const auto count = static_cast<int64_t>(n.size());
  const auto place = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + count : i, 0, count); };
  const int64_t first = place(start->constant), last = std::max(first, place(end->constant));
  return SymbolicSizes(n.begin() + first, n.begin() + last);
}

void slice(SymbolicCall& c) {
  const SymbolicSizes* x = c.shape(0);
  if (!x) return;
  SymbolicTensor y{*x, std::nullopt};
  const bool old = c.attribute("starts") != nullptr;
  const auto list = [&](size_t i, const char* name) -> std::optional<SymbolicSizes> {
    if (const ir::Attribute* a = c.attribute(name)) return numbers_of(a->ints);
    return !old && c.numbers(i) ? std::optional(*c.numbers(i)) : std::nullopt;
  };
  const auto starts = list(1, "starts"), ends = list(2, "ends");
  auto axes = c.integers(3, "axes");
  const auto steps = c.integers(4, "steps");
  if (!starts || !ends || starts->size() != ends->size() || (!axes && c.has(3)) || (!steps && c.has(4)))
    return c.out(0, shaped(SymbolicSizes(x->size())));
  if (!axes) {
    axes.emplace();
    for (size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  for (size_t i = 0; i < starts->size() && i < axes->size(); ++i) {
    const auto at = c.axis((*axes)[i], x->size());
    if (!at) return;
    const bool plain = !steps || (i < steps->size() && (*steps)[i] == 1);
    (*y.shape)[*at] = plain ? sliced((*x)[*at], (*starts)[i], (*ends)[i]) : std::nullopt;
    if (const SymbolicSizes* n = c.numbers(0); n && plain && x->size() == 1)
      y.numbers = part_of(*n, (*starts)[i], (*ends)[i]);
  }
  c.out(0, std::move(y));
}

void split(SymbolicCall& c) {
  const SymbolicSizes* x = c.shape(0);
  const auto along = x ? c.axis(c.integer("axis", 0), x->size()) : std::nullopt;
  if (!along) return;
  const auto parts = c.integers(1, "split");
  const auto count = static_cast<int64_t>(c.node().outputs.size());
  for (size_t i = 0; i < c.node().outputs.size(); ++i) {
    SymbolicSizes y = *x;
    const SymbolicSize& all = (*x)[*along];
    const bool even = !c.has(1) && !parts && all && all->is_number() && all->constant % count == 0;
    y[*along] = parts && i < parts->size() ? number((*parts)[i]) : even ? number(all->constant / count) : std::nullopt;
    c.out(i, shaped(std::move(y)));
  }
}

void range(SymbolicCall& c) {
  const SymbolicSizes *start = c.numbers(0), *limit = c.numbers(1), *delta = c.numbers(2);
  SymbolicSize size;
  if (start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1 &&
      is_number((*delta)[0], 1) && (*start)[0] && (*limit)[0])
    size = (*limit)[0]->minus(*(*start)[0]);
  c.out(0, shaped({size}));
}

void constant_of_shape(SymbolicCall& c) {
  const SymbolicSizes* to = c.numbers(0);
  if (!to) return;
  SymbolicTensor y{*to, std::nullopt};
  const ir::Attribute* a = c.attribute("value");
  const auto fill = a && a->tensor ? constant_tensor(*a->tensor).numbers : std::nullopt;
  if (to->size() == 1 && (*to)[0] && (*to)[0]->is_number() && (*to)[0]->constant >= 0 &&
      (*to)[0]->constant <= kMaxNumbers && fill && fill->size() == 1)
    y.numbers = SymbolicSizes(static_cast<size_t>((*to)[0]->constant), (*fill)[0]);
  c.out(0, std::move(y));
}

void constant_node(SymbolicCall& c) {
  if (const ir::Attribute* a = c.attribute("value"); a && a->tensor) return c.out(0, constant_tensor(*a->tensor));
  if (const ir::Attribute* a = c.attribute("value_int"))
    return c.out(0, {SymbolicSizes(), SymbolicSizes{number(a->i)}});
  if (const ir::Attribute* a = c.attribute("value_ints"))
    c.out(0, {SymbolicSizes{number(static_cast<int64_t>(a->ints.size()))}, numbers_of(a->ints)});
}

void tile(SymbolicCall& c) {
  const SymbolicSizes* x = c.shape(0);
  const auto repeats = c.integers(1, "");
  if (!x || !repeats || repeats->size() != x->size()) return;
  SymbolicSizes y = *x;
  for (size_t i = 0; i < y.size(); ++i) y[i] = y[i] ? y[i]->times(LinearSize::number((*repeats)[i])) : std::nullopt;
  c.out(0, shaped(std::move(y)));
}

constexpr Rule kMovementRules[] = {
    {"Concat", concat},       {"Constant", constant_node}, {"ConstantOfShape", constant_of_shape},
    {"Expand", expand},       {"Gather", gather},          {"Range", range},
    {"Reshape", reshape},     {"Shape", shape_of},         {"Slice", slice},
    {"Split", split},         {"Squeeze", squeeze},        {"Tile", tile},
    {"Transpose", transpose}, {"Unsqueeze", unsqueeze},
};

}  // namespace

std::span<const Rule> movement_rules() { return kMovementRules; }

}  // namespace arenascope::models::symbolic
