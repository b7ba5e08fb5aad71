// SPDX-License-Identifier: MIT
// Op cases in the other modes: float16 storage, images, both. Tolerances are of the largest result: 2e-3 in low
// precision (float16 has 11 bits; a result is rounded once, what is computed before once each), the case's own in high.
#include <map>

#include "modes.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

constexpr double kLowTolerance = 2e-3;

// A choice of cases, or all or some of them by the environment as op_cases_test.cpp has it. `per_op`: of each op.
template <class Check>
int each_case(int per_op, const Check& check) {
  std::map<Op, int> seen;
  int checked = 0;
  if (std::getenv("ARENASCOPE_FEW_OP_CASES")) per_op = 1;
  CaseTimes times;
  for (size_t i = 0; i < cases().size(); ++i) {
    const OpCase& c = cases()[i];
    const char* text = std::getenv("ARENASCOPE_OP_CASES");
    if (text                                     ? c.name.find(text) == std::string::npos
        : std::getenv("ARENASCOPE_ALL_OP_CASES") ? !in_part(i)
                                                 : seen[c.op] >= per_op)
      continue;
    if (!times.of(c.name, [&] { return check(c); })) continue;
    ++seen[c.op];
    ++checked;
  }
  MESSAGE(checked << " cases");
  return checked;
}

bool all_requested() {
  return !std::getenv("ARENASCOPE_OP_CASES") && !std::getenv("ARENASCOPE_FEW_OP_CASES") &&
         !std::getenv("ARENASCOPE_OP_CASES_PART");
}

void check_result(const OpCase& c, const Result<ModeResult>& r, double tolerance) {
  REQUIRE_MESSAGE(r.ok(), c.name << ": " << (r.ok() ? "" : r.error().message));
  CHECK_MESSAGE(r->difference.relative() <= tolerance,
                c.name << ": " << r->difference.largest_error << " of " << r->difference.largest_value);
}

bool is_float32(const OpCase& c) { return c.name.find("/f32") != std::string::npos; }

}  // namespace

TEST_CASE("low precision: float32 cases stored as float16 agree to 2e-3") {
  Opened device = open_device({{"precision", "low"}, {"tuning", "none"}});
  const int checked = each_case(1, [&](const OpCase& c) {
    if (!is_float32(c)) return false;
    check_result(c, run_in_mode(device, c, {.low = true}), std::max(kLowTolerance, c.tolerance));
    return true;
  });
  if (all_requested()) CHECK(checked > 50);
}

TEST_CASE("images: every case with an image kernel agrees, in f32 and in f16") {
  for (const bool low : {false, true}) {
    Opened device = open_device({{"memory", "image"}, {"precision", low ? "low" : "high"}, {"tuning", "none"}});
    int64_t packed = 0, conversions = 0;
    const int checked = each_case(low ? 1 : 2, [&](const OpCase& c) {
      if (low && !is_float32(c)) return false;
      {
        Built built = build(c);
        for (size_t i = 1; i < built.built.inputs.size(); ++i) built.built.inputs[i].tensor->flags |= kFlagWeight;
        if (device.backend->packing(*built.built.output, -1) == PartitionSide::Main) return false;
      }
      const auto r = run_in_mode(device, c, {low, true});
      const bool half = low || c.name.find("/f16") != std::string::npos;
      check_result(c, r, half ? std::max(kLowTolerance, c.tolerance) : std::max(1e-5, c.tolerance));
      CHECK(r->packed > 0);
      packed += r->packed;
      conversions += r->conversions;
      return true;
    });
    MESSAGE(packed << " nodes on images, " << conversions << " conversions");
    if (all_requested()) CHECK(checked >= 20);
  }
}

TEST_CASE("ops without an image kernel get a visible copy") {
  Opened device = open_device({{"memory", "image"}, {"tuning", "none"}});
  int plain = 0;
  for (const OpCase& c : cases()) {
    if (c.op != Op::SoftMax && c.op != Op::ReduceMean) continue;
    Built built = build(c);
    plain += device.backend->packing(*built.built.output, -1) == PartitionSide::Main;
  }
  CHECK(plain > 0);
}

TEST_CASE("by default tensors are images on Qualcomm devices and buffers elsewhere") {
  Opened chosen = open_device({{"memory", "auto"}, {"tuning", "none"}}), images = open_device({{"memory", "image"}});
  int as_images = 0;
  for (const OpCase& c : cases()) {
    if (c.op != Op::Conv && c.op != Op::MaxPool && c.op != Op::Relu) continue;
    Built built = build(c);
    as_images += images.backend->packing(*built.built.output, -1) != PartitionSide::Main;
    CHECK(chosen.backend->packing(*built.built.output, -1) == PartitionSide::Main);  // there is no Qualcomm device here
  }
  CHECK(as_images > 0);
}

TEST_CASE("images on a device without them are an error, and buffers work") {
  auto faults = std::make_shared<opencl::Faults>();
  faults->no_images = true;
  auto backend = opencl::open_opencl({{"cache", "none"}, {"memory", "image"}}, faults);
  REQUIRE(!backend);
  CHECK(says(backend.error(), "does not support images"));
  Opened device = open_device({{"memory", "auto"}}, faults);
  CHECK(run_in_mode(device, cases().front(), {}).ok());
}
