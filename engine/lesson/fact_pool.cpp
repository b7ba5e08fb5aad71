// SPDX-License-Identifier: MIT
// Facts about a device: the size of a tensor in its pool, rounded as in MNN's onAcquire (channels in groups of four or
// eight, rows and columns padded for kernels that read beyond the edge), and the tuning decisions for its kernels.
#include "engine/lesson/fact_table.h"

#include <fmt/format.h>

#include "engine/lesson/device_size.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

struct Image {
  int64_t n = 1, h = 1, w = 1, c = 1;
  DeviceSize size() const { return device_size(n, h, w, c); }
};

Result<Image> image_of(const Arguments& a) {
  int64_t sizes[4] = {};
  for (size_t i = 0; i < 4; ++i) {
    const auto size = parse_integer(a[i]);
    if (!size || *size < 1 || *size > (1 << 15))
      return Error{fmt::format("invalid size '{}': expected 1 to 32768", a[i])};
    sizes[i] = *size;
  }
  return Image{sizes[0], sizes[1], sizes[2], sizes[3]};
}

Result<Value> buffer_bytes(const Scene&, const Arguments& a) {
  auto x = image_of(a);
  if (!x) return x.error();
  return bytes_value(x->size().elements * 4);
}

Result<Value> plain_bytes(const Scene&, const Arguments& a) {
  auto x = image_of(a);
  if (!x) return x.error();
  return bytes_value(x->n * x->h * x->w * x->c * 4);
}

Result<Value> image_width(const Scene&, const Arguments& a) {
  auto x = image_of(a);
  if (!x) return x.error();
  return number_value(static_cast<double>(x->size().width));
}

Result<Value> image_height(const Scene&, const Arguments& a) {
  auto x = image_of(a);
  if (!x) return x.error();
  return number_value(static_cast<double>(x->size().height));
}

// The kernel with the largest number of measured candidates.
const trace::TuningInfo* longest_search(const Scene& s) {
  const trace::TuningInfo* most = nullptr;
  for (size_t i = 0; s.snapshot && i < s.snapshot->tunings.size(); ++i)
    if (most == nullptr || s.snapshot->tunings[i].tried > most->tried) most = &s.snapshot->tunings[i];
  return most;
}

Result<Value> tuned_kernels(const Scene& s, const Arguments&) {
  return number_value(s.snapshot ? static_cast<double>(s.snapshot->tunings.size()) : 0);
}

Result<Value> tried(const Scene& s, const Arguments&) {
  const trace::TuningInfo* most = longest_search(s);
  if (most == nullptr) return Error{"no kernels were tuned"};
  return number_value(most->tried);
}

Result<Value> tuned_by(const Scene& s, const Arguments&) {
  const trace::TuningInfo* most = longest_search(s);
  if (most == nullptr) return Error{"no kernels were tuned"};
  return text_value(most->tried == 0 ? "a rule" : most->remembered ? "an earlier run" : "this run");
}

constexpr Fact kPoolFacts[] = {
    {{"tensor_bytes", 4, 4, "bytes of an f32 tensor of N,H,W,C elements"}, plain_bytes},
    {{"buffer_bytes", 4, 4, "bytes of the buffer that MNN's onAcquire allocates for it"}, buffer_bytes},
    {{"image_width", 4, 4, "width of its image in texels of four channels"}, image_width},
    {{"image_height", 4, 4, "height of its image in rows"}, image_height},
    {{"tuned_kernels", 0, 0, "number of device kernels with a tuning decision", "tuning"}, tuned_kernels},
    {{"tried", 0, 0, "largest number of candidates measured for one kernel", "tuning"}, tried},
    {{"tuned_by", 0, 0, "origin of the choice: this run, an earlier run, or a rule", "tuning"}, tuned_by},
};

}  // namespace

std::span<const Fact> pool_facts() { return kPoolFacts; }

}  // namespace arenascope::lesson
