// SPDX-License-Identifier: MIT
#include "engine/audit/ask.h"

#include <algorithm>
#include <charconv>

namespace arenascope::audit {

std::optional<int64_t> Words::number() {
  const std::string_view word = next();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<trace::TensorRef> read_tensor(Words& words) {
  const std::string_view what = words.next();
  const auto index = words.number();
  if (!index || *index < 0 || *index >= INT32_MAX) return std::nullopt;
  const auto i = static_cast<int32_t>(*index);
  if (what == "node") return trace::TensorRef::node(NodeId(i));
  if (what == "leaf") return trace::TensorRef::leaf(LeafId(i));
  return std::nullopt;
}

const trace::TensorInfo* tensor_of(const Raw& raw, int32_t graph, trace::TensorRef ref) {
  const auto it = raw.graphs.find(graph);
  if (it == raw.graphs.end() || !ref.valid()) return nullptr;
  const auto& list = ref.is_leaf() ? it->second.leafs : it->second.nodes;
  return ref.index() < list.size() ? &list[ref.index()] : nullptr;
}

namespace {

// "tensor.G.node.N."
Answered ask_tensor(const Book& book, Words words) {
  const auto graph = words.number();
  const auto ref = read_tensor(words);
  if (!graph || !ref) return std::nullopt;
  const trace::TensorInfo* tensor = tensor_of(book.raw, static_cast<int32_t>(*graph), *ref);
  if (tensor == nullptr) return std::nullopt;
  const std::string_view what = words.next();
  if (what == "bytes") return in_bytes(tensor->bytes);
  if (what == "flops") return in_count(tensor->flops);
  if (what == "tasks") return in_count(tensor->tasks);
  if (what == "work_bytes") return in_bytes(tensor->work_bytes);
  if (what == "view_offset") return in_bytes(tensor->view_offset);
  if (what == "parts") return in_count(static_cast<int64_t>(tensor->parts.size()));
  if (what == "elements") {
    int64_t elements = 1;
    for (const int64_t size : tensor->shape) elements *= size;
    return in_count(elements);
  }
  if (what == "uses") {
    int64_t uses = 0;
    for (const trace::TensorInfo& node : book.raw.graphs.at(static_cast<int32_t>(*graph)).nodes)
      uses += std::count(node.sources.begin(), node.sources.end(), *ref);
    return in_count(uses);
  }
  if (what == "stride") {
    const auto at = words.number();
    if (at && *at >= 0 && static_cast<size_t>(*at) < tensor->strides.size())
      return in_bytes(tensor->strides[static_cast<size_t>(*at)]);
  }
  if (what == "dim") {
    const auto at = words.number();
    if (at && *at >= 0 && static_cast<size_t>(*at) < tensor->shape.size())
      return in_count(tensor->shape[static_cast<size_t>(*at)]);
  }
  return std::nullopt;
}

// "run.R.stay.node.N.T.": in an arena, since T.
Answered ask_stay(const Book& book, int32_t run, Words words) {
  const auto ref = read_tensor(words);
  const auto begin = words.number();
  if (!ref || !begin) return std::nullopt;
  const std::string_view what = words.next();
  for (const Stay& s : book.stays) {
    if (s.run != run || s.tensor != *ref || s.begin != book.raw.begin + *begin) continue;
    if (what == "bytes") return in_bytes(s.bytes);
    if (what == "offset") return in_bytes(s.offset);
    if (what == "end") return in_bytes(s.offset + s.bytes);
    if (what == "lived") return in_time(s.end - s.begin);
  }
  return std::nullopt;
}

// "run.R.steps.A.B.lasts", without pauses.
Answered ask_steps(const Book& book, int32_t run, Words words) {
  const auto first = words.number(), last = words.number();
  if (!first || !last || words.next() != "lasts") return std::nullopt;
  const auto steps = steps_of(book.raw, run);
  const auto a = steps.find(static_cast<int32_t>(*first)), b = steps.find(static_cast<int32_t>(*last));
  if (a == steps.end() || b == steps.end()) return std::nullopt;
  Nanoseconds time = b->second - a->second;
  for (const Interval& pause : book.raw.runs.at(run).pauses)
    time -= std::max<Nanoseconds>(0, std::min(pause.end, b->second) - std::max(pause.begin, a->second));
  return in_time(time);
}

Answered ask_run(const Book& book, Words words) {
  const auto run = words.number();
  if (!run || !book.raw.runs.contains(static_cast<int32_t>(*run))) return std::nullopt;
  const auto id = static_cast<int32_t>(*run);
  const std::string_view what = words.next();
  if (what == "stay") return ask_stay(book, id, words);
  if (what == "steps") return ask_steps(book, id, words);
  if (what == "node") return ask_node(book, id, words);
  const auto at = words.number();
  if (!at) return std::nullopt;
  if (what == "at") return ask_moment(book, id, book.raw.begin + *at, words);
  if (what == "step") return ask_step(book, id, static_cast<int32_t>(*at), words);
  return std::nullopt;
}

Answered ask(const Book& book, std::string_view id) {
  Words words(id);
  const std::string_view what = words.next();
  if (what == "tensor") return ask_tensor(book, words);
  if (what == "run") return ask_run(book, words);
  if (what == "plan") return ask_plan(book, words);
  if (what == "graph") return ask_graph(book, words);
  if (what == "block") return ask_block(book, words);
  if (what == "space") return ask_space(book, words);
  if (what == "span") return ask_span(book, words);
  if (what == "spans") return ask_spans(book, words);
  if (what == "time") return ask_time(book, words);
  if (what != "recording" || words.next() != "at") return std::nullopt;
  const auto at = words.number();
  return at ? ask_moment(book, -1, book.raw.begin + *at, words) : std::nullopt;
}

}  // namespace

std::optional<Figure> Auditor::ask(std::string_view id) const {
  if (const auto known = book_->listed.find(std::string(id)); known != book_->listed.end())
    return book_->report.figures[known->second];
  const Answered answer = audit::ask(*book_, id);
  if (!answer) return std::nullopt;
  return Figure{std::string(id), answer->value, answer->unit};
}

const Report& Auditor::report() const { return book_->report; }

}  // namespace arenascope::audit
