// SPDX-License-Identifier: MIT
// Op cases on the OpenCL device against the reference: a choice of them, as each kernel has to be compiled first; all
// of them with ARENASCOPE_ALL_OP_CASES=1, one of each op with ARENASCOPE_FEW_OP_CASES=1, those whose names contain a
// text with ARENASCOPE_OP_CASES=text.
#include <map>

#include "../unknown_op.h"
#include "fixture.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

bool chosen(const OpCase& c, size_t number, std::map<Op, int>& seen) {
  if (const char* text = std::getenv("ARENASCOPE_OP_CASES")) return c.name.find(text) != std::string::npos;
  if (std::getenv("ARENASCOPE_ALL_OP_CASES")) return in_part(number);
  const bool few = std::getenv("ARENASCOPE_FEW_OP_CASES") != nullptr;
  return seen[c.op]++ == 0 || (!few && number % 24 == 0);
}

void check_cases(Opened& device, int expected, const std::function<double(const OpCase&)>& tolerance) {
  std::map<Op, int> seen;
  CaseTimes times;
  int checked = 0;
  for (size_t i = 0; i < cases().size(); ++i) {
    const OpCase& c = cases()[i];
    if (!chosen(c, i, seen)) continue;
    const auto d = times.of(c.name, [&] { return difference(device, c); });
    REQUIRE_MESSAGE(d.ok(), c.name << ": " << (d.ok() ? "" : d.error().message));
    CHECK_MESSAGE(d->relative() <= tolerance(c), c.name << ": " << d->largest_error << " of " << d->largest_value);
    ++checked;
  }
  MESSAGE(checked << " cases");
  if (!std::getenv("ARENASCOPE_OP_CASES") && !std::getenv("ARENASCOPE_FEW_OP_CASES") &&
      !std::getenv("ARENASCOPE_OP_CASES_PART"))
    CHECK(checked > expected);
}

}  // namespace

TEST_CASE("an unimplemented op is an error with its name") {
  auto device = open_device();
  check_unknown_op_is_refused(*device.backend);
}

TEST_CASE("host-only ops are errors") {
  auto device = open_device();
  for (const OpCase& c : op_cases())
    if (!opencl::has_kernel(c.op)) CHECK_FALSE(device.backend->supports(*build(c).built.output).ok());
}

TEST_CASE("every op agrees with the reference") {
  Opened device = open_device({{"tuning", "none"}});
  check_cases(device, 150, [](const OpCase& c) { return c.tolerance; });
}

TEST_CASE("normal precision: arithmetic may be rearranged, and cases agree to 1e-4") {
  Opened device = open_device({{"precision", "normal"}, {"tuning", "none"}});
  std::map<Op, int> seen;
  for (const OpCase& c : cases()) {
    const bool fast = c.op == Op::MulMat || c.op == Op::Conv || c.op == Op::SoftMax;
    if (!fast || c.name.find("/f32") == std::string::npos || seen[c.op]++ > 0) continue;
    const auto d = difference(device, c);
    REQUIRE_MESSAGE(d.ok(), c.name << ": " << (d.ok() ? "" : d.error().message));
    CHECK_MESSAGE(d->relative() <= std::max(1e-4, c.tolerance),
                  c.name << ": " << d->largest_error << " of " << d->largest_value);
  }
  CHECK(seen.size() == 3);
}
