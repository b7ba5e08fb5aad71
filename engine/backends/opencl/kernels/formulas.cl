// SPDX-License-Identifier: MIT
// Helpers for the formulas of graph/elementwise.h, and for programs that are built for one operation the types of an
// element: OP is defined, and NUMBER, float or float4. A vector condition selects per component.
#define lesser(x, y) fmin(x, y)
#define larger(x, y) fmax(x, y)
#define limited(x, low, high) clamp(x, low, high)
#ifdef NUMBER
#define K(v) ((NUMBER)(v))
#define JOINED(a, b) a##b
#define FORMULA_OF(op) JOINED(FORMULA_, op)
#ifdef UNARY
inline NUMBER one(NUMBER x, float a, float b) { return FORMULA_OF(OP); }
#endif
#ifdef BINARY
inline NUMBER two(NUMBER x, NUMBER y) { return FORMULA_OF(OP); }
#endif
#else
#define K(v) ((real)(v))
#endif
