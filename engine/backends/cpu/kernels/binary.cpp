// SPDX-License-Identifier: MIT
// Ops of two broadcast sources: arithmetic, comparison, and the choice between two.
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/rows.h"
#include "engine/backends/cpu/kernels/steps.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

template <class C>
using Pairs = void (*)(C* out, const C* a, const C* b, int64_t n);
template <class C>
using Compare = void (*)(int64_t* out, const C* a, const C* b, int64_t n);

template <class Out, class C, class F>
void loop(Out* out, const C* a, const C* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(F::of(a[i], b[i]));
}

// Integers wrap; what has no result (a division by zero) is 0.
template <class C>
struct Arithmetic {
  static constexpr bool kInteger = std::is_integral_v<C>;
  static uint64_t u(C x) { return static_cast<uint64_t>(x); }
  struct Add {
    static C of(C a, C b) {
      if constexpr (kInteger)
        return static_cast<C>(u(a) + u(b));
      else
        return a + b;
    }
  };
  struct Sub {
    static C of(C a, C b) {
      if constexpr (kInteger)
        return static_cast<C>(u(a) - u(b));
      else
        return a - b;
    }
  };
  struct Mul {
    static C of(C a, C b) {
      if constexpr (kInteger)
        return static_cast<C>(u(a) * u(b));
      else
        return a * b;
    }
  };
  struct Div {
    static C of(C a, C b) {
      if constexpr (kInteger) {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<C>)
          if (b == -1) return static_cast<C>(-u(a));
      }
      return a / b;
    }
  };
  struct Min {
    static C of(C a, C b) { return a != a || a < b ? a : b; }
  };
  struct Max {
    static C of(C a, C b) { return a != a || a > b ? a : b; }
  };
  // Of integers the sign is the divisor's, of floating-point numbers the dividend's (fmod).
  struct Mod {
    static C of(C a, C b) {
      if constexpr (!kInteger) {
        return std::fmod(a, b);
      } else {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<C>) {
          if (b == -1) return 0;
          const C r = a % b;
          return r != 0 && (r < 0) != (b < 0) ? r + b : r;
        }
        return a % b;
      }
    }
  };
};

template <class C>
struct Comparison {
  struct Equal {
    static bool of(C a, C b) { return a == b; }
  };
  struct Less {
    static bool of(C a, C b) { return a < b; }
  };
  struct LessEqual {
    static bool of(C a, C b) { return a <= b; }
  };
  struct And {
    static bool of(C a, C b) { return (a != 0) & (b != 0); }
  };
  struct Or {
    static bool of(C a, C b) { return (a != 0) | (b != 0); }
  };
  struct Xor {
    static bool of(C a, C b) { return (a != 0) != (b != 0); }
  };
};

template <class C>
Pairs<C> arithmetic([[maybe_unused]] const Simd& s, Op op) {
  if constexpr (std::is_same_v<C, float>) {
    switch (op) {
      case Op::Add: return s.add;
      case Op::Sub: return s.sub;
      case Op::Mul: return s.mul;
      case Op::Div: return s.div;
      case Op::Min: return s.min;
      case Op::Max: return s.max;
      default: return loop<C, C, typename Arithmetic<C>::Mod>;
    }
  }
  switch (op) {
    case Op::Add: return loop<C, C, typename Arithmetic<C>::Add>;
    case Op::Sub: return loop<C, C, typename Arithmetic<C>::Sub>;
    case Op::Mul: return loop<C, C, typename Arithmetic<C>::Mul>;
    case Op::Div: return loop<C, C, typename Arithmetic<C>::Div>;
    case Op::Min: return loop<C, C, typename Arithmetic<C>::Min>;
    case Op::Max: return loop<C, C, typename Arithmetic<C>::Max>;
    default: return loop<C, C, typename Arithmetic<C>::Mod>;
  }
}

template <class C>
Compare<C> comparison(Op op) {
  switch (op) {
    case Op::Equal: return loop<int64_t, C, typename Comparison<C>::Equal>;
    case Op::Less:
    case Op::Greater: return loop<int64_t, C, typename Comparison<C>::Less>;
    case Op::LessEqual:
    case Op::GreaterEqual: return loop<int64_t, C, typename Comparison<C>::LessEqual>;
    case Op::And: return loop<int64_t, C, typename Comparison<C>::And>;
    case Op::Or: return loop<int64_t, C, typename Comparison<C>::Or>;
    default: return loop<int64_t, C, typename Comparison<C>::Xor>;
  }
}

// out = f(a, b) for this part of the node.
template <class Out, class C>
void run(const Job& job, const TensorImpl& a, const TensorImpl& b, void (*f)(Out*, const C*, const C*, int64_t)) {
  const Nest nest(job.node, {&a, &b});
  Reader<C> left(a, nest.inner_stride(1)), right(b, nest.inner_stride(2));
  Writer<Out> out(job.node);
  nest.rows(job.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    f(out.piece(at[0]), left.piece(at[1], n), right.piece(at[2], n), n);
    out.done(at[0], n);
  });
}

// y = 2 is what most exponents are.
struct Power {
  static float of(float x, float y) { return y == 2.0f ? x * x : std::pow(x, y); }
};

// a to the power b: by squaring where both are integers, else in double.
template <class C, class E>
void powers(const Job& job) {
  const TensorImpl &a = job.source(0), &b = job.source(1);
  const Nest nest(job.node.sizes, {&job.node, &a, &b});
  Reader<C> base(a, nest.inner_stride(1));
  Reader<E> exponent(b, nest.inner_stride(2));
  Writer<C> out(job.node);
  nest.rows(job.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const C* x = base.piece(at[1], n);
    const E* y = exponent.piece(at[2], n);
    C* to = out.piece(at[0]);
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<C> && std::is_integral_v<E>) {
        if (y[i] >= E{0}) {
          uint64_t power = 1, factor = static_cast<uint64_t>(x[i]);
          for (auto e = static_cast<uint64_t>(y[i]); e != 0; e >>= 1, factor *= factor)
            if (e & 1) power *= factor;
          to[i] = static_cast<C>(power);
          continue;
        }
      }
      if constexpr (std::is_same_v<C, float> && std::is_same_v<E, float>)
        to[i] = Power::of(x[i], y[i]);
      else
        to[i] = convert<C>(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])));
    }
    out.done(at[0], n);
  });
}

// Elements are moved as they are, by their width.
template <class T>
void choose(const Job& job) {
  const TensorImpl &condition = job.source(0), &yes = job.source(1), &no = job.source(2);
  const Nest nest(job.node.sizes, {&job.node, &condition, &yes, &no});
  const int64_t step_c = nest.inner_stride(1), step_y = nest.inner_stride(2), step_n = nest.inner_stride(3);
  const auto* c = condition.data_as<uint8_t>();
  const T *y = yes.data_as<T>(), *z = no.data_as<T>();
  T* out = job.node.data_as<T>();
  nest.rows(job.part(nest.count(), 64), std::numeric_limits<int64_t>::max(), [&](const int64_t* at, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      out[at[0] + i] = c[at[1] + i * step_c] != 0 ? y[at[2] + i * step_y] : z[at[3] + i * step_n];
  });
}

}  // namespace

Simd::Binary binary_row(const Simd& s, Op op) {
  return op == Op::Pow ? loop<float, float, Power> : arithmetic<float>(s, op);
}

Status binary(const Job& job) {
  with_compute_type(job.node.dtype, [&](auto zero) {
    using C = decltype(zero);
    const Functions functions(job.node);
    run<C, C>(job, job.source(0), job.source(1), arithmetic<C>(*functions, job.node.op));
  });
  return {};
}

Status compare(const Job& job) {
  const bool swapped = job.node.op == Op::Greater || job.node.op == Op::GreaterEqual;
  with_compute_type(job.source(0).dtype, [&](auto zero) {
    using C = decltype(zero);
    run<int64_t, C>(job, job.source(swapped ? 1 : 0), job.source(swapped ? 0 : 1), comparison<C>(job.node.op));
  });
  return {};
}

Status pow(const Job& job) {
  with_compute_type(job.node.dtype, [&](auto base) {
    with_compute_type(job.source(1).dtype, [&](auto exponent) { powers<decltype(base), decltype(exponent)>(job); });
  });
  return {};
}

Status where(const Job& job) {
  switch (element_bytes(job.node.dtype)) {
    case 1: choose<uint8_t>(job); break;
    case 2: choose<uint16_t>(job); break;
    case 4: choose<uint32_t>(job); break;
    default: choose<uint64_t>(job); break;
  }
  return {};
}

}  // namespace arenascope::cpu
