// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "engine/backends/op_cases/case_builder.h"

namespace arenascope::cases {
namespace {

constexpr DType kTypes[] = {DType::F32, DType::F16, DType::F64, DType::I8, DType::I64, DType::Bool};

void copies(CaseList& list) {
  for (DType type : kTypes)
    for (Spread spread : kSpreads)
      for (const Dims& sizes : {Dims{3, 4, 17, 35}, Dims{1, 5}, Dims{}, Dims{0, 3}, Dims{1100}})
        list.add(Op::Cont, type, fmt::format("{} {}", name(spread), to_string(sizes)),
                 [=](CaseBuilder& k) { return k.node(Op::Cont, {k.input(type, sizes, spread)}); });
  // Transpositions inside a batch.
  list.add(Op::Cont, DType::F32, "heads", [](CaseBuilder& k) {
    return k.done(k.builder().cont(k.builder().permute(k.input(DType::F32, {2, 9, 3, 8}), {0, 2, 1, 3})));
  });
  list.add(Op::Cont, DType::F32, "transposed", [](CaseBuilder& k) {
    return k.done(k.builder().cont(k.builder().transpose(k.input(DType::F32, {2, 3, 37, 50}))));
  });
  list.add(Op::Cont, DType::F32, "channels last", [](CaseBuilder& k) {
    return k.done(k.builder().cont(k.builder().permute(k.input(DType::F32, {2, 19, 5, 7}), {0, 2, 3, 1})));
  });
  list.add(Op::Cont, DType::F32, "transposed slice", [](CaseBuilder& k) {
    return k.done(
        k.builder().cont(k.builder().transpose(k.builder().slice(k.input(DType::F32, {2, 41, 29}), 1, 3, 40))));
  });
  list.add(Op::Cont, DType::F32, "backwards", [](CaseBuilder& k) {
    return k.done(k.builder().cont(k.builder().slice(k.input(DType::F32, {3, 20}), 1, 18, 2, -3)));
  });
  list.add(Op::Copy, DType::I32, "permuted", [](CaseBuilder& k) {
    return k.node(Op::Copy, {k.input(DType::I32, {3, 20}, Spread::Permuted)});
  });
  for (DType from : {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8, DType::U8, DType::I32, DType::I64,
                     DType::U64, DType::Bool})
    for (DType to : {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8, DType::U8, DType::I32, DType::I64,
                     DType::U32, DType::Bool})
      list.add(Op::Cast, to, fmt::format("from {}", arenascope::name(from)), [=](CaseBuilder& k) {
        const double low = is_unsigned(to) && info(from).floating ? 0 : -100;
        return k.node(Op::Cast, {k.input(from, {3, 43}, Spread::Sliced, low, 100)}, CastParams{to});
      });
  for (DType from : kQuantised)
    list.add(Op::Cast, DType::F32, fmt::format("from {}", arenascope::name(from)), [=](CaseBuilder& k) {
      return k.node(Op::Cast, {k.input(from, {3, 512})}, CastParams{DType::F32});
    });
}

void joins_and_pads(CaseList& list) {
  for (DType type : kTypes)
    for (Spread spread : kSpreads)
      for (int axis = 0; axis < 3; ++axis)
        list.add(Op::Concat, type, fmt::format("{} axis {}", name(spread), axis), [=](CaseBuilder& k) {
          Dims a{2, 3, 5}, b = a, c = a;
          b[axis] = 4;
          c[axis] = 0;
          const Tensor parts[] = {k.input(type, a, spread), k.input(type, c), k.input(type, b, spread),
                                  k.input(type, a)};
          return k.done(k.builder().concat(parts, axis));
        });
  for (DType type : {DType::F32, DType::F16, DType::I64})
    for (Spread spread : kSpreads)
      for (PadMode mode : {PadMode::Constant, PadMode::Reflect, PadMode::Edge})
        list.add(Op::Pad, type, fmt::format("{} mode {}", name(spread), static_cast<int>(mode)), [=](CaseBuilder& k) {
          return k.node(Op::Pad, {k.input(type, {2, 4, 6}, spread)}, PadParams{{1, 3, 2}, {0, 1, 4}, mode, 3});
        });
  list.add(Op::Pad, DType::F32, "cropped", [](CaseBuilder& k) {
    return k.node(Op::Pad, {k.input(DType::F32, {5, 9})}, PadParams{{-1, 2}, {-2, -4}, PadMode::Constant, 0.5f});
  });
  for (bool upper : {false, true})
    for (int64_t diagonal : {-2, 0, 1})
      for (DType type : {DType::F32, DType::I64})
        list.add(Op::Tril, type, fmt::format("{} {}", upper ? "upper" : "lower", diagonal), [=](CaseBuilder& k) {
          return k.node(Op::Tril, {k.input(type, {3, 6, 8}, Spread::Sliced)}, TrilParams{diagonal, upper});
        });
  for (bool crd : {false, true})
    list.add(Op::DepthToSpace, DType::F32, crd ? "crd" : "dcr", [=](CaseBuilder& k) {
      return k.node(Op::DepthToSpace, {k.input(DType::F32, {2, 12, 3, 5}, Spread::Permuted)},
                    DepthToSpaceParams{2, crd});
    });
  for (DType type : {DType::F32, DType::F16, DType::F64, DType::I32, DType::I64, DType::Bool}) {
    list.add(Op::Fill, type, "1.0", [=](CaseBuilder& k) {
      return k.node(Op::Fill, {}, FillParams{{3, 400}, type, 1, 0});
    });
    if (type != DType::Bool && type != DType::F16)
      list.add(Op::Arange, type, "by 3", [=](CaseBuilder& k) {
        return k.node(Op::Arange, {}, FillParams{{1500}, type, -2, 3});
      });
  }
}

void rows_back(CaseList& list) {
  for (DType type : {DType::F32, DType::F64})
    for (Spread spread : {Spread::Contiguous, Spread::Permuted, Spread::Sliced})
      for (bool base : {false, true})
        list.add(Op::GatherBack, type, fmt::format("{}{}", name(spread), base ? " base" : ""), [=](CaseBuilder& k) {
          const Tensor dy = k.input(type, {9, 3, 5}, spread);
          const Tensor places = k.input(base ? DType::I32 : DType::I64, {9}, Spread::Contiguous, -7, 6);
          if (!base) return k.node(Op::GatherBack, {dy, places}, GatherBackParams{7});
          return k.node(Op::GatherBack, {dy, places, k.input(type, {7, 3, 5})}, GatherBackParams{7});
        });
}

void dropouts(CaseList& list) {
  for (DType type : kFloats)
    for (Spread spread : kSpreads)
      for (float ratio : {0.0f, 0.1f, 0.75f})
        list.add(Op::Dropout, type, fmt::format("{} {}", name(spread), ratio), [=](CaseBuilder& k) {
          return k.node(Op::Dropout,
                        {k.input(type, {7, 3, 45}, spread), k.input(DType::I64, {2}, Spread::Contiguous, 0, 90)},
                        DropoutParams{ratio, 5});
        });
}

// The states are inputs, not outputs of an earlier step, so that every repetition computes the same result.
void optimizer_steps(CaseList& list) {
  for (int states : {0, 1, 2})
    list.add(Op::OptimizerStep, DType::F32, fmt::format("{} states", states), [=](CaseBuilder& k) {
      OptimizerStepParams p{states == 2, states, 3, states == 2 ? 1.0f : 0.0f, 0, 1, 0, 0.5f, 0};
      const Tensor to = k.input(DType::F32, {7, 33}), g = k.input(DType::F32, {7, 33});
      const Tensor numbers = k.input(DType::F32, {4}, Spread::Contiguous, 0.5, 1);
      const Tensor spoilt = k.input(DType::Bool, {}, Spread::Contiguous, 0, 0);
      const auto state = [&] { return k.input(DType::F32, {7, 33}, Spread::Contiguous, 0.1, 1); };
      if (states == 0) return k.node(Op::OptimizerStep, {to, g, numbers, spoilt}, p);
      if (states == 1) return k.node(Op::OptimizerStep, {to, g, numbers, spoilt, state()}, p);
      return k.node(Op::OptimizerStep, {to, g, numbers, spoilt, state(), state()}, p);
    });
}

void written_rows(CaseList& list) {
  // One row a case: of several that are the same, the parts would decide which one stays. Elements go in order.
  for (DType type : {DType::F32, DType::F16, DType::F64, DType::I8, DType::I64})
    for (Spread spread : {Spread::Contiguous, Spread::Permuted, Spread::Sliced})
      for (int axis = 0; axis < 3; ++axis)
        list.add(Op::SetRows, type, fmt::format("{} axis {}", name(spread), axis), [=](CaseBuilder& k) {
          Dims rows{4, 5, 6};
          rows[axis] = 1;
          return k.node(Op::SetRows,
                        {k.input(type, {4, 5, 6}), k.input(type, rows, spread),
                         k.input(axis == 1 ? DType::I32 : DType::I64, {1}, Spread::Contiguous, -1, 3)},
                        SetRowsParams{axis, true});
        });
  for (DType type : {DType::F32, DType::F16, DType::F64, DType::I8, DType::I64})
    for (int axis = 0; axis < 3; ++axis)  // each with its own index, some of them equal
      list.add(Op::SetRows, type, fmt::format("elements axis {}", axis), [=](CaseBuilder& k) {
        return k.node(Op::SetRows,
                      {k.input(type, {6, 5, 7}), k.input(type, {4, 4, 5}, Spread::Permuted),
                       k.input(axis == 1 ? DType::I32 : DType::I64, {4, 4, 5}, Spread::Sliced, -5, 5)},
                      SetRowsParams{axis, true});
      });
  list.add(Op::SetRows, DType::F32, "no elements", [](CaseBuilder& k) {
    return k.node(Op::SetRows,
                  {k.input(DType::F32, {6, 7}), k.input(DType::F32, {0, 7}),
                   k.input(DType::I64, {0, 7}, Spread::Contiguous, 0, 5)},
                  SetRowsParams{0, true});
  });
  list.add(Op::SetRows, DType::F16, "of f32", [](CaseBuilder& k) {
    return k.node(Op::SetRows,
                  {k.input(DType::F16, {2, 9, 300}), k.input(DType::F32, {2, 1, 300}, Spread::Permuted),
                   k.input(DType::I64, {1}, Spread::Contiguous, 4, 4)},
                  SetRowsParams{1, true});
  });
  list.add(Op::SetRows, DType::F32, "all", [](CaseBuilder& k) {
    return k.node(Op::SetRows, {k.input(DType::F32, {7, 33}), k.input(DType::F32, {7, 33}, Spread::Permuted)},
                  SetRowsParams{0, false});
  });
}

void gathers(CaseList& list) {
  for (DType type : kTypes)
    for (Spread spread : {Spread::Contiguous, Spread::Permuted, Spread::Sliced})
      for (int axis = 0; axis < 3; ++axis)
        list.add(Op::Gather, type, fmt::format("{} axis {}", name(spread), axis), [=](CaseBuilder& k) {
          return k.node(
              Op::Gather,
              {k.input(type, {4, 5, 6}, spread), k.input(axis == 1 ? DType::I32 : DType::I64, {2, 3}, spread, -4, 4)},
              AxisParams{axis});
        });
  list.add(Op::Gather, DType::F32, "one", [](CaseBuilder& k) {
    return k.node(Op::Gather, {k.input(DType::F32, {7, 33}), k.input(DType::I64, {}, Spread::Contiguous, 0, 7)},
                  AxisParams{0});
  });
  for (DType type : kQuantised)
    list.add(Op::Gather, DType::F32, fmt::format("rows of {}", arenascope::name(type)), [=](CaseBuilder& k) {
      return k.node(Op::Gather, {k.input(type, {6, 512}), k.input(DType::I32, {5}, Spread::Contiguous, 0, 6)},
                    AxisParams{0});
    });
  for (DType type : kTypes)
    for (int axis = 0; axis < 2; ++axis)
      list.add(Op::GatherElements, type, fmt::format("axis {}", axis), [=](CaseBuilder& k) {
        return k.node(Op::GatherElements,
                      {k.input(type, {6, 7}, Spread::Sliced), k.input(DType::I64, {5, 7}, Spread::Permuted, -6, 6)},
                      AxisParams{axis});
      });
}

void resizes(CaseList& list) {
  for (ResizeMode mode : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic})
    for (int c = 0; c < 4; ++c)
      for (int n = 0; n < (mode == ResizeMode::Nearest ? 4 : 1); ++n)
        for (bool grow : {true, false})
          list.add(Op::Resize, DType::F32,
                   fmt::format("mode {} coordinates {} nearest {} {}", static_cast<int>(mode), c, n,
                               grow ? "grow" : "shrink"),
                   [=](CaseBuilder& k) {
                     const Dims sizes = grow ? Dims{2, 3, 10, 14} : Dims{2, 3, 3, 1};
                     return k.node(Op::Resize,
                                   {k.input(DType::F32, {2, 3, 5, 7}, grow ? Spread::Permuted : Spread::Contiguous)},
                                   ResizeParams{sizes,
                                                {0, 0, 0, 0},
                                                mode,
                                                static_cast<ResizeCoordinates>(c),
                                                static_cast<ResizeNearest>(n),
                                                -0.75f});
                   });
  list.add(Op::Resize, DType::F32, "by scales", [](CaseBuilder& k) {
    return k.node(Op::Resize, {k.input(DType::F32, {1, 2, 4, 4})},
                  ResizeParams{{1, 2, 6, 9},
                               {1, 1, 1.6f, 2.3f},
                               ResizeMode::Linear,
                               ResizeCoordinates::Asymmetric,
                               ResizeNearest::Floor,
                               -0.75f});
  });
  for (DType type : {DType::F16, DType::F64, DType::I32, DType::U8})
    list.add(Op::Resize, type, "nearest", [=](CaseBuilder& k) {
      return k.node(
          Op::Resize, {k.input(type, {2, 4, 4}, Spread::Sliced)},
          ResizeParams{
              {2, 8, 7}, {0, 0, 0, 0}, ResizeMode::Nearest, ResizeCoordinates::Asymmetric, ResizeNearest::Floor, 0});
    });
}

void bits(CaseList& list) {
  constexpr DType kPairs[][2] = {{DType::F32, DType::I32}, {DType::U32, DType::F32}, {DType::F16, DType::U16},
                                 {DType::I64, DType::F64}, {DType::U8, DType::I8},   {DType::I16, DType::BF16}};
  for (const auto& [from, to] : kPairs)
    for (Spread spread : kSpreads)
      list.add(Op::BitCast, to, fmt::format("of {} {}", arenascope::name(from), name(spread)), [=](CaseBuilder& k) {
        return k.node(Op::BitCast, {k.input(from, {3, 5, 7}, spread, 0, 90)}, CastParams{to});
      });
  for (DType type : {DType::F32, DType::F16, DType::F64})
    for (int format = 0; format < 6; ++format)
      for (int mode = 0; mode < (format == static_cast<int>(SmallFloat::E8M0) ? 6 : 2); ++mode)
        for (double largest : {2.0, 600.0})
          list.add(Op::RoundSmall, type, fmt::format("format {} mode {} to {}", format, mode, largest),
                   [=](CaseBuilder& k) {
                     return k.node(Op::RoundSmall, {k.input(type, {9, 50}, Spread::Permuted, -largest, largest)},
                                   SmallFloatParams{static_cast<SmallFloat>(format), mode % 2 == 1,
                                                    static_cast<SmallRounding>(mode / 2)});
                   });
  for (DType type : {DType::BF16, DType::F32})
    for (int format = 0; format < 6; ++format)
      list.add(Op::RoundSmall, type, fmt::format("format {} to a million", format), [=](CaseBuilder& k) {
        return k.node(Op::RoundSmall, {k.input(type, {3, 700}, Spread::Sliced, -1e6, 1e6)},
                      SmallFloatParams{static_cast<SmallFloat>(format), true, SmallRounding::Nearest});
      });
}

void grids(CaseList& list) {
  struct Shape {
    Dims image, grid;
  };
  const Shape shapes[] = {{{2, 3, 9}, {2, 5, 1}}, {{2, 3, 5, 6}, {2, 4, 7, 2}}, {{1, 2, 3, 4, 5}, {1, 3, 2, 4, 3}}};
  for (const Shape& shape : shapes)
    for (ResizeMode mode : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic})
      for (int padding = 0; padding < 3; ++padding)
        for (bool corners : {false, true}) {
          if (mode == ResizeMode::Cubic && shape.image.rank() != 4) continue;
          for (DType type : {DType::F32, DType::F64})
            list.add(Op::GridSample, type,
                     fmt::format("{} mode {} padding {}{}", to_string(shape.image), static_cast<int>(mode), padding,
                                 corners ? " corners" : ""),
                     [=](CaseBuilder& k) {
                       return k.node(Op::GridSample,
                                     {k.input(type, shape.image, Spread::Permuted),
                                      k.input(type, shape.grid, Spread::Contiguous, -1.7, 1.7)},
                                     GridSampleParams{mode, static_cast<GridPadding>(padding), corners});
                     });
        }
  // Many channels and few positions, few channels and many positions, and narrow types.
  for (const Shape& shape : {Shape{{2, 70, 3, 4}, {2, 1, 1, 2}}, Shape{{1, 1, 9, 8}, {1, 40, 50, 2}}})
    for (ResizeMode mode : {ResizeMode::Nearest, ResizeMode::Linear, ResizeMode::Cubic})
      for (DType type : {DType::F16, DType::BF16})
        list.add(Op::GridSample, type, fmt::format("{} mode {}", to_string(shape.image), static_cast<int>(mode)),
                 [=](CaseBuilder& k) {
                   return k.node(
                       Op::GridSample,
                       {k.input(type, shape.image, Spread::Sliced), k.input(type, shape.grid, Spread::Sliced)},
                       GridSampleParams{mode, GridPadding::Reflection, false});
                 });
}

}  // namespace

void add_movement(CaseList& list) {
  copies(list);
  joins_and_pads(list);
  gathers(list);
  written_rows(list);
  rows_back(list);
  dropouts(list);
  optimizer_steps(list);
  resizes(list);
  bits(list);
  grids(list);
}

}  // namespace arenascope::cases
