// SPDX-License-Identifier: MIT
// Pools, normalisations, reductions, selections, rotary embedding.
#include <fmt/format.h>

#include "engine/backends/op_cases/case_builder.h"

namespace arenascope::cases {
namespace {

void pools(CaseList& list) {
  struct Window {
    const char* text;
    Dims x;
    PoolParams p;
  };
  // kernel, strides, dilations, pads_begin, pads_end, ceil_mode, count_include_pad
  const Window windows[] = {
      {"2x2", {2, 3, 8, 10}, {2, {2, 2, 1}, {2, 2, 1}, {1, 1, 1}, {}, {}, false, false}},
      {"3x3 same", {1, 5, 9, 37}, {2, {3, 3, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1}, {1, 1}, false, false}},
      {"3x3 stride 2", {2, 3, 13, 14}, {2, {3, 3, 1}, {2, 2, 1}, {1, 1, 1}, {1, 1}, {1, 1}, false, true}},
      {"ceil", {1, 2, 10, 11}, {2, {3, 2, 1}, {2, 3, 1}, {1, 1, 1}, {0, 1}, {1, 0}, true, false}},
      {"ceil, padding counted", {1, 2, 10, 11}, {2, {3, 4, 1}, {2, 3, 1}, {1, 1, 1}, {1, 1}, {1, 1}, true, true}},
      {"dilated", {1, 2, 12, 17}, {2, {3, 3, 1}, {1, 2, 1}, {2, 3, 1}, {1, 2}, {2, 1}, false, false}},
      {"one dimension", {2, 3, 21}, {1, {4, 1, 1}, {3, 1, 1}, {1, 1, 1}, {1}, {2}, false, false}},
      {"three dimensions", {1, 2, 5, 6, 7}, {3, {2, 3, 2}, {1, 2, 2}, {1, 1, 1}, {1, 0, 1}, {0, 1, 1}, false, true}},
      {"global", {2, 40, 7, 7}, {2, {7, 7, 1}, {1, 1, 1}, {1, 1, 1}, {}, {}, false, false}},
  };
  for (const Window& w : windows)
    for (Op op : {Op::MaxPool, Op::AvgPool}) {
      for (DType type : kFloats)
        for (Spread spread : kSpreads)
          list.add(op, type, fmt::format("{} {}", w.text, name(spread)),
                   [=](CaseBuilder& k) { return k.node(op, {k.input(type, w.x, spread)}, w.p); });
      if (op == Op::MaxPool && w.p.pads_begin[0] < w.p.kernel[0])
        for (DType type : {DType::I8, DType::U8})
          list.add(op, type, w.text, [=](CaseBuilder& k) {
            return k.node(op, {k.input(type, w.x, Spread::Contiguous, -100, 100)}, w.p);
          });
    }
  for (int32_t size : {1, 4, 5})
    for (Spread spread : kSpreads)
      for (DType type : {DType::F32, DType::F64, DType::F16})
        list.add(Op::Lrn, type, fmt::format("{} channels {}", size, name(spread)), [=](CaseBuilder& k) {
          return k.node(Op::Lrn, {k.input(type, {2, 7, 5, 6}, spread)}, LrnParams{size, 0.5f, 0.75f, 1.5f});
        });
}

void norms(CaseList& list) {
  for (DType type : kFloats)
    for (Spread spread : kSpreads) {
      for (int sources = 1; sources <= 3; ++sources)
        for (int axis : {1, 2}) {
          list.add(Op::Norm, type, fmt::format("{} axis {} sources {}", name(spread), axis, sources),
                   [=](CaseBuilder& k) {
                     const Tensor x = k.input(type, {3, 4, 77}, spread),
                                  gain = sources > 1 ? k.input(type, {77}, spread) : Tensor();
                     const Tensor bias = sources > 2 ? k.input(type, axis == 1 ? Dims{4, 1} : Dims{77}) : Tensor();
                     OpParams params;
                     params.set(NormParams{axis, 1e-5f});
                     const Tensor all[] = {x, gain, bias};
                     return k.done(k.builder().op(Op::Norm, std::span(all, static_cast<size_t>(sources)), params));
                   });
          if (sources < 3)
            list.add(Op::RmsNorm, type, fmt::format("{} axis {} sources {}", name(spread), axis, sources),
                     [=](CaseBuilder& k) {
                       const Tensor x = k.input(type, {3, 4, 130}, spread);
                       if (sources == 1) return k.node(Op::RmsNorm, {x}, NormParams{axis, 1e-6f});
                       return k.node(Op::RmsNorm, {x, k.input(type, {130})}, NormParams{axis, 1e-6f});
                     });
        }
      for (int32_t groups : {1, 3, 6})
        list.add(Op::GroupNorm, type, fmt::format("{} groups {}", name(spread), groups), [=](CaseBuilder& k) {
          return k.node(Op::GroupNorm,
                        {k.input(type, {2, 6, 5, 7}, spread), k.input(type, {6}, spread), k.input(type, {6})},
                        GroupNormParams{groups, 1e-5f});
        });
      list.add(Op::BatchNorm, type, name(spread), [=](CaseBuilder& k) {
        return k.node(Op::BatchNorm,
                      {k.input(type, {2, 7, 9, 31}, spread), k.input(type, {7}, spread), k.input(type, {7}),
                       k.input(type, {7}), k.input(type, {7}, Spread::Contiguous, 0.1, 2)},
                      BatchNormParams{1e-5f});
      });
      for (Op op : {Op::SoftMax, Op::LogSoftMax})
        for (int axis = 0; axis < 3; ++axis)
          list.add(op, type, fmt::format("{} axis {}", name(spread), axis), [=](CaseBuilder& k) {
            return k.node(op, {k.input(type, {5, 19, 53}, spread, -5, 5)}, SoftMaxParams{axis, 1});
          });
      for (int axis : {1, 2})
        list.add(Op::SoftMax, type, fmt::format("{} axis {} masked", name(spread), axis), [=](CaseBuilder& k) {
          return k.node(Op::SoftMax, {k.input(type, {5, 19, 53}, spread, -5, 5), k.input(type, {19, 1}, spread)},
                        SoftMaxParams{axis, 0.5f});
        });
    }
  list.add(Op::SoftMax, DType::F32, "long", [](CaseBuilder& k) {
    return k.node(Op::SoftMax, {k.input(DType::F32, {2, 20001}, Spread::Contiguous, -9, 9)}, SoftMaxParams{1, 1});
  });
}

void reductions(CaseList& list) {
  for (Op op : {Op::ReduceSum, Op::ReduceMean, Op::ReduceMax, Op::ReduceMin, Op::ReduceProd, Op::ReduceL2})
    for (DType type : {DType::F32, DType::F16, DType::F64, DType::I32, DType::I64, DType::U8})
      for (Spread spread : kSpreads)
        for (uint32_t axes : {0u, 1u, 2u, 4u, 5u, 6u, 7u})
          list.add(
              op, type, fmt::format("{} axes {}", name(spread), axes),
              [=](CaseBuilder& k) {
                // Products of integers stay small; sums fit in a byte.
                const double low = op == Op::ReduceProd  ? (info(type).floating ? 0.8 : 1)
                                   : info(type).floating ? -2
                                                         : 0;
                const double high = op == Op::ReduceProd ? 1.25 : 2;
                return k.node(op, {k.input(type, {3, 4, 9}, spread, low, high)}, ReduceParams{axes, (axes & 1) != 0});
              },
              op == Op::ReduceProd ? 10 : 1);
  list.add(Op::ReduceMean, DType::F32, "long", [](CaseBuilder& k) {
    return k.node(Op::ReduceMean, {k.input(DType::F32, {3, 20011})}, ReduceParams{2, false});
  });
  list.add(Op::ReduceSum, DType::F32, "nothing", [](CaseBuilder& k) {
    return k.node(Op::ReduceSum, {k.input(DType::F32, {3, 0})}, ReduceParams{2, false});
  });
}

void choices(CaseList& list) {
  for (Op op : {Op::ArgMax, Op::ArgMin})
    for (DType type : {DType::F32, DType::F16, DType::I32, DType::U8})
      for (int axis = 0; axis < 3; ++axis)
        for (bool last : {false, true})
          list.add(
              op, DType::I64, fmt::format("of {} axis {}{}", arenascope::name(type), axis, last ? " last" : ""),
              [=](CaseBuilder& k) {
                return k.node(op, {k.input(type, {4, 5, 300}, Spread::Permuted, -3, 3)}, ArgParams{axis, last, last});
              });
  for (Op op : {Op::TopKValues, Op::TopKIndices})
    for (DType type : {DType::F32, DType::I64})
      for (bool largest : {true, false})
        for (int axis = 0; axis < 2; ++axis)
          list.add(
              op, op == Op::TopKIndices ? DType::I64 : type,
              fmt::format("of {} axis {} {}", arenascope::name(type), axis, largest ? "largest" : "smallest"),
              [=](CaseBuilder& k) {
                return k.node(op, {k.input(type, {9, 40}, Spread::Sliced, -9, 9)}, TopKParams{axis, 5, largest, true});
              });
}

void running_sums(CaseList& list) {
  for (DType type : {DType::F32, DType::I64})
    for (int axis = 0; axis < 2; ++axis)
      for (int mode = 0; mode < 4; ++mode)
        for (Op op : {Op::CumSum, Op::CumProd})
          list.add(op, type, fmt::format("axis {} mode {}", axis, mode), [=](CaseBuilder& k) {
            return k.node(op, {k.input(type, {7, 30}, Spread::Permuted)},
                          CumSumParams{axis, (mode & 1) != 0, (mode & 2) != 0});
          });
  // Lines that a warp or a block needs several rounds for, short ones side by side, and zeros among the factors.
  struct Lines {
    Dims sizes;
    int axis;
  };
  const Lines many[] = {{{2, 100}, 1}, {{2, 1500}, 1}, {{3, 200}, 0}, {{5, 70, 3}, 1}};
  for (DType type : {DType::F32, DType::F16, DType::F64, DType::I32})
    for (const auto& [sizes, axis] : many)
      for (int mode = 0; mode < 4; ++mode) {
        if (type == DType::F64 && sizes[axis] > 100) continue;  // summed one by one in double
        for (Op op : {Op::CumSum, Op::CumProd})
          list.add(op, type, fmt::format("{} mode {}", to_string(sizes), mode),
                   [=, axis = axis, sizes = sizes](CaseBuilder& k) {
                     return k.node(op, {k.input(type, sizes, Spread::Sliced, op == Op::CumProd ? -1.01 : -2, 1.01)},
                                   CumSumParams{axis, (mode & 1) != 0, (mode & 2) != 0});
                   });
      }
}

void rotations(CaseList& list) {
  for (DType type : {DType::F32, DType::F16, DType::F64})
    for (bool neox : {false, true})
      for (int32_t dims : {16, 10})
        for (Spread spread : kSpreads)
          for (bool positions : {false, true})
            list.add(
                Op::Rope, type,
                fmt::format("{} dims {}{}{}", name(spread), dims, neox ? " neox" : "", positions ? " positions" : ""),
                [=](CaseBuilder& k) {
                  const RopeParams p{dims, 10000, 1, 3, neox};
                  const Tensor x = k.input(type, {2, 3, 11, 16}, spread);
                  if (!positions) return k.node(Op::Rope, {x}, p);
                  return k.node(
                      Op::Rope,
                      {x, k.input(DType::I32, {11}, spread == Spread::Repeated ? Spread::Contiguous : spread, 0, 500)},
                      p);
                });
}

void pools_back(CaseList& list) {
  for (DType type : {DType::F32, DType::F64})
    for (Spread spread : {Spread::Contiguous, Spread::Permuted, Spread::Sliced})
      for (int stride : {1, 2, 3})
        list.add(Op::MaxPoolBack, type, fmt::format("{} stride {}", name(spread), stride), [=](CaseBuilder& k) {
          PoolParams p{2, {3, 2, 0}, {stride, stride, 0}, {1, 2, 0}, {1, 0, 0}, {1, 0, 0}, false, false};
          const int64_t high = (11 + 2 - 3) / stride + 1, wide = (12 - 3) / stride + 1;
          return k.node(Op::MaxPoolBack,
                        {k.input(type, {2, 3, 11, 12}, spread), k.input(type, {2, 3, high, wide}, spread)}, p);
        });
  // Windows side by side, in one to three dimensions.
  for (DType type : {DType::F32, DType::F64})
    for (int spatial : {1, 2, 3})
      for (int32_t kernel : {2, 3})
        list.add(Op::MaxPoolBack, type, fmt::format("apart {} of {}", spatial, kernel), [=](CaseBuilder& k) {
          PoolParams p{spatial, {}, {}, {}, {}, {}, false, false};
          Dims x{2, 3}, dy{2, 3};
          for (int i = 0; i < spatial; ++i) {
            p.kernel[i] = p.strides[i] = i == 0 ? 2 : kernel;
            p.dilations[i] = 1;
            dy.push_back(3 + i), x.push_back((3 + i) * p.kernel[i]);
          }
          return k.node(Op::MaxPoolBack, {k.input(type, x), k.input(type, dy)}, p);
        });
}

}  // namespace

void add_row_op_cases(CaseList& list) {
  pools(list);
  norms(list);
  reductions(list);
  choices(list);
  running_sums(list);
  rotations(list);
  pools_back(list);
}

}  // namespace arenascope::cases
