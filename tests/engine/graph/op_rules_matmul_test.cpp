// SPDX-License-Identifier: MIT
// Rules and costs of matmul, convolution, attention, recurrences and pooling.
#include <doctest/doctest.h>

#include "op_rules_testing.h"

namespace arenascope {
using namespace test;

TEST_CASE("matmul multiplies rows by rows") {
  const MulMatParams p{1};
  CHECK(made(Op::MulMat, {{4, 2}, {3, 2}}, p) == "f32 [3, 4]");
  CHECK(made(Op::MulMat, {{5, 1, 4, 2}, {6, 3, 2}}, p) == "f32 [5, 6, 3, 4]");
  CHECK(made(Op::MulMat, {{{4, 64}, DType::Q4_0}, {3, 64}}, p) == "f32 [3, 4]");
  CHECK(made(Op::MulMat, {{4, 2}, {3, 2}, {4}}, p) == "f32 [3, 4]");
  CHECK(made(Op::MulMat, {{4, 2}, {3, 2}, {3}}, p) == "refused");
  CHECK(made(Op::MulMat, {{4, 2}, {3, 2}, {{4}, DType::I32}}, p) == "refused");
  CHECK(made(Op::MulMat, {{4, 2}, {3, 3}}, p) == "refused");
  CHECK(made(Op::MulMat, {{2}, {3, 2}}, p) == "refused");
  CHECK(made(Op::MulMat, {{2, 4, 2}, {3, 3, 2}}, p) == "refused");
  CHECK(made(Op::MulMat, {{{4, 2}, DType::I32}, {3, 2}}, p) == "refused");
  CHECK(made(Op::MulMat, {{4, 64}, {{3, 64}, DType::Q4_0}}, p) == "refused");
  CHECK(flops_of(Op::MulMat, {{4, 2}, {3, 2}}, p) == 48);
  CHECK(flops_of(Op::MulMat, {{4, 0}, {3, 0}}, p) == 0);
}

TEST_CASE("convolution sizes follow from the window positions") {
  ConvParams p{2, {2, 1, 1}, {1, 2, 1}, {1, 0, 0}, {1, 0, 0}, {}, 1};
  // (9 + 2 - 3) / 2 + 1 = 5; 9 - 2·2 = 5
  CHECK(made(Op::Conv, {{1, 3, 9, 9}, {8, 3, 3, 3}}, p) == "f32 [1, 8, 5, 5]");
  CHECK(flops_of(Op::Conv, {{1, 3, 9, 9}, {8, 3, 3, 3}}, p) == 2 * (8 * 25) * 27);
  CHECK(made(Op::Conv, {{1, 3, 9, 9}, {8, 3, 3, 3}, {8}}, p) == "f32 [1, 8, 5, 5]");
  CHECK(made(Op::Conv, {{1, 3, 9, 9}, {8, 3, 3, 3}, {7}}, p) == "refused");
  CHECK(made(Op::Conv, {{1, 4, 9, 9}, {8, 3, 3, 3}}, p) == "refused");
  CHECK(made(Op::Conv, {{1, 3, 9}, {8, 3, 3}}, p) == "refused");
  CHECK(made(Op::Conv, {{1, 3, 9, 4}, {8, 3, 3, 3}}, p) == "refused");  // the window is 5 wide
  CHECK(made(Op::Conv, {{1, 3, 9, 9}, {8, 3, 0, 3}}, p) == "refused");
  CHECK(made(Op::Conv, {{{1, 3, 9, 9}, DType::I8}, {8, 3, 3, 3}}, p) == "refused");
  CHECK(made(Op::Conv, {{0, 3, 9, 9}, {8, 3, 3, 3}}, p) == "f32 [0, 8, 5, 5]");
  ConvParams grouped = p;
  grouped.groups = 3;
  CHECK(made(Op::Conv, {{1, 3, 9, 9}, {6, 1, 3, 3}}, grouped) == "f32 [1, 6, 5, 5]");
  CHECK(made(Op::Conv, {{1, 3, 9, 9}, {8, 1, 3, 3}}, grouped) == "refused");
  ConvParams one{1, {1, 1, 1}, {1, 1, 1}, {}, {}, {}, 1}, three{3, {1, 1, 1}, {1, 1, 1}, {}, {}, {}, 1};
  CHECK(made(Op::Conv, {{2, 3, 9}, {4, 3, 2}}, one) == "f32 [2, 4, 8]");
  CHECK(made(Op::Conv, {{2, 3, 9, 9, 9}, {4, 3, 2, 1, 9}}, three) == "f32 [2, 4, 8, 9, 1]");
  for (auto spoil : {+[](ConvParams& q) { q.strides[0] = 0; }, +[](ConvParams& q) { q.dilations[1] = -1; },
                     +[](ConvParams& q) { q.pads_begin[0] = -1; }, +[](ConvParams& q) { q.groups = 0; },
                     +[](ConvParams& q) { q.spatial = 0; }, +[](ConvParams& q) { q.spatial = 4; },
                     +[](ConvParams& q) { q.dilations[0] = INT32_MAX; }}) {
    ConvParams bad = p;
    spoil(bad);
    CHECK(made(Op::Conv, {{1, 3, 9, 9}, {8, 3, 3, 3}}, bad) == "refused");
  }
}

TEST_CASE("transposed convolutions invert the size rule") {
  ConvParams p{2, {2, 2, 1}, {1, 1, 1}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}, 1};
  CHECK(made(Op::ConvTranspose, {{1, 8, 5, 5}, {8, 3, 3, 3}}, p) == "f32 [1, 3, 10, 10]");
  CHECK(flops_of(Op::ConvTranspose, {{1, 8, 5, 5}, {8, 3, 3, 3}}, p) == 2 * 200 * 27);
  CHECK(made(Op::ConvTranspose, {{1, 8, 5, 5}, {8, 3, 3, 3}, {3}}, p) == "f32 [1, 3, 10, 10]");
  CHECK(made(Op::ConvTranspose, {{1, 8, 5, 5}, {8, 3, 3, 3}, {8}}, p) == "refused");
  CHECK(made(Op::ConvTranspose, {{1, 7, 5, 5}, {8, 3, 3, 3}}, p) == "refused");
  CHECK(made(Op::ConvTranspose, {{1, 8, 0, 5}, {8, 3, 3, 3}}, p) == "refused");
  ConvParams bad = p;
  bad.pads_end[0] = 100;
  CHECK(made(Op::ConvTranspose, {{1, 8, 5, 5}, {8, 3, 3, 3}}, bad) == "refused");
  bad = p;
  bad.strides[0] = 0;
  CHECK(made(Op::ConvTranspose, {{1, 8, 5, 5}, {8, 3, 3, 3}}, bad) == "refused");
  bad = p;
  bad.strides[0] = bad.dilations[0] = INT32_MAX;
  CHECK(made(Op::ConvTranspose, {{{1, 1, INT64_MAX / 2, 1}, DType::F16}, {1, 1, 2, 1}}, bad) == "refused");
}

TEST_CASE("attention requires matching heads, steps and widths") {
  const AttentionParams p{1, true};
  CHECK(made(Op::Attention, {{8, 5, 16}, {2, 7, 16}, {2, 7, 12}}, p) == "f32 [8, 5, 12]");
  CHECK(made(Op::Attention, {{8, 5, 16}, {2, 7, 16}, {2, 7, 12}, {5, 7}}, p) == "f32 [8, 5, 12]");
  CHECK(made(Op::Attention, {{3, 8, 5, 16}, {3, 8, 7, 16}, {3, 8, 7, 16}}, p) == "f32 [3, 8, 5, 16]");
  CHECK(made(Op::Attention, {{8, 5, 16}, {3, 7, 16}, {3, 7, 12}}, p) == "refused");
  CHECK(made(Op::Attention, {{8, 5, 16}, {2, 7, 15}, {2, 7, 12}}, p) == "refused");
  CHECK(made(Op::Attention, {{8, 5, 16}, {2, 7, 16}, {2, 6, 12}}, p) == "refused");
  CHECK(made(Op::Attention, {{8, 5, 16}, {2, 7, 16}, {2, 7, 12}, {5, 8}}, p) == "refused");
  CHECK(made(Op::Attention, {{8, 5, 16}, {0, 7, 16}, {0, 7, 12}}, p) == "refused");
  CHECK(made(Op::Attention, {{5, 16}, {7, 16}, {7, 12}}, p) == "refused");
  CHECK(made(Op::Attention, {{2, 8, 5, 16}, {3, 8, 7, 16}, {3, 8, 7, 16}}, p) == "refused");
  CHECK(flops_of(Op::Attention, {{8, 5, 16}, {2, 7, 16}, {2, 7, 12}}, p) == 40 * 7 * (2 * 28 + 5));
}

TEST_CASE("LSTM results are flat: all steps, then the final states") {
  const Given x{6, 2, 3}, w{1, 16, 3}, r{1, 16, 4}, bias{1, 32}, state{1, 2, 4};
  CHECK(made(Op::Lstm, {x, w, r}, LstmParams{4, 0, 0}) == "f32 [64]");  // (6 + 2)·1·2·4
  CHECK(made(Op::Lstm, {x, w, r, bias, state, state}, LstmParams{4, 1, 7}) == "f32 [64]");
  CHECK(made(Op::Lstm, {x, w, r, state}, LstmParams{4, 0, 2}) == "f32 [64]");
  CHECK(made(Op::Lstm, {x, {2, 16, 3}, {2, 16, 4}}, LstmParams{4, 2, 0}) == "f32 [128]");
  CHECK(made(Op::Lstm, {x, w, r}, LstmParams{4, 2, 0}) == "refused");
  CHECK(made(Op::Lstm, {x, w, r}, LstmParams{5, 0, 0}) == "refused");
  CHECK(made(Op::Lstm, {x, w, r}, LstmParams{0, 0, 0}) == "refused");
  CHECK(made(Op::Lstm, {x, w, r}, LstmParams{4, 3, 0}) == "refused");
  CHECK(made(Op::Lstm, {x, w, r, bias}, LstmParams{4, 0, 2}) == "refused");
  CHECK(made(Op::Lstm, {x, w, r}, LstmParams{4, 0, 1}) == "refused");
  CHECK(made(Op::Lstm, {x, w, r, bias}, LstmParams{4, 0, 0}) == "refused");
  CHECK(made(Op::Lstm, {x, w, r}, LstmParams{4, 0, 8}) == "refused");
  CHECK(made(Op::Lstm, {x, w, r}, LstmParams{4, 0, -8}) == "refused");
  CHECK(made(Op::Lstm, {{{6, 2, 3}, DType::F16}, w, r}, LstmParams{4, 0, 0}) == "refused");
  CHECK(flops_of(Op::Lstm, {x, w, r}, LstmParams{4, 0, 0}) == 2 * 12 * (48 + 64));
}

TEST_CASE("GRU and RNN results are flat: all steps, then the final state") {
  for (const Op op : {Op::Gru, Op::Rnn}) {
    const int64_t gates = op == Op::Gru ? 3 : 1;
    CAPTURE(gates);
    const Given x{6, 2, 3}, w{1, gates * 4, 3}, r{1, gates * 4, 4}, bias{1, gates * 8}, state{1, 2, 4};
    CHECK(made(op, {x, w, r}, RecurrentParams{4, 0, 0}) == "f32 [56]");  // (6 + 1)·1·2·4
    CHECK(made(op, {x, w, r, bias, state}, RecurrentParams{4, 1, 3}) == "f32 [56]");
    CHECK(made(op, {x, w, r, state}, RecurrentParams{4, 0, 2}) == "f32 [56]");
    CHECK(made(op, {x, {2, gates * 4, 3}, {2, gates * 4, 4}}, RecurrentParams{4, 2, 0}) == "f32 [112]");
    CHECK(made(op, {x, {1, 16, 3}, {1, 16, 4}}, RecurrentParams{4, 0, 0}) == "refused");  // the gates of an LSTM
    CHECK(made(op, {x, w, r}, RecurrentParams{4, 2, 0}) == "refused");
    CHECK(made(op, {x, w, r}, RecurrentParams{4, 3, 0}) == "refused");
    CHECK(made(op, {x, w, r}, RecurrentParams{4, -1, 0}) == "refused");
    CHECK(made(op, {x, w, r}, RecurrentParams{5, 0, 0}) == "refused");
    CHECK(made(op, {x, w, r}, RecurrentParams{0, 0, 0}) == "refused");
    CHECK(made(op, {x, w, r}, RecurrentParams{4, 0, 1}) == "refused");         // without its bias
    CHECK(made(op, {x, w, r, bias}, RecurrentParams{4, 0, 3}) == "refused");   // without its initial state
    CHECK(made(op, {x, w, r, state}, RecurrentParams{4, 0, 1}) == "refused");  // a state instead of a bias
    CHECK(made(op, {x, w, r, bias}, RecurrentParams{4, 0, 2}) == "refused");
    CHECK(made(op, {x, w, r, bias}, RecurrentParams{4, 0, 0}) == "refused");
    CHECK(made(op, {x, w, r, bias, state}, RecurrentParams{4, 0, 1}) == "refused");
    CHECK(made(op, {x, w, r}, RecurrentParams{4, 0, 4}) == "refused");  // it has no cell
    CHECK(made(op, {x, w, r, bias, state}, RecurrentParams{4, 0, 7}) == "refused");
    CHECK(made(op, {x, w, r}, RecurrentParams{4, 0, -4}) == "refused");
    CHECK(made(op, {{{6, 2, 3}, DType::F16}, w, r}, RecurrentParams{4, 0, 0}) == "refused");
    CHECK(made(op, {x, w, r}, RecurrentParams{4, 0, 0, true}) == (op == Op::Gru ? "f32 [56]" : "refused"));
    CHECK(flops_of(op, {x, w, r}, RecurrentParams{4, 0, 0}) == 2 * 12 * gates * (12 + 16));
  }
}

TEST_CASE("pool sizes round down, or up without a window starting in the end padding") {
  PoolParams p{2, {3, 3, 1}, {2, 2, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, false, false};
  for (Op op : {Op::MaxPool, Op::AvgPool}) {
    CHECK(made(op, {{1, 4, 8, 7}}, p) == "f32 [1, 4, 3, 3]");
    PoolParams up = p;
    up.ceil_mode = true;
    CHECK(made(op, {{1, 4, 8, 7}}, up) == "f32 [1, 4, 4, 3]");
    up = {2, {2, 2, 1}, {3, 3, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 0}, true, false};
    CHECK(made(op, {{1, 1, 3, 4}}, up) == "f32 [1, 1, 1, 2]");  // a second row would start in the padding
    CHECK(made(op, {{1, 4, 2, 8}}, p) == "refused");
    CHECK(made(op, {{4, 8, 8}}, p) == "refused");
    CHECK(made(op, {{{1, 1, 8, 256}, DType::Q4_K}}, p) == "refused");
    PoolParams bad = p;
    bad.kernel[0] = 0;
    CHECK(made(op, {{1, 4, 8, 8}}, bad) == "refused");
    bad = p;
    bad.pads_end[1] = -1;
    CHECK(made(op, {{1, 4, 8, 8}}, bad) == "refused");
    CHECK(flops_of(op, {{1, 4, 8, 7}}, p) == 36 * 9);
  }
}

TEST_CASE("LRN requires channels and a window") {
  CHECK(made(Op::Lrn, {{1, 4, 8, 8}}, LrnParams{5, 1, 1, 1}) == "f32 [1, 4, 8, 8]");
  CHECK(made(Op::Lrn, {{1, 4, 8, 8}}, LrnParams{0, 1, 1, 1}) == "refused");
  CHECK(made(Op::Lrn, {{4}}, LrnParams{5, 1, 1, 1}) == "refused");
  CHECK(made(Op::Lrn, {{{1, 4}, DType::I32}}, LrnParams{5, 1, 1, 1}) == "refused");
}

}  // namespace arenascope
