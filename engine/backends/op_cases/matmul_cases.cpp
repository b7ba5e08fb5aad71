// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "engine/backends/op_cases/case_builder.h"

namespace arenascope::cases {
namespace {

// Sizes from `least` on become smaller ones, equal ones equal ones; the last `kept` dimensions stay.
Dims lean_sizes(Dims sizes, int64_t least, int64_t base, int kept = 0) {
  for (int d = 0; d < sizes.rank() - kept; ++d)
    if (sizes[d] >= least) sizes[d] = base + sizes[d] % (least / 2);
  return sizes;
}
// Blocks of results that are whole and ones that are not remain.
Dims lean_rows(const Dims& sizes, int kept) { return lean_sizes(sizes, 32, 17, kept); }

void products(CaseList& list) {
  struct Shape {
    Dims a, b;
  };
  const Shape shapes[] = {
      {{4, 2}, {3, 2}},        {{1, 5}, {1, 5}},      {{70, 300}, {1, 300}},      {{33, 129}, {4, 129}},
      {{65, 530}, {37, 530}},  {{600, 40}, {13, 40}}, {{3, 40, 20}, {3, 50, 20}}, {{2, 1, 9, 11}, {1, 3, 25, 11}},
      {{8, 16}, {5, 200, 16}}, {{4, 0}, {3, 0}},      {{17, 16}, {2, 0, 16}}};
  const bool lean = list.lean();
  for (const Shape& s : shapes)
    for (Spread spread : kSpreads)
      list.add(Op::MulMat, DType::F32, fmt::format("{} {} {}", name(spread), to_string(s.a), to_string(s.b)),
               [=](CaseBuilder& k) {
                 const Dims a = lean ? lean_rows(s.a, 1) : s.a, b = lean ? lean_rows(s.b, 1) : s.b;
                 return k.node(Op::MulMat, {k.input(DType::F32, a, spread), k.input(DType::F32, b, spread)},
                               MulMatParams{1});
               });
  // Short rows of whole vectors, whose horizontal sums some CPUs take four at a time.
  for (int64_t rows = 1; rows <= 7; ++rows)
    for (const int64_t depth : {16, 48, 256})
      if (!lean || (rows == 7 && depth == 48))
        list.add(Op::MulMat, DType::F32, fmt::format("{} short rows of {}", rows, depth), [=](CaseBuilder& k) {
          return k.node(Op::MulMat, {k.input(DType::F32, {rows, depth}), k.input(DType::F32, {1, depth})},
                        MulMatParams{1});
        });
  list.add(Op::MulMat, DType::F32, "scale and bias", [](CaseBuilder& k) {
    return k.node(
        Op::MulMat,
        {k.input(DType::F32, {50, 30}), k.input(DType::F32, {20, 30}), k.input(DType::F32, {50}, Spread::Sliced)},
        MulMatParams{0.5f});
  });
  const int64_t depth = lean ? 70 : 300;
  for (DType type : {DType::F16, DType::BF16, DType::F64})
    for (int64_t rows : {1, 20})
      list.add(Op::MulMat, DType::F32, fmt::format("{} by f32, {} rows", arenascope::name(type), rows),
               [=](CaseBuilder& k) {
                 return k.node(Op::MulMat, {k.input(type, {45, depth}), k.input(DType::F32, {rows, depth})},
                               MulMatParams{1});
               });
  const int64_t block_rows = lean ? 7 : 45, block_depth = lean ? 512 : 1280;
  for (DType type : kQuantised)
    for (int64_t rows : {1, 3, 20})
      list.add(Op::MulMat, DType::F32, fmt::format("{} by f32, {} rows", arenascope::name(type), rows),
               [=](CaseBuilder& k) {
                 return k.node(Op::MulMat,
                               {k.input(type, {block_rows, block_depth}), k.input(DType::F32, {rows, block_depth})},
                               MulMatParams{1});
               });
}

struct Window {
  const char* text;
  Dims x, w;
  ConvParams p;
};

// strides, dilations, pads_begin, pads_end, output_padding, groups
const Window kWindows[] = {
    {"1x1", {2, 19, 9, 11}, {23, 19, 1, 1}, {2, {1, 1, 1}, {1, 1, 1}, {}, {}, {}, 1}},
    {"1x1 stride 2", {1, 8, 9, 11}, {5, 8, 1, 1}, {2, {2, 2, 1}, {1, 1, 1}, {}, {}, {}, 1}},
    {"3x3 same", {2, 8, 13, 17}, {16, 8, 3, 3}, {2, {1, 1, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {}, 1}},
    {"3x3 many channels", {1, 64, 7, 7}, {70, 64, 3, 3}, {2, {1, 1, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {}, 1}},
    {"3x3 stride 2", {1, 16, 15, 14}, {32, 16, 3, 3}, {2, {2, 2, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {}, 1}},
    {"7x7 stride 2", {1, 3, 37, 40}, {12, 3, 7, 7}, {2, {2, 2, 1}, {1, 1, 1}, {3, 3}, {3, 3}, {}, 1}},
    {"dilated", {1, 5, 17, 19}, {6, 5, 3, 3}, {2, {1, 2, 1}, {3, 2, 1}, {2, 0}, {1, 3}, {}, 1}},
    {"groups 2", {2, 6, 8, 9}, {10, 3, 3, 3}, {2, {1, 1, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {}, 2}},
    {"depthwise", {2, 9, 12, 13}, {9, 1, 3, 3}, {2, {1, 1, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {}, 9}},
    {"depthwise stride 2", {1, 17, 13, 15}, {17, 1, 5, 3}, {2, {2, 2, 1}, {1, 1, 1}, {2, 0}, {1, 2}, {}, 17}},
    {"depthwise multiplier", {1, 4, 9, 9}, {8, 1, 3, 3}, {2, {1, 1, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {}, 4}},
    {"wide pads", {1, 2, 3, 3}, {3, 2, 3, 3}, {2, {1, 1, 1}, {1, 1, 1}, {4, 5}, {5, 4}, {}, 1}},
    {"one dimension", {2, 7, 50}, {11, 7, 5}, {1, {2, 1, 1}, {2, 1, 1}, {3}, {2}, {}, 1}},
    {"three dimensions", {1, 4, 5, 6, 7}, {6, 4, 3, 2, 3}, {3, {1, 2, 1}, {1, 1, 2}, {1, 0, 2}, {1, 1, 2}, {}, 1}},
    {"three dimensions depthwise",
     {1, 4, 5, 6, 7},
     {4, 1, 3, 3, 3},
     {3, {1, 1, 2}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {}, 4}},
    {"column", {2, 9, 33, 1}, {13, 9, 5, 1}, {2, {1, 1, 1}, {1, 1, 1}, {2, 0}, {1, 0}, {}, 1}},
    {"column strided", {1, 6, 40, 1}, {6, 3, 3, 1}, {2, {2, 1, 1}, {2, 1, 1}, {1, 0}, {1, 0}, {}, 2}},
    {"few places", {2, 40, 2, 3}, {70, 20, 3, 2}, {2, {1, 1, 1}, {1, 1, 1}, {1, 1}, {1, 0}, {}, 2}},
    {"few places, one dimension", {1, 33, 8}, {130, 33, 3}, {1, {2, 1, 1}, {1, 1, 1}, {1}, {1}, {}, 1}},
    {"long rows", {2, 3, 5, 70}, {6, 3, 3, 11}, {2, {1, 1, 1}, {1, 1, 1}, {1, 5}, {1, 5}, {}, 1}},
    {"long rows strided", {1, 2, 9, 45}, {3, 2, 2, 9}, {2, {2, 1, 1}, {3, 1, 1}, {2, 7}, {0, 1}, {}, 1}},
    {"1x1 groups", {2, 12, 7, 7}, {20, 6, 1, 1}, {2, {1, 1, 1}, {1, 1, 1}, {}, {}, {}, 2}},
    {"no image", {0, 3, 8, 8}, {4, 3, 3, 3}, {2, {1, 1, 1}, {1, 1, 1}, {}, {}, {}, 1}},
    {"no channels", {1, 0, 8, 8}, {4, 0, 3, 3}, {2, {1, 1, 1}, {1, 1, 1}, {}, {}, {}, 1}},
};

const Window kTransposed[] = {
    {"stride 2", {2, 6, 5, 7}, {6, 9, 2, 2}, {2, {2, 2, 1}, {1, 1, 1}, {}, {}, {}, 1}},
    {"overlap", {1, 5, 6, 7}, {5, 4, 3, 3}, {2, {2, 1, 1}, {1, 1, 1}, {1, 1}, {1, 0}, {1, 0}, 1}},
    {"groups dilated", {1, 6, 6, 5}, {6, 2, 3, 3}, {2, {1, 2, 1}, {2, 2, 1}, {1, 2}, {0, 1}, {}, 3}},
    {"one dimension", {2, 3, 20}, {3, 5, 4}, {1, {3, 1, 1}, {1, 1, 1}, {1}, {2}, {}, 1}},
    {"three dimensions", {1, 3, 3, 4, 5}, {3, 2, 2, 3, 2}, {3, {2, 1, 2}, {1, 1, 1}, {0, 1, 0}, {0, 1, 0}, {}, 1}},
    {"stride 2, long rows", {1, 3, 3, 37}, {3, 5, 2, 2}, {2, {2, 2, 1}, {1, 1, 1}, {}, {}, {}, 1}},
};

void convolutions(CaseList& list) {
  const auto add = [&](Op op, const Window& c, DType type, Spread spread, bool biased) {
    list.add(op, type, fmt::format("{}{} {}", c.text, biased ? " biased" : "", name(spread)), [=](CaseBuilder& k) {
      const Tensor x = k.input(type, c.x, spread),
                   w = k.input(type, c.w, spread == Spread::Permuted ? spread : Spread::Contiguous);
      if (!biased) return k.node(op, {x, w}, c.p);
      const int64_t channels = op == Op::Conv ? c.w[0] : c.w[1] * c.p.groups;
      return k.node(op, {x, w, k.input(type, {channels})}, c.p);
    });
  };
  // A kernel as large as the image: rows of 13 and of 20, weights stored by image or by channel.
  for (int width : {13, 20})
    for (bool exchanged : {false, true})
      list.add(Op::Conv, DType::F32, fmt::format("few places, {} wide{}", width, exchanged ? ", exchanged" : ""),
               [=](CaseBuilder& k) {
                 const Tensor x = k.input(DType::F32, {2, 9, 12, width});
                 const Tensor given =
                     exchanged ? k.input(DType::F32, {9, 5, 12, width}) : k.input(DType::F32, {5, 9, 12, width});
                 const Tensor w = exchanged ? k.builder().permute(given, {1, 0, 2, 3}) : given;
                 return k.node(Op::Conv, {x, w, k.input(DType::F32, {5})},
                               ConvParams{2, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}, {0, 0, 0}, 1});
               });
  for (Op op : {Op::Conv, Op::ConvTranspose}) {
    std::vector<Window> windows;
    for (Window window : op == Op::Conv ? std::span<const Window>(kWindows) : std::span<const Window>(kTransposed)) {
      if (list.lean() && window.p.groups == 1 && op == Op::Conv) {
        window.x = lean_sizes(window.x, 12, 7);
        window.w = lean_sizes(window.w, 12, 7);
      }
      windows.push_back(window);
    }
    for (const Window& c : windows) {
      for (Spread spread : kSpreads) add(op, c, DType::F32, spread, spread != Spread::Repeated);
      if (c.x.rank() == 4) add(op, c, DType::F64, Spread::Contiguous, true);
    }
    add(op, windows[2], DType::F16, Spread::Sliced, true);
    add(op, windows[1], DType::BF16, Spread::Contiguous, false);
  }
  for (DType type : {DType::U8, DType::I8})
    for (const int at : {2, 6, 7})  // same, dilated, groups
      list.add(Op::Conv, type, fmt::format("{} of integers", kWindows[at].text), [=](CaseBuilder& k) {
        const Window& c = kWindows[at];
        const bool bytes = type == DType::U8;
        return k.node(Op::Conv,
                      {k.input(type, c.x, Spread::Sliced, bytes ? 0 : -128, bytes ? 256 : 128),
                       k.input(DType::I8, c.w, Spread::Contiguous, -128, 128), k.input(DType::F32, {c.w[0]})},
                      c.p);
      });
}

void products_by_id(CaseList& list) {
  for (DType type : {DType::F32, DType::F16, DType::BF16})
    for (Spread spread : {Spread::Contiguous, Spread::Permuted, Spread::Sliced})
      for (bool own : {false, true})
        list.add(Op::MulMatId, type, fmt::format("{}{}", name(spread), own ? " own rows" : ""), [=](CaseBuilder& k) {
          const Tensor x = own ? k.input(DType::F32, {11, 3, 40}, spread) : k.input(DType::F32, {11, 40}, spread);
          return k.node(Op::MulMatId, {k.input(type, {4, 24, 40}, spread), x,
                                       k.input(own ? DType::I32 : DType::I64, {11, 3}, Spread::Contiguous, 0, 3)});
        });
  for (DType type : {DType::Q8_0, DType::Q4_K})
    list.add(Op::MulMatId, DType::F32, fmt::format("of {}", arenascope::name(type)), [=](CaseBuilder& k) {
      return k.node(Op::MulMatId, {k.input(type, {3, 5, 512}), k.input(DType::F32, {4, 512}),
                                   k.input(DType::I32, {4, 2}, Spread::Contiguous, 0, 3)});
    });
}

void attentions(CaseList& list) {
  struct Shape {
    const char* text;
    Dims q, k, v, mask;
    bool causal;
  };
  const Shape shapes[] = {{"small", {2, 3, 5, 4}, {2, 3, 7, 4}, {2, 3, 7, 6}, {}, false},
                          {"causal", {1, 4, 70, 16}, {1, 4, 70, 16}, {1, 4, 70, 16}, {}, true},
                          {"causal decode", {4, 1, 16}, {4, 150, 16}, {4, 150, 16}, {}, true},
                          {"decode of 80, shared", {1, 6, 1, 80}, {1, 2, 90, 80}, {1, 2, 90, 80}, {}, true},
                          {"decode of 128, shared", {1, 4, 1, 128}, {1, 1, 70, 128}, {1, 1, 70, 128}, {}, true},
                          {"grouped", {1, 6, 9, 8}, {1, 2, 300, 8}, {1, 2, 300, 8}, {}, false},
                          {"masked", {2, 2, 60, 8}, {2, 2, 140, 8}, {2, 2, 140, 8}, {2, 1, 60, 140}, false},
                          {"key mask", {2, 2, 6, 8}, {2, 2, 14, 8}, {2, 2, 14, 8}, {2, 1, 1, 14}, true}};
  for (const Shape& given : shapes) {
    Shape s = given;
    if (list.lean())
      for (Dims* sizes : {&s.q, &s.k, &s.v, &s.mask}) *sizes = lean_rows(*sizes, 0);
    for (Spread spread : kSpreads)
      for (DType type : {DType::F32, DType::F16})
        list.add(Op::Attention, DType::F32,
                 fmt::format("of {} {} {}", arenascope::name(type), given.text, name(spread)), [=](CaseBuilder& k) {
                   const Tensor q = k.input(type, s.q, spread), key = k.input(type, s.k, spread),
                                v = k.input(type, s.v, spread);
                   if (s.mask.empty()) return k.node(Op::Attention, {q, key, v}, AttentionParams{0.3f, s.causal});
                   return k.node(Op::Attention, {q, key, v, k.input(DType::F32, s.mask, spread)},
                                 AttentionParams{0.3f, s.causal});
                 });
  }
  for (DType type : {DType::Q8_0, DType::Q4_0})
    for (int64_t queries : {1, 9})
      list.add(Op::Attention, DType::F32, fmt::format("over {}, {} queries", arenascope::name(type), queries),
               [=](CaseBuilder& k) {
                 return k.node(
                     Op::Attention,
                     {k.input(DType::F32, {4, queries, 64}), k.input(type, {2, 50, 64}), k.input(type, {2, 50, 64})},
                     AttentionParams{0.1f, true});
               });
}

// One step, whose state h0 is given: the rounding error of a computed state could decide between two integers.
void quantised_recurrence(CaseList& list) {
  list.add(Op::Lstm, DType::F32, "quantised state", [](CaseBuilder& k) {
    constexpr int64_t h = 17, i = 5, batch = 5;
    return k.node(Op::Lstm,
                  {k.input(DType::F32, {1, batch, i}), k.input(DType::F32, {2, 4 * h, i}),
                   k.input(DType::F32, {2, 4 * h, h}), k.input(DType::F32, {2, batch, h})},
                  LstmParams{h, 2, 2, true});
  });
}

void recurrences(CaseList& list) {
  for (const int64_t batch : {2, 16})
    for (const Spread spread : {Spread::Contiguous, Spread::Permuted})
      list.add(Op::Lstm, DType::F32, fmt::format("{} sequences in both directions {}", batch, name(spread)),
               [=](CaseBuilder& k) {
                 constexpr int64_t h = 17, i = 5, steps = 37;
                 return k.node(Op::Lstm,
                               {k.input(DType::F32, {steps, batch, i}, spread),
                                k.input(DType::F32, {2, 4 * h, i}, spread, -0.5, 0.5),
                                k.input(DType::F32, {2, 4 * h, h}, spread, -0.5, 0.5)},
                               LstmParams{h, 2, 0});
               });
  for (int direction = 0; direction < 3; ++direction)
    for (int present : {0, 1, 3, 7})
      for (Spread spread : {Spread::Contiguous, Spread::Permuted})
        list.add(Op::Lstm, DType::F32, fmt::format("direction {} present {} {}", direction, present, name(spread)),
                 [=](CaseBuilder& k) {
                   const int64_t d = direction == 2 ? 2 : 1, h = 17, i = 5, steps = 37, batch = 5;
                   std::vector<Tensor> sources{k.input(DType::F32, {steps, batch, i}, spread),
                                               k.input(DType::F32, {d, 4 * h, i}, spread, -0.5, 0.5),
                                               k.input(DType::F32, {d, 4 * h, h}, spread, -0.5, 0.5)};
                   if (present & 1) sources.push_back(k.input(DType::F32, {d, 8 * h}, spread));
                   if (present & 2) sources.push_back(k.input(DType::F32, {d, batch, h}, spread));
                   if (present & 4) sources.push_back(k.input(DType::F32, {d, batch, h}, spread));
                   OpParams params;
                   params.set(LstmParams{static_cast<int32_t>(h), direction, present});
                   return k.done(k.builder().op(Op::Lstm, sources, params));
                 });
  quantised_recurrence(list);
}

struct RecurrentCase {
  Op op;
  bool linear_before_reset;
  int64_t hidden, steps, batch;
};

void gated_recurrence(CaseList& list, const RecurrentCase& c, int direction, int present, Spread spread) {
  list.add(c.op, DType::F32,
           fmt::format("{} units {} steps {} sequences direction {} present {}{} {}", c.hidden, c.steps, c.batch,
                       direction, present, c.linear_before_reset ? " linear before reset" : "", name(spread)),
           [=](CaseBuilder& k) {
             const int64_t d = direction == 2 ? 2 : 1, h = c.hidden, i = 5, gates = c.op == Op::Gru ? 3 : 1;
             std::vector<Tensor> sources{k.input(DType::F32, {c.steps, c.batch, i}, spread),
                                         k.input(DType::F32, {d, gates * h, i}, spread, -0.5, 0.5),
                                         k.input(DType::F32, {d, gates * h, h}, spread, -0.2, 0.2)};
             if (present & 1) sources.push_back(k.input(DType::F32, {d, 2 * gates * h}, spread));
             if (present & 2) sources.push_back(k.input(DType::F32, {d, c.batch, h}, spread));
             OpParams params;
             params.set(RecurrentParams{static_cast<int32_t>(h), direction, present, c.linear_before_reset});
             return k.done(k.builder().op(c.op, sources, params));
           });
}

void gated_recurrences(CaseList& list, Op op, bool linear_before_reset) {
  // Few sequences, and enough for packed weights. With 16 sequences in three chunks, one has 5 sequences of one
  // direction and 6 of the other.
  for (const auto& [steps, batch] : {std::pair<int64_t, int64_t>{21, 2}, {21, 5}, {60, 16}})
    for (int direction = 0; direction < 3; ++direction)
      for (int present : {0, 1, 3})
        for (Spread spread : {Spread::Contiguous, Spread::Permuted})
          gated_recurrence(list, {op, linear_before_reset, 17, steps, batch}, direction, present, spread);
  // Whole vectors of units. With one or two sequences there are too few inputs for a GEMM.
  for (int64_t batch = 1; batch <= 7; ++batch)
    gated_recurrence(list, {op, linear_before_reset, 32, 4, batch}, 2, 3, Spread::Contiguous);
  // More steps than are multiplied by the input weights at once, in chunks that cross directions.
  for (const int64_t batch : {5, 9})
    for (int direction : {0, 2})
      gated_recurrence(list, {op, linear_before_reset, 32, 300, batch}, direction, 3, Spread::Contiguous);
}

}  // namespace

void add_matmul_cases(CaseList& list) {
  products(list);
  convolutions(list);
  attentions(list);
  products_by_id(list);
  recurrences(list);
  gated_recurrences(list, Op::Gru, false);
  gated_recurrences(list, Op::Gru, true);
  gated_recurrences(list, Op::Rnn, false);
}

}  // namespace arenascope::cases
