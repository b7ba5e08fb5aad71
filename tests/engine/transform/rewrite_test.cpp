// SPDX-License-Identifier: MIT
// Rewrite rules: each matches several spellings that exporters emit, builds the equivalent op, reports how many nodes
// it replaced, and computes the same within a bound. Graphs that only look similar are not changed.
#include <arenascope/transform/rewrite.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/graph/builder.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/describe.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/transform/built_net.h"

using namespace arenascope;

namespace {

using test::Build;
using test::from_text;

// Leafs are seeded by their names: "=0.5" is that number, "0.." counts up, "cos" and "sin" are tables of angles,
// "positive…" is above 0, "halves of 255" are those of odd numbers, all others are between -2 and 2; indices (i64) are
// between -1 and 7, and bytes are arbitrary.
void fill(TensorImpl& leaf, uint32_t& state) {
  const std::string name(leaf.name);
  const int64_t width = leaf.rank() > 0 ? leaf.sizes.back() : 1;
  for (int64_t i = 0; i < leaf.element_count(); ++i) {
    state = state * 1664525u + 1013904223u;
    const float part = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
    if (info(leaf.dtype).block_bytes == 1) {
      leaf.data()[i] = static_cast<std::byte>(state >> 24);
      continue;
    }
    if (leaf.dtype == DType::I64) {
      leaf.data_as<int64_t>()[i] = name == "0.." ? i : static_cast<int64_t>(part * 9) - 1;
      continue;
    }
    float value = 4 * part - 2;
    if (name.starts_with("=")) value = std::stof(name.substr(1));
    if (name == "halves of 255") value = 255 * (static_cast<float>(i) + 0.5f);
    if (name.starts_with("positive")) value = part + 0.5f;
    if (name == "cos" || name == "sin") {
      const double angle = static_cast<double>(i / width) *
                           std::pow(10000.0, -2.0 * static_cast<double>(i % (width / 2)) / static_cast<double>(width));
      value = static_cast<float>(name == "cos" ? std::cos(angle) : std::sin(angle));
    }
    leaf.data_as<float>()[i] = value;
  }
}

struct Net : test::BuiltNet {
  explicit Net(const Build& build) : BuiltNet(build, size_t{1} << 26) {
    uint32_t state = 7;
    for (TensorImpl* leaf : graph.leafs()) fill(*leaf, state);
  }
};

std::vector<double> numbers(const TensorImpl& leaf) {
  std::vector<double> out;
  for (int64_t i = 0; i < leaf.element_count(); ++i)
    out.push_back(leaf.dtype == DType::F32   ? static_cast<double>(leaf.data_as<float>()[i])
                  : leaf.dtype == DType::I64 ? static_cast<double>(leaf.data_as<int64_t>()[i])
                                             : std::nan(""));
  return out;
}

std::vector<std::byte> run_bytes(Backend& backend, const Graph& graph, const Tensor& output) {
  auto memory = plan_memory(graph, "two-level", "depth-first");
  REQUIRE_MESSAGE(memory.ok(), (memory.ok() ? "" : memory.error().message));
  auto plan = ExecutionPlan::make(graph, std::move(*memory), backend, 1);
  REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().message));
  auto executor = Executor::create(backend, make_cpu_context(), {});
  REQUIRE(executor.ok());
  const auto prepared = (*executor)->prepare(std::move(*plan));
  REQUIRE_MESSAGE(prepared.ok(), (prepared.ok() ? "" : prepared.error().message));
  const auto report = (*executor)->run();
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  return {output->data(), output->data() + output->byte_count()};
}

std::vector<float> run(Backend& backend, const Graph& graph, const Tensor& output) {
  const std::vector<std::byte> bytes = run_bytes(backend, graph, output);
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

struct Rewritten {
  RewrittenGraph made;
  Tensor output;
  std::set<Op> ops;  // that have work

  explicit Rewritten(const Net& net, RewriteOptions options = {}) {
    options.numbers = numbers;
    auto done = rewrite_graph(net.graph, options);
    REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
    made = std::move(*done);
    output = made.node_map[net.graph.find_node(*net.output).index()];
    REQUIRE(output);
    for (const TensorImpl* node : made.graph.nodes())
      if (has_work(*node)) ops.insert(node->op);
    auto reference = reference::make_reference_backend();
    for (const ConstantBranch& branch : made.constants) {
      const std::vector<std::byte> made_now = run_bytes(*reference, branch.graph, branch.result);
      branch.leaf->storage = *Storage::allocate(*context, {}, MemoryKind::Persistent, branch.leaf->byte_count());
      std::memcpy(branch.leaf->data(), made_now.data(), static_cast<size_t>(branch.leaf->byte_count()));
    }
  }

  const RuleUse* use(const std::string& rule) const {
    for (const RuleUse& one : made.uses)
      if (one.rule->name == rule) return &one;
    return nullptr;
  }

  std::shared_ptr<ExecutionContext> context = make_cpu_context();
};

struct Case {
  const char* name;
  const char* rule;
  std::set<Op> left;  // ops with work that the rewritten graph consists of
  size_t from;        // nodes as written that the result's origin names
  std::string text;
};

// The weighted sum of table rows that a one-hot matrix selects; `counts`: name of the indices that are compared.
std::string one_hot(const std::string& counts) {
  return "given = input i64 2 5 1; indices = EXPAND given 2 5 7; counts = weight i64 1 1 7 name=\"" + counts +
         "\"; same = EQUAL indices counts; ones = CAST same f32; table = weight f32 6 7; rows = MUL_MAT table ones";
}

std::string batch_norm(int channels) {
  std::string text;
  for (const char* name : {"scale", "shift", "mean"}) text += fmt::format("; {} = weight f32 {}", name, channels);
  return text + fmt::format(
                    "; variance = weight f32 {} name=\"positive variance\""
                    "; y = BATCH_NORM c scale shift mean variance epsilon=1e-5",
                    channels);
}

const char* const kRotated =
    "x0 = input f32 2 3 5 8; x = RELU x0; high = SLICE x 3 4 8; minus = NEG high; low = SLICE x 3 0 4"
    "; halves = CONCAT minus low 3; sin = weight f32 5 8; b = MUL halves sin";

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {"gelu, halves in front",
       "gelu",
       {Op::Gelu},
       5,
       "x = input f32 3 40; d = DIV x =1.4142135; e = ERF d; e1 = ADD e =1; h = MUL x =0.5; y = MUL h e1"},
      {"gelu of a matmul, halved after it",
       "gelu",
       {Op::Mul, Op::Gelu},
       5,
       "a = input f32 3 40; b = input f32 3 40; x = MUL a b; d = MUL =0.70710678 x; e = ERF d; e1 = ADD =1 e"
       "; p = MUL e1 x; y = MUL p =0.5"},
      {"gelu by tanh, with multiplications",
       "gelu (tanh)",
       {Op::GeluTanh},
       9,
       "x = input f32 3 40; x2 = MUL x x; x3 = MUL x x2; c = MUL =0.044715 x3; i = ADD x c; s = MUL i =0.7978845608"
       "; t = TANH s; t1 = ADD =1 t; h = MUL =0.5 t1; y = MUL x h"},
      {"gelu by tanh, with a power",
       "gelu (tanh)",
       {Op::GeluTanh},
       8,
       "x = input f32 3 40; h = SCALE x 0.5; x3 = POW x =3; c = MUL =0.044715 x3; i = ADD x c"
       "; s = MUL i =0.7978845608; t = TANH s; t1 = SCALE t 1 1; y = MUL h t1"},
      {"silu", "silu", {Op::Silu}, 2, "x = input f32 3 40; s = SIGMOID x; y = MUL s x"},
      {"mish",
       "mish",
       {Op::Mish},
       5,
       "x = input f32 3 40; e = EXP x; e1 = ADD e =1; l = LOG e1; t = TANH l; y = MUL x t"},
      {"softplus", "softplus", {Op::Softplus}, 3, "x = input f32 3 40; e = EXP x; e1 = ADD e =1; y = LOG e1"},
      {"hard swish, divided after it",
       "hard swish",
       {Op::Scale, Op::HardSwish},
       4,
       "x0 = input f32 3 40; x = SCALE x0 4; x3 = ADD x =3; gate = CLAMP x3 0 6; p = MUL x gate; y = DIV p =6"},
      {"hard swish over a hard sigmoid",
       "hard swish",
       {Op::HardSwish},
       2,
       "x = input f32 3 40; s = HARD_SIGMOID x 0.16666667 0.5; y = MUL x s"},
      {"hard sigmoid",
       "hard sigmoid",
       {Op::HardSigmoid},
       3,
       "x = input f32 3 40; x3 = ADD x =3; c = CLAMP x3 0 6; y = DIV c =6"},
      {"layer norm with a power and a quotient",
       "layer norm",
       {Op::Norm},
       9,
       "x = input f32 2 5 24; m = REDUCE_MEAN x 2; d = SUB x m; s = POW d =2; v = REDUCE_MEAN s 2; e = ADD v =1e-5"
       "; r = SQRT e; n = DIV d r; gain = weight f32 24; g = MUL n gain; bias = weight f32 24; y = ADD g bias"},
      {"layer norm with multiplications, alone",
       "layer norm",
       {Op::Norm},
       8,
       "x = input f32 2 5 24; m = REDUCE_MEAN x 2; d = SUB x m; s = MUL d d; v = REDUCE_MEAN s 2; e = ADD v =1e-5"
       "; r = SQRT e; i = RECIPROCAL r; y = MUL d i"},
      // As jax2tf writes it: the mean of squares less the square of the mean.
      {"layer norm over an axis in between",
       "layer norm",
       {Op::Relu, Op::Norm, Op::Add, Op::Cont},
       0,
       "x0 = input f32 2 8 6; x = RELU x0; xx = MUL x x; s = REDUCE_SUM x 1 keep_dims=false; m = MUL s =0.125"
       "; ss = REDUCE_SUM xx 1 keep_dims=false; m2 = MUL ss =0.125; mm = MUL m m; d = SUB m2 mm; v0 = MAX =0 d"
       "; v1 = RESHAPE v0 2 1 6; v = EXPAND v1 2 1 6; e = ADD v =1e-6; r = SQRT e; i = RECIPROCAL r"
       "; m1 = RESHAPE m 2 1 6; mean = EXPAND m1 2 1 6; c = SUB x mean; gain = weight f32 1 8 1; g = MUL i gain"
       "; n = MUL c g; bias = weight f32 1 8 1; y = ADD n bias"},
      {"rms norm",
       "rms norm",
       {Op::RmsNorm},
       7,
       "x = input f32 2 5 24; s = MUL x x; m = REDUCE_MEAN s 2; e = ADD m =1e-5; r = SQRT e; i = RECIPROCAL r"
       "; n = MUL x i; gain = weight f32 24; y = MUL gain n"},
      {"softmax",
       "softmax",
       {Op::SoftMax},
       5,
       "x = input f32 2 5 24; m = REDUCE_MAX x 2; d = SUB x m; e = EXP d; s = REDUCE_SUM e 2; y = DIV e s"},
      {"log softmax",
       "log softmax",
       {Op::LogSoftMax},
       6,
       "x = input f32 2 5 24; m = REDUCE_MAX x 2; d = SUB x m; e = EXP d; s = REDUCE_SUM e 2; l = LOG s; y = SUB d l"},
      {"attention",
       "attention",
       {Op::Attention},
       5,
       "k0 = input f32 2 5 3 4; k = PERMUTE k0 0 2 1 3; q0 = input f32 2 5 3 4; q = PERMUTE q0 0 2 1 3"
       "; v0 = input f32 2 5 3 4; v = PERMUTE v0 0 2 1 3; vt = TRANSPOSE v; mask = input f32 2 1 5 5"
       "; p = MUL_MAT k q; s = DIV p =2; a = ADD s mask; w = SOFT_MAX a 3; y = MUL_MAT vt w"},
      {"attention over a softmax spelled out",
       "attention",
       {Op::Attention},
       8,
       "k0 = input f32 2 5 3 4; k = PERMUTE k0 0 2 1 3; q0 = input f32 2 5 3 4; q1 = PERMUTE q0 0 2 1 3"
       "; q = SCALE q1 0.5; v0 = input f32 2 5 3 4; v = PERMUTE v0 0 2 1 3; vt = TRANSPOSE v; p = MUL_MAT k q"
       "; m = REDUCE_MAX p 3; d = SUB p m; e = EXP d; s = REDUCE_SUM e 3; w = DIV e s; y = MUL_MAT vt w"},
      {"rotary embedding",
       "rotary embedding",
       {Op::Relu, Op::Rope},
       7,
       std::string(kRotated) + "; cos = weight f32 5 8; a = MUL x cos; y = ADD a b"},
      {"a matmul with a one-hot matrix", "gather", {Op::Clamp, Op::Gather}, 4, one_hot("0..")},
      {"sink gather",
       "sink gather",
       {Op::Clamp, Op::Gather},
       0,
       one_hot("0..") + "; bias = weight f32 1 1 6; a = ADD rows bias; y = RELU a"},
      {"scale chain", "scale chain", {Op::Scale}, 3, "x = input f32 3 40; a = ADD x =3; d = DIV a =4; y = SUB d =1.5"},
      {"power", "power", {Op::Mul}, 1, "x = input f32 3 40; y = POW x =2"},
      {"clamp", "clamp", {Op::Clamp}, 2, "x = input f32 3 40; m = MAX x =-1; y = MIN m =0.5"},
      {"fold batch norm",
       "fold batch norm",
       {Op::Conv},
       2,
       "x = input f32 1 5 9 8; w = weight f32 7 5 3 3; b = weight f32 7"
       "; c = CONV x w b pads_begin=[1,1] pads_end=[1,1]" +
           batch_norm(7)},
      {"batch norm in weights of a depthwise convolution",
       "fold batch norm",
       {Op::Conv},
       2,
       "x = input f32 1 6 9 8; w = weight f32 6 1 3 3; c = CONV x w pads_begin=[1,1] pads_end=[1,1] groups=6" +
           batch_norm(6)},
      {"fold scale and bias",
       "fold scale and bias",
       {Op::Conv},
       4,
       "x = input f32 1 5 9 8; w = weight f32 7 5 3 3; c = CONV x w pads_begin=[1,1] pads_end=[1,1]"
       "; factor = weight f32 7 1 1; f = MUL c factor; shift = weight f32 1 7 1 1; a = ADD f shift"
       "; y = SCALE a -0.5 1"},
      {"a bias after a reshape, then a function",
       "fold scale and bias",
       {Op::Conv, Op::Relu, Op::Exp},
       0,
       "x = input f32 1 5 9 1; w = weight f32 7 5 3 1; c = CONV x w; r = RESHAPE c 1 7 7; bias = weight f32 7 1"
       "; a = ADD r bias; e = RELU a; y = EXP e"},
      {"a convolution of large images that are joined",
       "split concat",
       {Op::Conv, Op::Add, Op::Relu},
       0,
       "a = input f32 1 3 1024 700; b = input f32 1 3 1024 700; x = CONCAT a b 1; w = weight f32 1 6 1 2"
       "; bias = weight f32 1; c = CONV x w bias strides=[2,2]; y = RELU c"},
      {"common subexpression",
       "common subexpression",
       {Op::Relu, Op::Mul},
       0,
       "x = input f32 3 40; a = RELU x; b = RELU x; y = MUL a b"},
      {"a split that is joined again",
       "concat of slices",
       {Op::Relu, Op::Exp, Op::Concat},
       0,
       "x0 = input f32 2 7 4 5; x = RELU x0; end = SLICE x 1 3 7; first = SLICE x 1 0 3; e = EXP end"
       "; c = CONCAT first end e 1; y = RELU c"},
      {"transposes that cancel out",
       "transpose chain",
       {Op::Relu, Op::Add, Op::Exp},
       0,
       "x0 = input f32 2 3 4 5; x = RELU x0; p = PERMUTE x 0 2 3 1; c = CONT p; bias = weight f32 3; a = ADD c bias"
       "; q = PERMUTE a 0 3 1 2; d = CONT q; y = EXP d"},
      {"transposes that combine to one",
       "transpose chain",
       {Op::Relu, Op::Cont, Op::Exp},
       0,
       "x0 = input f32 2 3 4 5; x = RELU x0; p = PERMUTE x 0 2 3 1; c = CONT p; r = RESHAPE c 2 1 4 5 3"
       "; q = PERMUTE r 4 1 0 2 3; d = CONT q; y = EXP d"},
      {"a matmul of dequantised bytes",
       "int8 matmul",
       {Op::Conv, Op::Cont, Op::Mul, Op::Add},
       0,
       "x0 = input u8 3 5 24; x1 = CAST x0 f32; x2 = SUB x1 =119; x = MUL x2 =0.02; w0 = weight i8 24 7"
       "; w1 = CAST w0 f32; scale = weight f32 1 7 name=\"positive scale\"; w2 = MUL w1 scale; w = TRANSPOSE w2"
       "; bias = weight f32 7; y = MUL_MAT w x bias"},
      {"a convolution of dequantised bytes",
       "int8 matmul",
       {Op::Pad, Op::Conv, Op::Mul, Op::Add},
       0,
       "x0 = input u8 2 3 9 8; x1 = CAST x0 f32; x2 = SUB x1 =28; x = MUL x2 =0.02; w0 = weight i8 6 3 3 3"
       "; w1 = CAST w0 f32; scale = weight f32 6 1 1 1 name=\"positive scale\"; w = MUL w1 scale"
       "; bias = weight f32 6; y = CONV x w bias strides=[2,2] pads_begin=[1,1] pads_end=[1,1]"},
      {"an expand before a broadcasting op",
       "broadcast",
       {Op::Add},
       2,
       "row = input f32 1 40; rows = EXPAND row 3 40; x = input f32 3 40; y = ADD x rows"},
      {"a function after a reshape",
       "sink reshape",
       {Op::Exp, Op::Relu, Op::Abs},
       0,
       "x0 = input f32 3 40; e = EXP x0; x = RESHAPE e 4 30; r = RELU x; y = ABS r"},
      {"a function after a transpose",
       "sink transpose",
       {Op::Exp, Op::Add, Op::Cont, Op::Abs},
       0,
       "x0 = input f32 2 3 4 5; e = EXP x0; p = PERMUTE e 0 2 3 1; x = CONT p; bias = weight f32 3; a = ADD x bias"
       "; y = ABS a"},
      {"a softmax between transposes",
       "sink transpose",
       {Op::Exp, Op::SoftMax, Op::Cont, Op::Relu},
       0,
       "x0 = input f32 1 4 6 35; e = EXP x0; x = PERMUTE e 0 3 1 2; s = SOFT_MAX x 3; p = PERMUTE s 0 3 2 1; c = CONT p"
       "; y = RELU c"},
      {"identity",
       "identity",
       {Op::Relu},
       0,
       "x0 = input f32 3 40; x = CONT x0; c = CAST x f32; s = SCALE c 1 0; y = RELU s"},
      {"constant folding",
       "constant folding",
       {Op::Add},
       0,
       "c = weight f32 40; d = weight f32 40; p = MUL c d; e = EXP p; k = CONT e; x = input f32 3 40; y = ADD x k"},
  };
  return list;
}

// The largest difference as a part of the largest number.
double error_of(const std::vector<float>& got, const std::vector<float>& exact) {
  REQUIRE(got.size() == exact.size());
  double largest = 0, error = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(exact[i])));
    error = std::max(error, std::abs(static_cast<double>(got[i]) - static_cast<double>(exact[i])));
  }
  return error / largest;
}

bool to_the_bit(const Rewritten& rewritten, const Case& c) {
  const RuleUse* use = rewritten.use(c.rule);
  return use && std::string(use->rule->bound) == "bit-exact";
}

}  // namespace

TEST_CASE("patterns of exporters become one op with a provenance and equal results") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    Net net(from_text(c.text));
    const Rewritten rewritten(net);
    CHECK_MESSAGE(rewritten.use(c.rule) != nullptr, "the rule was not used");
    std::string ops;
    for (const Op o : rewritten.ops) ops += std::string(name(o)) + " ";
    CHECK_MESSAGE(rewritten.ops == c.left, ops);
    const auto exact = run(*reference, net.graph, net.output);
    CHECK(error_of(run(*cpu, rewritten.made.graph, rewritten.output), exact) <= 2e-5);
    if (to_the_bit(rewritten, c)) CHECK(run(*reference, rewritten.made.graph, rewritten.output) == exact);
    if (c.from == 0) continue;
    CHECK(origin_text(*rewritten.output).find(c.rule) == 0);
    CHECK(origin_parts(*rewritten.output).size() == c.from);
  }
}

TEST_CASE("similar but different patterns are unchanged") {
  const std::map<const char*, std::string> nets = {
      {"gelu with another number",
       "x = input f32 3 40; h = MUL x =0.5; s = SCALE x 0.8; e = ERF s; e1 = SCALE e 1 1; y = MUL h e1"},
      {"the norm of one with the mean of another",
       "x = input f32 2 5 24; z = input f32 2 5 24; m = REDUCE_MEAN z 2; d = SUB x m; s = MUL d d"
       "; v = REDUCE_MEAN s 2; e = ADD v =1e-5; r = SQRT e; y = DIV d r"},
      {"a mean along another axis",
       "x = input f32 6 6; m = REDUCE_MEAN x 1 keep_dims=false; d = SUB x m; s = MUL d d; v = REDUCE_MEAN s 1"
       "; e = ADD v =1e-5; r = SQRT e; y = DIV d r"},
      {"the sum of other exponentials",
       "x = input f32 2 24; z = input f32 2 24; e = EXP x; f = EXP z; s = REDUCE_SUM f 1; y = DIV e s"},
      {"tables that are no angles",
       std::string(kRotated) + "; cos = weight f32 5 8 name=\"sin\"; a = MUL x cos; y = ADD a b"},
      {"a one-hot matrix of numbers that do not count up", one_hot("some")},
  };
  for (const auto& [name, text] : nets) {
    CAPTURE(std::string(name));
    Net net(from_text(text));
    const Rewritten rewritten(net);
    for (const char* rule : {"gelu", "layer norm", "softmax", "rotary embedding", "gather"})
      CHECK_MESSAGE(rewritten.use(rule) == nullptr, rule);
    auto reference = reference::make_reference_backend();
    const auto exact = run(*reference, net.graph, net.output);
    const auto got = run(*reference, rewritten.made.graph, rewritten.output);
    CHECK(error_of(got, exact) <= 1e-6);
  }
}

TEST_CASE("values that are rounded or compared later keep their bits") {
  const std::string given = "x = input f32 4 64 name=\"halves of 255\"; ";
  const std::map<const char*, std::string> nets = {
      {"a quotient that is rounded", "d = DIV x =255; t = TRANSPOSE d; c = CONT t; y = ROUND c"},
      {"a quotient that is cut off", "d = DIV x =127.5; i = CAST d i64; y = CAST i f32"},
      {"a product and a sum that are rounded", "p = MUL x =0.1; a = ADD p =0.25; f = FLOOR a; y = ABS f"},
      {"numbers that are the same to the bit", "a = ADD x =0.1; d = DIV a =-128; y = FLOOR d"},
  };
  auto reference = reference::make_reference_backend();
  auto cpu = cpu::make_cpu_backend();
  for (const auto& [name, text] : nets) {
    CAPTURE(std::string(name));
    Net net(from_text(given + text));
    const Rewritten rewritten(net);
    const bool same = std::string(name).starts_with("numbers");
    CHECK(rewritten.ops.contains(Op::Scale) == (same || std::string(name).starts_with("a product")));
    CHECK(rewritten.ops.contains(Op::Div) == !(same || std::string(name).starts_with("a product")));
    const auto exact = run(*reference, net.graph, net.output);
    CHECK(run(*reference, rewritten.made.graph, rewritten.output) == exact);
    CHECK(run(*cpu, rewritten.made.graph, rewritten.output) == exact);
  }
}

TEST_CASE("requested tensors are computed, and outputs stay outputs") {
  Tensor inner;
  Net net([&](GraphBuilder& b) {
    const Tensor x = b.input("x", {3, 40});
    inner = b.op(Op::Sigmoid, {x});
    return b.mul(inner, x);
  });
  RewriteOptions options;
  options.keep = [&](const TensorImpl& node) { return &node == inner.impl(); };
  const Rewritten rewritten(net, options);
  CHECK(rewritten.ops == std::set<Op>{Op::Sigmoid, Op::Silu});
  CHECK(rewritten.output->has(kFlagOutput));
  CHECK(rewritten.made.node_map[net.graph.find_node(*inner).index()]);
}

TEST_CASE("the trace has the provenance of a node") {
  Net net([](GraphBuilder& b) {
    const Tensor x = b.input("x", {3, 40});
    return b.op(Op::Mul, {b.op(Op::Sigmoid, {x}, {}, "gate"), x}, {}, "gated");
  });
  const Rewritten rewritten(net);
  const trace::GraphInfo described = describe_graph(rewritten.made.graph);
  REQUIRE(described.nodes.size() == 1);
  CHECK(described.nodes[0].name == "gated");
  CHECK(described.nodes[0].parameters == "silu, from 2 nodes: SIGMOID gate, MUL gated");
  CHECK(origin_text(*rewritten.output) == "silu, from 2 nodes");
}

TEST_CASE("each rule has a name, a description, an exactness and a test case") {
  std::set<const RewriteRule*> with_case;
  for (const Case& c : cases()) {
    const Net net(from_text(c.text));
    const Rewritten rewritten(net);
    if (const RuleUse* use = rewritten.use(c.rule)) with_case.insert(use->rule);
  }
  for (const RewriteRule& rule : rewrite_rules()) {
    CAPTURE(rule.name);
    CHECK(std::string(rule.does).size() > 4);
    CHECK(std::string(rule.bound).size() > 4);
    const bool has_one = std::any_of(with_case.begin(), with_case.end(), [&](const RewriteRule* one) {
      return std::string(one->does) == rule.does && std::string(one->name) == rule.name;
    });
    CHECK(has_one);
  }
}
