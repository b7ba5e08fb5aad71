// SPDX-License-Identifier: MIT
#include <arenascope/base/step_number.h>
#include <arenascope/schedule/finding_sentence.h>

#include <algorithm>
#include <array>
#include <utility>

#ifndef QT_TRANSLATE_NOOP  // no Qt here; the macros are for lupdate
#define QT_TRANSLATE_NOOP(context, text) text
#define QT_TRANSLATE_N_NOOP(context, text) text
#endif

namespace arenascope {

const char* const kFindingSeparator = QT_TRANSLATE_NOOP("Findings", ", ");
const char* const kFindingMore = QT_TRANSLATE_N_NOOP("Findings", " and %n more");
const char* const kFindingUnnamedThread = QT_TRANSLATE_NOOP("Findings", "thread %1");

namespace {

using Kind = Finding::Kind;

constexpr auto kFindingKindNames =
    std::to_array<const char*>({"at-peak", "order", "planner", "in-place-all", "in-place", "alignment", "rematerialise",
                                "offload", "concat", "contiguous", "holes", "late-thread", "imbalance", "copy-again",
                                "spaces-at-peak", "fragmentation", "waste", "packed"});
static_assert(kFindingKindNames.size() == static_cast<size_t>(Kind::Packed) + 1);

FindingValue number_value(FindingValue::Kind kind, int64_t number) {
  FindingValue value;
  value.kind = kind;
  value.number = number;
  return value;
}
FindingValue bytes_value(Bytes bytes) { return number_value(FindingValue::Kind::Size, bytes); }
FindingValue time_value(Nanoseconds time) { return number_value(FindingValue::Kind::Time, time); }
FindingValue count_value(int64_t count) { return number_value(FindingValue::Kind::Count, count); }
FindingValue share_value(double share) {
  FindingValue value;
  value.kind = FindingValue::Kind::Share;
  value.share = share;
  return value;
}
FindingValue name_value(FindingValue::Kind kind, const std::string& name) {
  FindingValue value;
  value.kind = kind;
  value.name = name;
  return value;
}

Bytes bytes_of(const FindingsInput& about, trace::TensorRef ref) {
  if (!about.graph || !ref.valid()) return 0;
  const auto& list = ref.is_leaf() ? about.graph->leafs : about.graph->nodes;
  return ref.index() < list.size() ? list[ref.index()].bytes : 0;
}

// The first `most` tensors of `all`.
FindingValue tensors_value(std::vector<trace::TensorRef> tensors, size_t most, size_t all) {
  FindingValue value;
  value.kind = FindingValue::Kind::Names;
  tensors.resize(std::min(tensors.size(), most));
  value.tensors = std::move(tensors);
  value.number = static_cast<int64_t>(all > most ? all - most : 0);
  return value;
}

FindingValue slices_value(const Finding& f, bool waste) {
  constexpr size_t kListed = 3;
  FindingValue value = tensors_value({}, kListed, static_cast<size_t>(f.count));
  for (size_t i = 0; i < std::min(f.slices.size(), kListed); ++i) {
    value.slices.push_back(f.slices[i]);
    value.bytes.push_back(waste ? f.slices[i].bytes - f.slices[i].asked : f.slices[i].bytes);
  }
  return value;
}

FindingSentence at_peak(const Finding& f, const FindingsInput& about) {
  FindingValue names = tensors_value(f.tensors, 3, static_cast<size_t>(f.count));
  for (const trace::TensorRef ref : names.tensors) names.bytes.push_back(bytes_of(about, ref));
  return {QT_TRANSLATE_N_NOOP("Findings", "At the peak, step %1, %2 are live in %n tensor(s): %3."),
          f.count,
          {count_value(step_number(f.step)), bytes_value(f.bytes), std::move(names)}};
}

// Tensors that are unused around the peak are recomputed, or copied to the host.
FindingSentence idle(const Finding& f) {
  const bool offloads = f.kind == Kind::Offload;
  std::vector<FindingValue> values;
  if (f.tensors.size() == 1) values = {tensors_value(f.tensors, 1, 1), count_value(f.count)};
  if (offloads) values.push_back(bytes_value(f.bytes));
  values.push_back(bytes_value(f.saved));
  if (f.tensors.size() == 1)
    return {offloads
                ? QT_TRANSLATE_NOOP("Findings",
                                    "%1 is idle for %2 steps around the peak: offloading it to the host and reloading "
                                    "it, %3 in total, reduces the arena by %4.")
                : QT_TRANSLATE_NOOP("Findings",
                                    "%1 is idle for %2 steps around the peak: rematerialising it afterwards reduces "
                                    "the arena by %3."),
            -1, std::move(values)};
  values.push_back(tensors_value(f.tensors, 3, f.tensors.size()));
  return {offloads ? QT_TRANSLATE_N_NOOP("Findings",
                                         "%n tensor(s) are idle around the peak: offloading them to the host and "
                                         "reloading them, %1 in total, reduces the arena by %2 (%3).")
                   : QT_TRANSLATE_N_NOOP("Findings",
                                         "%n tensor(s) are idle around the peak: rematerialising them afterwards "
                                         "reduces the arena by %1 (%2)."),
          std::ssize(f.tensors), std::move(values)};
}

FindingSentence contiguous(const Finding& f) {
  std::vector<FindingValue> values{tensors_value(f.tensors, 1, 1), bytes_value(f.bytes)};
  if (f.saved <= 0)
    return {QT_TRANSLATE_NOOP("Findings", "%1 copies %2 that are already contiguous."), -1, std::move(values)};
  values.push_back(bytes_value(f.saved));
  return {
      QT_TRANSLATE_NOOP("Findings", "%1 copies %2 that are already contiguous: removing it reduces the arena by %3."),
      -1, std::move(values)};
}

FindingSentence replanned(const Finding& f, const FindingsInput& about) {
  const FindingValue saved = bytes_value(f.saved);
  switch (f.kind) {
    case Kind::Order:
      return {QT_TRANSLATE_NOOP("Findings", "Execution order %1 reduces the arena by %2."),
              -1,
              {name_value(FindingValue::Kind::Order, f.order), saved}};
    case Kind::Planner:
      return {QT_TRANSLATE_NOOP("Findings", "Planner %1 reduces the arena by %2 for the same execution order."),
              -1,
              {name_value(FindingValue::Kind::Planner, f.planner), saved}};
    case Kind::InPlaceAll:
      return {QT_TRANSLATE_N_NOOP("Findings", "Running %n eligible op(s) in place would reduce the arena by %1."),
              f.count,
              {saved}};
    case Kind::InPlace:
      return {QT_TRANSLATE_NOOP("Findings", "%1 is the last user of %2: running it in place reduces the arena by %3."),
              -1,
              {tensors_value(f.tensors, 1, 1),
               tensors_value({f.tensors.size() > 1 ? f.tensors[1] : trace::TensorRef::none()}, 1, 1), saved}};
    case Kind::Alignment:
      return {QT_TRANSLATE_NOOP("Findings", "An alignment of %1 bytes instead of %2 saves %3 of padding."),
              -1,
              {count_value(f.alignment), count_value(about.plan ? about.plan->alignment : 0), saved}};
    case Kind::Concat:
      return {QT_TRANSLATE_NOOP("Findings",
                                "The inputs of %1 could be computed directly into its result: this avoids copying %2 "
                                "and reduces the arena by %3."),
              -1,
              {tensors_value(f.tensors, 2, f.tensors.size()), bytes_value(f.bytes), saved}};
    default:
      return {QT_TRANSLATE_NOOP("Findings",
                                "A plan of the same lifetimes needs %1 (planner %2), %3 less than was reserved."),
              -1,
              {bytes_value(f.bytes), name_value(FindingValue::Kind::Planner, f.planner), saved}};
  }
}

FindingSentence of_run(const Finding& f) {
  const FindingValue first = tensors_value(f.tensors, 1, 1);
  if (f.kind == Kind::Imbalance)
    return {QT_TRANSLATE_N_NOOP("Findings",
                                "At the barrier after %1, threads idle %2 of their time, %3 per run in total; the node "
                                "is split into %n chunk(s)."),
            f.count,
            {first, share_value(f.share), time_value(f.time)}};
  if (f.kind == Kind::CopyAgain)
    return {QT_TRANSLATE_N_NOOP("Findings",
                                "%1 is copied between devices %n time(s) per run; copying it once would save %2."),
            f.count,
            {first, bytes_value(f.bytes)}};
  FindingValue thread;
  thread.kind = FindingValue::Kind::Track;
  thread.track = f.track;
  return {QT_TRANSLATE_NOOP("Findings",
                            "%1 is the last arriver at %2 of the barriers; the other threads wait %3 per run for it."),
          -1,
          {std::move(thread), share_value(f.share), time_value(f.time)}};
}

FindingSentence of_spaces(const Finding& f, const FindingsInput& about) {
  if (f.kind == Kind::SpacesAtPeak)
    return {QT_TRANSLATE_N_NOOP("Findings", "At the peak, after %1, %2 are allocated in %n block(s): %3."),
            f.count,
            {time_value(f.at - about.snapshot->time.begin), bytes_value(f.bytes), slices_value(f, false)}};
  if (f.kind == Kind::Fragmentation)
    return {QT_TRANSLATE_NOOP("Findings", "Up to %1 was reserved but unused at once, %2 of the peak reservation."),
            -1,
            {bytes_value(f.bytes), share_value(f.share)}};
  return {QT_TRANSLATE_N_NOOP("Findings",
                              "At the peak, %1 of the allocated memory (%2) is rounding overhead in %n block(s): %3."),
          f.count,
          {bytes_value(f.bytes), share_value(f.share), slices_value(f, true)}};
}

}  // namespace

const char* name(Finding::Kind kind) { return kFindingKindNames[static_cast<size_t>(kind)]; }

FindingSentence finding_sentence(const Finding& f, const FindingsInput& about) {
  switch (f.kind) {
    case Kind::AtPeak: return at_peak(f, about);
    case Kind::Holes:
      return {QT_TRANSLATE_N_NOOP("Findings", "At the peak, %1 of the arena (%2) is in %n hole(s); above them: %3."),
              f.count,
              {bytes_value(f.bytes), share_value(f.share), tensors_value(f.tensors, 3, f.tensors.size())}};
    case Kind::Rematerialise:
    case Kind::Offload: return idle(f);
    case Kind::Contiguous: return contiguous(f);
    case Kind::LateThread:
    case Kind::Imbalance:
    case Kind::CopyAgain: return of_run(f);
    case Kind::SpacesAtPeak:
    case Kind::Fragmentation:
    case Kind::Waste: return of_spaces(f, about);
    default: return replanned(f, about);
  }
}

}  // namespace arenascope
