// SPDX-License-Identifier: MIT
// Facts about the experiment of the byte lens that a lesson shows.
#include "engine/lesson/fact_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

// The values of experiments that are measured in bytes.
constexpr std::string_view kByteValues[] = {
    "used",      "bytes",     "size",     "arena",   "range",   "reserved", "dynamic",     "static", "active",
    "requested", "buffer",    "request",  "spare",   "scratch", "live",     "peak",        "bound",  "none",
    "two-level", "max-block", "estimate", "summand", "saved",   "copies",   "binary-block"};

Result<const std::vector<LensFrame>*> lens_of(const Scene& scene) {
  if (!scene.lens || scene.lens->empty()) return Error{"no experiment is shown"};
  return scene.lens.get();
}

Result<Value> frames(const Scene& scene, const Arguments&) {
  auto frames = lens_of(scene);
  if (!frames) return frames.error();
  return number_value(static_cast<double>((*frames)->size() - 1));
}

Result<Value> lens(const Scene& scene, const Arguments& a) {
  auto frames = lens_of(scene);
  if (!frames) return frames.error();
  const auto last = static_cast<int64_t>((*frames)->size()) - 1;
  const auto at = a.size() > 1 ? parse_integer(a[1]) : std::optional<int64_t>(last);
  if (!at || *at < 0 || *at > last) return Error{fmt::format("expected a frame from 0 to {}, found '{}'", last, a[1])};
  const LensFrame& frame = (**frames)[static_cast<size_t>(*at)];
  const auto value = frame.values.find(a[0]);
  if (value == frame.values.end()) return Error{fmt::format("frame {} of the experiment has no value '{}'", *at, a[0])};
  return std::ranges::find(kByteValues, a[0]) != std::end(kByteValues) ? bytes_value(static_cast<Bytes>(value->second))
                                                                       : number_value(value->second);
}

constexpr Fact kLensFacts[] = {
    {{"frames", 0, 0, "operations of the experiment in the panel bytes", "bytes"}, frames},
    {{"lens", 1, 2, "value of the experiment after its last operation, or after another one, counted from one",
      "bytes"},
     lens},
};

}  // namespace

std::span<const Fact> lens_facts() { return kLensFacts; }

}  // namespace arenascope::lesson
