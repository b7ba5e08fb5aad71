// SPDX-License-Identifier: MIT
// Which element of a tensor is at which byte: a tensor or a view of it, in the order of its indices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr int64_t kMaxElements = 256;

struct Strided {
  std::vector<int64_t> sizes, strides;  // in elements
  int64_t offset = 0, element = 4;      // the first element; bytes of an element
  int64_t storage = 0;                  // elements
};

std::string index_text(const std::vector<int64_t>& index) { return fmt::format("[{}]", fmt::join(index, ", ")); }

// The next index in row-major order; false after the last one.
bool advance(std::vector<int64_t>& index, const std::vector<int64_t>& sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

LensStrip storage_strip(const Strided& t, const std::vector<char>& visited, int64_t before, int64_t now) {
  LensStrip strip{"storage", LensUnit::Bytes, t.storage * t.element, {}};
  for (int64_t i = 0; i < t.storage; ++i) {
    LensCell cell{i * t.element, t.element, CellKind::Unvisited, std::to_string(i), i == now, -1};
    if (visited[static_cast<size_t>(i)]) cell.kind = CellKind::Data;
    if (i == before && before != now) cell.next = static_cast<int32_t>(now);
    strip.cells.push_back(std::move(cell));
  }
  return strip;
}

LensFrames element_frames(const Strided& t) {
  std::vector<LensFrame> frames;
  std::vector<char> visited(static_cast<size_t>(t.storage), 0);
  frames.push_back({LensEvent::Start, {}, {storage_strip(t, visited, -1, -1)}, {}});
  std::vector<int64_t> index(t.sizes.size(), 0);
  int64_t before = -1;
  do {
    int64_t at = t.offset;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * t.strides[d];
    if (at < 0 || at >= t.storage)
      return Error{fmt::format("element {} is at byte {}, outside the storage of {} bytes", index_text(index),
                               at * t.element, t.storage * t.element)};
    visited[static_cast<size_t>(at)] = 1;
    LensFrame frame{LensEvent::Element, {index_text(index), std::to_string(at * t.element)}, {}, {}};
    frame.strips.push_back(storage_strip(t, visited, before, at));
    frame.values = {{"offset", static_cast<double>(t.offset * t.element)},
                    {"byte", static_cast<double>(at * t.element)},
                    {"distance", static_cast<double>(before < 0 ? 0 : (at - before) * t.element)}};
    frames.push_back(std::move(frame));
    before = at;
  } while (advance(index, t.sizes));
  return frames;
}

Status check_size(std::span<const int64_t> sizes) {
  auto elements = checked_element_count(Dims(sizes));
  if (elements && *elements >= 1 && *elements <= kMaxElements) return {};
  return Error{fmt::format("expected 1 to {} elements, found {}", kMaxElements,
                           elements ? std::to_string(*elements) : elements.error().message)};
}

// A tensor `a`, or the view of it that an op makes.
LensFrames tensor(LensRun& run) {
  auto sizes = lens_integers(run, lens_value(run, "shape"), "shape", kMaxDims, 1, kMaxElements);
  if (!sizes) return sizes.error();
  if (auto good = check_size(*sizes); !good) return good.error();
  const std::string& type_name = lens_value(run, "type");
  const auto dtype = parse_dtype(type_name);
  if (!dtype || info(*dtype).quantised) return lens_expected(run, "type", "f32, f16, i64, …", type_name);
  const std::string& text = lens_value(run, "view");
  std::vector<std::string> view = split(text, " ");
  if (!view.empty()) view.insert(view.begin() + 1, "a");
  const Error bad_view{fmt::format("view: expected an op with the tensor as its input, found '{}'", text)};
  if (text.find(';') != text.npos) return bad_view;
  auto model = lens_model(fmt::format("a = input {} {}; v = {}", type_name, fmt::join(*sizes, " "),
                                      view.empty() ? "CONT a" : join(view, " ")));
  if (!model) return model.error();
  if (model->graph.nodes().empty() || model->graph.nodes().back()->sources.size() == 0) return bad_view;
  const TensorImpl* node = model->graph.nodes().back();
  const TensorImpl& source = *node->sources[0];
  if (view.empty()) node = &source;
  if (auto good = check_size(node->sizes.span()); !good) return good.error();
  const DTypeInfo& type = info(node->dtype);
  const bool shares = node->is_view() || view.empty();
  const auto list = [](std::span<const int64_t> dims) { return std::vector<int64_t>(dims.begin(), dims.end()); };
  Strided t{list(node->sizes.span()), list(node->strides.span()), shares ? node->view_offset / type.block_bytes : 0,
            type.block_bytes, shares ? source.element_count() : node->element_count()};
  return element_frames(t);
}

// Sizes and strides as given, including those that no op creates.
LensFrames strides(LensRun& run) {
  auto sizes = lens_integers(run, lens_value(run, "shape"), "shape", kMaxDims, 1, kMaxElements);
  if (!sizes) return sizes.error();
  auto strides = lens_integers(run, lens_value(run, "strides"), "strides", sizes->size(), -kMaxElements, kMaxElements);
  if (!strides) return strides.error();
  if (strides->size() != sizes->size())
    return lens_count(run, "strides", sizes->size(), sizes->size(), strides->size());
  auto offset = lens_integer(run, "offset", 0, kMaxElements);
  auto storage = lens_integer(run, "storage", 1, kMaxElements);
  auto element = lens_integer(run, "element", 1, 8);
  for (const auto* number : {&offset, &storage, &element})
    if (!*number) return number->error();
  if (auto good = check_size(*sizes); !good) return good.error();
  return element_frames({*sizes, *strides, *offset, *element, *storage});
}

constexpr LensParameter kTensor[] = {{"shape", "4 2"}, {"type", "f32"}, {"view", "PERMUTE 1 0"}};
constexpr LensParameter kStrides[] = {
    {"shape", "4 2"}, {"strides", "2 1"}, {"offset", "0"}, {"storage", "8"}, {"element", "4"}};

constexpr LensExperiment kTensorLenses[] = {
    {"tensor", "the bytes of a tensor, or of the view that an op makes, in the order of its indices", kTensor, tensor},
    {"strides", "the bytes of any sizes, strides and offset, in elements of a storage", kStrides, strides},
};

}  // namespace

std::span<const LensExperiment> tensor_lenses() { return kTensorLenses; }

}  // namespace arenascope::lesson
