// SPDX-License-Identifier: MIT
// Scaled dot-product attention as matmuls and a softmax, so that the scores are tensors that can be observed.
#pragma once
#include "engine/models/zoo/model_builder.h"

namespace arenascope::models {

// [T, heads·D] → [heads, T, D], a view.
Tensor split_heads(ModelBuilder& builder, const Tensor& x, int64_t heads, const std::string& name);

// Slices matrix `which` out of `joined` [T, n·width] (n matrices, concatenated along the columns), names the slice
// `name`, and splits it into heads.
Tensor split_heads_of(ModelBuilder& builder, const Tensor& joined, int64_t which, int64_t width, int64_t heads,
                      const std::string& name);

// q [H, T, D], k [H, S, D], v [H, S, D] → [T, H·D]; or q [G, H, T, D], k and v [G, 1, S, D] → [T, G·H·D]. The mask,
// added to the scaled scores, broadcasts to [H, T, S]. With several sequences, q is [H, N, T, D] or [G, H, N, T, D], with
// as many k and v; the result is [N·T, heads·D].
struct AttendOptions {
  int64_t sequences = 1;  // N
  float scale = 0;        // factor of the scores; 0: one by the root of the depth
  float cap = 0;          // > 0: scores become cap·tanh(score ÷ cap) before the mask
};
Tensor attend(ModelBuilder& builder, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
              const std::string& prefix, const AttendOptions& options = {});

// Default data of a mask [T, S] or [H, T, S]: 0 where the t-th of T tokens, at position S - T + t, attends, -infinity for
// later positions and, with a window, for those `window` or more earlier. With `alibi`, distances are multiplied by the
// head's slope (Press 2021).
std::function<Status(std::byte*)> causal_mask_writer(int64_t heads, int64_t tokens, int64_t seen, bool alibi,
                                                     int64_t window = 0);

// Default data of I64 positions: first, first + 1, …, and so `times` times.
std::function<Status(std::byte*)> positions_writer(int64_t first, int64_t count, int64_t times = 1);

}  // namespace arenascope::models
