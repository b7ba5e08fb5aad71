// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/bytes/lens_text.h>

#include <views/common/format.h>

#include <string_view>

namespace arenascope::views {
namespace {

struct LensName {
  const char* name;
  const char* shown;
};

constexpr LensName kExperiments[] = {
    {"tensor", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Tensor and view")},
    {"strides", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Sizes and strides")},
    {"block", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Quantised block")},
    {"pool", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Object pool")},
    {"walk", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Collecting a graph")},
    {"uses", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Use counts")},
    {"alignment", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Alignment")},
    {"bump", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Bump and reset")},
    {"buckets", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Buckets of an allocator")},
    {"storage", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Storages and references")},
    {"streams", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Deferred frees")},
    {"tasks", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Tasks of a node")},
    {"barrier", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Barrier")},
    {"size", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Size of a pool")},
    {"scratch", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Scratch buffer")},
    {"fields", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Fields of a description")},
    {"acquire", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Padded device buffer")},
    {"image", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Device image")},
    {"pad", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Rounding up with a mask")},
    {"numel", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Checked number of elements")},
    {"owners", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Owners in MNN's runtime")},
    {"freelist", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Free lists of a buffer pool")},
    {"imagepool", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Image pool")},
    {"resize", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Resizing a network")},
    {"ranges", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Block sizes and resize")},
    {"order", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Order and lifetimes")},
    {"networks", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Planners on networks")},
    {"moves", QT_TRANSLATE_NOOP("arenascope::views::LensText", "Moved nodes of a large model")},
};

constexpr LensName kParameters[] = {
    {"shape", QT_TRANSLATE_NOOP("arenascope::views::LensText", "shape")},
    {"type", QT_TRANSLATE_NOOP("arenascope::views::LensText", "type")},
    {"view", QT_TRANSLATE_NOOP("arenascope::views::LensText", "view")},
    {"strides", QT_TRANSLATE_NOOP("arenascope::views::LensText", "strides")},
    {"offset", QT_TRANSLATE_NOOP("arenascope::views::LensText", "offset")},
    {"storage", QT_TRANSLATE_NOOP("arenascope::views::LensText", "storage")},
    {"element", QT_TRANSLATE_NOOP("arenascope::views::LensText", "bytes per element")},
    {"values", QT_TRANSLATE_NOOP("arenascope::views::LensText", "values")},
    {"pool", QT_TRANSLATE_NOOP("arenascope::views::LensText", "pool")},
    {"tensors", QT_TRANSLATE_NOOP("arenascope::views::LensText", "tensors")},
    {"no alloc", QT_TRANSLATE_NOOP("arenascope::views::LensText", "no alloc")},
    {"work buffer", QT_TRANSLATE_NOOP("arenascope::views::LensText", "work buffer")},
    {"graph", QT_TRANSLATE_NOOP("arenascope::views::LensText", "graph")},
    {"sizes", QT_TRANSLATE_NOOP("arenascope::views::LensText", "sizes")},
    {"alignment", QT_TRANSLATE_NOOP("arenascope::views::LensText", "alignment")},
    {"capacity", QT_TRANSLATE_NOOP("arenascope::views::LensText", "capacity")},
    {"requests", QT_TRANSLATE_NOOP("arenascope::views::LensText", "requests")},
    {"operations", QT_TRANSLATE_NOOP("arenascope::views::LensText", "operations")},
    {"rows", QT_TRANSLATE_NOOP("arenascope::views::LensText", "rows")},
    {"threads", QT_TRANSLATE_NOOP("arenascope::views::LensText", "threads")},
    {"unit", QT_TRANSLATE_NOOP("arenascope::views::LensText", "unit")},
    {"work bytes", QT_TRANSLATE_NOOP("arenascope::views::LensText", "work bytes")},
    {"order of arrival", QT_TRANSLATE_NOOP("arenascope::views::LensText", "order of arrival")},
    {"spare", QT_TRANSLATE_NOOP("arenascope::views::LensText", "reserve")},
    {"scratch", QT_TRANSLATE_NOOP("arenascope::views::LensText", "scratch buffer")},
    {"flags", QT_TRANSLATE_NOOP("arenascope::views::LensText", "flags")},
    {"x", QT_TRANSLATE_NOOP("arenascope::views::LensText", "x")},
    {"n", QT_TRANSLATE_NOOP("arenascope::views::LensText", "n")},
    {"planner", QT_TRANSLATE_NOOP("arenascope::views::LensText", "planner")},
    {"order", QT_TRANSLATE_NOOP("arenascope::views::LensText", "order")},
    {"networks", QT_TRANSLATE_NOOP("arenascope::views::LensText", "networks")},
    {"network", QT_TRANSLATE_NOOP("arenascope::views::LensText", "network")},
    {"tokens", QT_TRANSLATE_NOOP("arenascope::views::LensText", "tokens")},
    {"devices", QT_TRANSLATE_NOOP("arenascope::views::LensText", "devices")},
    {"training", QT_TRANSLATE_NOOP("arenascope::views::LensText", "training")},
};

constexpr LensName kStrips[] = {
    {"storage", QT_TRANSLATE_NOOP("arenascope::views::LensText", "storage")},
    {"block", QT_TRANSLATE_NOOP("arenascope::views::LensText", "block")},
    {"bits", QT_TRANSLATE_NOOP("arenascope::views::LensText", "bits of the field")},
    {"pool", QT_TRANSLATE_NOOP("arenascope::views::LensText", "pool")},
    {"nodes", QT_TRANSLATE_NOOP("arenascope::views::LensText", "nodes")},
    {"leaf tensors", QT_TRANSLATE_NOOP("arenascope::views::LensText", "leaf tensors")},
    {"hash set", QT_TRANSLATE_NOOP("arenascope::views::LensText", "hash set")},
    {"use counts", QT_TRANSLATE_NOOP("arenascope::views::LensText", "use counts")},
    {"arena", QT_TRANSLATE_NOOP("arenascope::views::LensText", "arena")},
    {"references of each block", QT_TRANSLATE_NOOP("arenascope::views::LensText", "references of each block")},
    {"segment", QT_TRANSLATE_NOOP("arenascope::views::LensText", "segment")},
    {"compute", QT_TRANSLATE_NOOP("arenascope::views::LensText", "queue: compute")},
    {"copies", QT_TRANSLATE_NOOP("arenascope::views::LensText", "queue: copies")},
    {"rows", QT_TRANSLATE_NOOP("arenascope::views::LensText", "rows")},
    {"work buffer", QT_TRANSLATE_NOOP("arenascope::views::LensText", "work buffer")},
    {"generation of each thread", QT_TRANSLATE_NOOP("arenascope::views::LensText", "generation of each thread")},
    {"scratch", QT_TRANSLATE_NOOP("arenascope::views::LensText", "scratch buffer")},
    {"estimate", QT_TRANSLATE_NOOP("arenascope::views::LensText", "estimated size")},
    {"description", QT_TRANSLATE_NOOP("arenascope::views::LensText", "description of the tensor")},
    {"flag bits", QT_TRANSLATE_NOOP("arenascope::views::LensText", "bits of flags")},
    {"buffer", QT_TRANSLATE_NOOP("arenascope::views::LensText", "buffer")},
    {"elements", QT_TRANSLATE_NOOP("arenascope::views::LensText", "number of elements, 64 bits")},
    {"shape", QT_TRANSLATE_NOOP("arenascope::views::LensText", "shape")},
    {"free list", QT_TRANSLATE_NOOP("arenascope::views::LensText", "free list of the dynamic pool, by size")},
    {"dynamic buffers", QT_TRANSLATE_NOOP("arenascope::views::LensText", "buffers of the dynamic pool")},
    {"static free list", QT_TRANSLATE_NOOP("arenascope::views::LensText", "free list of the static pool, by size")},
    {"static buffers", QT_TRANSLATE_NOOP("arenascope::views::LensText", "buffers of the static pool")},
    {"order", QT_TRANSLATE_NOOP("arenascope::views::LensText", "execution order")},
    {"live bytes", QT_TRANSLATE_NOOP("arenascope::views::LensText", "live bytes at this step")},
};

template <size_t N>
QString shown_name(const LensName (&names)[N], std::string_view name) {
  for (const LensName& known : names)
    if (name == known.name) return LensText::tr(known.shown);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

// Operations of planners and on whole networks.
QString plan_pattern(lesson::LensEvent event) {
  using Event = lesson::LensEvent;
  switch (event) {
    case Event::Range: return LensText::tr("Block sizes: %1.");
    case Event::Opened: return LensText::tr("%1: no block is free, so block %2 is opened with %3 bytes.");
    case Event::Joined: return LensText::tr("%1 reuses block %2 of %3 bytes, which is free again.");
    case Event::Shrunk: return LensText::tr("Block %1 shrinks from %2 to %3 bytes, the size of %4.");
    case Event::Stacked: return LensText::tr("The blocks are placed at multiples of %2: the arena has %1 bytes.");
    case Event::StepDone: return LensText::tr("Step %1 computes %2. %3 bytes are alive.");
    case Event::Network: return LensText::tr("%1: the lower bound is %2 bytes; two-level needs %3, %4 times as much.");
    case Event::OrderPeak: return LensText::tr("Order %1: %2 bytes are alive at the peak.");
    default: return {};
  }
}

// Operations on the object pool and the description of a tensor.
QString object_pattern(lesson::LensEvent event) {
  using Event = lesson::LensEvent;
  switch (event) {
    case Event::ScratchSet: return LensText::tr("A scratch buffer of %1 bytes is set: data of tensors goes there.");
    case Event::ScratchSaved: return LensText::tr("The scratch buffer is put aside: data goes into the pool.");
    case Event::ScratchLoaded: return LensText::tr("The scratch buffer is set again, and continues where it was.");
    case Event::ScratchUnset: return LensText::tr("No scratch buffer is set any longer: data goes into the pool.");
    case Event::InScratch:
      return LensText::tr(
          "%1: its description goes into the pool, its %2 bytes of data to byte %3 of the scratch buffer.");
    case Event::Summand: return LensText::tr("%1 adds %2 bytes: %3 bytes so far.");
    case Event::Field: return LensText::tr("%1: %3 bytes at byte %2. Content: %4.");
    case Event::Formula: return LensText::tr("%1 = %2");
    case Event::Counted: return LensText::tr("%1: %2 elements.");
    case Event::Refused: return LensText::tr("Refused: %1");
    default: return plan_pattern(event);
  }
}

// Operations on a device's memory.
QString device_pattern(lesson::LensEvent event) {
  using Event = lesson::LensEvent;
  switch (event) {
    case Event::Created: return LensText::tr("%1 is created. It owns %2.");
    case Event::Kept: return LensText::tr("%1 is dropped by the session, but stays: other references to it: %2.");
    case Event::Cached: return LensText::tr("%1 was built before: the runtime returns the same program.");
    case Event::Destroyed: return LensText::tr("%1 is destroyed, and with it %2.");
    case Event::NewBuffer: return LensText::tr("%1 (%3) acquires %2 bytes: a new buffer is created.");
    case Event::FoundBuffer:
      return LensText::tr("%1 (%3) acquires %2 bytes: the smallest free buffer that is large enough has %4 bytes.");
    case Event::Recycled:
      return LensText::tr("%1 is destroyed. Its destructor puts the buffer of %2 bytes into the free list.");
    case Event::Emptied: return LensText::tr("The free lists are released: %1 bytes return to the device.");
    case Event::NewImage: return LensText::tr("%1 acquires an image of %2 × %3 texels: a new one is created.");
    case Event::FoundImage:
      return LensText::tr(
          "%1 acquires %2 × %3 texels: the smallest free image that is wide and high enough has %4 × %5.");
    case Event::ImageFreed: return LensText::tr("%1 is destroyed. Its image is free.");
    case Event::ResizeBegin:
      return LensText::tr("onResizeBegin: %1 nodes will acquire their buffers. Nothing is computed.");
    case Event::ResizeEnd: return LensText::tr("onResizeEnd: the dynamic pool has %1 bytes. Runs use these buffers.");
    case Event::Rounded: return LensText::tr("%1. Together: %2 bytes.");
    case Event::Texels: return LensText::tr("Channels %1 to %2 are stored in texels %3 to %4 of each row.");
    default: return object_pattern(event);
  }
}

// %1, %2, … are the arguments of the frame.
QString pattern_of(const lesson::LensFrame& frame) {
  using Event = lesson::LensEvent;
  const bool second = frame.arguments.size() > 1 && !frame.arguments[1].empty();
  switch (frame.event) {
    case Event::Start: return {};
    case Event::Element: return LensText::tr("Element %1 is at byte %2.");
    case Event::Scale: return LensText::tr("%2 bits at byte %1 store scales and minima: %3.");
    case Event::Quantised: return LensText::tr("Element %1 (%4) is stored as the integer %2 and restored as %3.");
    case Event::Object:
      return second ? LensText::tr("%2 (%1) is appended after its header, at byte %3: %4 bytes.")
                    : LensText::tr("An object of type %1 is appended after its header, at byte %3: %4 bytes.");
    case Event::Full: return LensText::tr("Does not fit: %1");
    case Event::Visited: return LensText::tr("%1 is appended, and slot %2 of the hash set marks it as visited.");
    case Event::Computed:
      return second ? LensText::tr("%1 is computed. No later node reads %2, so it is freed.")
                    : LensText::tr("%1 is computed. Nothing is freed.");
    case Event::Placed: return LensText::tr("%1 is placed at byte %2, after %3 bytes of padding.");
    case Event::Bumped: return LensText::tr("%1 bytes are allocated at byte %2.");
    case Event::Reset: return LensText::tr("Reset: the next slice begins at byte 0 again.");
    case Event::Allocated: return LensText::tr("%1 is allocated with %2 bytes: a new block, %3.");
    case Event::Reused: return LensText::tr("%1 is allocated with %2 bytes: a free block is reused, %3.");
    case Event::Freed: return LensText::tr("%1 is freed.");
    case Event::DeferredFree:
      return LensText::tr("%1 is freed, but work in the queue %2 still uses it: its bytes are deferred.");
    case Event::Sliced:
      return LensText::tr("%1 shares %4 bytes of %2, starting at byte %3, and holds a reference to the block.");
    case Event::Borrowed: return LensText::tr("%1 borrows %2 bytes from the caller; block %3 does not free them.");
    case Event::NoBytes: return LensText::tr("%1 has no bytes, so it has no block.");
    case Event::Dropped: return LensText::tr("%1 is dropped. Its block has other references.");
    case Event::BlockFreed: return LensText::tr("%1 is dropped. It was the last reference, so its block is freed.");
    case Event::Queued: return LensText::tr("Work that uses %1 is added to queue %2.");
    case Event::Completed: return LensText::tr("The queue %1 completes its oldest work.");
    case Event::Arrived: return LensText::tr("Thread %1 arrives: %2 of %3.");
    case Event::Released: return LensText::tr("All threads have arrived and continue. Generation %1 is complete.");
    case Event::Share: return LensText::tr("Thread %1 of %2 computes rows [%3, %4).");
    default: return device_pattern(frame.event);
  }
  return {};
}

}  // namespace

QString LensText::experiment(const char* name) { return shown_name(kExperiments, name); }

QString LensText::parameter(const char* name) { return shown_name(kParameters, name); }

QString LensText::operation(const lesson::LensFrame& frame) {
  QString text = pattern_of(frame);
  // From the last one on, so that a %1 in an argument is not replaced.
  for (size_t i = frame.arguments.size(); i-- > 0;)
    text.replace(QStringLiteral("%%1").arg(i + 1), QString::fromStdString(frame.arguments[i]));
  return text;
}

QString LensText::problem(const lesson::LensProblem& problem) {
  using Kind = lesson::LensProblem::Kind;
  const QString name = parameter(problem.parameter.c_str());
  const auto argument = [&](size_t i) { return QString::fromStdString(problem.arguments[i]); };
  switch (problem.kind) {
    case Kind::Integer:
      return tr("%1: expected an integer from %2 to %3, found “%4”.").arg(name, argument(0), argument(1), argument(2));
    case Kind::Count:
      return tr("%1: expected %2 to %3 entries, found %4.").arg(name, argument(0), argument(1), argument(2));
    case Kind::Expected: return tr("%1: expected %2, found “%3”.").arg(name, argument(0), argument(1));
    case Kind::Other: break;
  }
  return QString::fromStdString(problem.message);
}

QString LensText::strip(const lesson::LensStrip& strip) {
  if (!strip.title.empty() && strip.title[0] >= '0' && strip.title[0] <= '9')
    return tr("bucket of %1").arg(format_bytes(QString::fromStdString(strip.title).toLongLong()));
  if (strip.title.starts_with('#')) return tr("block %1").arg(QString::fromStdString(strip.title.substr(1)));
  return shown_name(kStrips, strip.title);
}

QString LensText::kind(lesson::CellKind kind) {
  switch (kind) {
    case lesson::CellKind::Free: return tr("free");
    case lesson::CellKind::Unvisited: return tr("not visited");
    case lesson::CellKind::Data: return tr("data");
    case lesson::CellKind::Header: return tr("header");
    case lesson::CellKind::Description: return tr("description");
    case lesson::CellKind::Table: return tr("entries");
    case lesson::CellKind::Padding: return tr("padding");
    case lesson::CellKind::Deferred: return tr("deferred");
    case lesson::CellKind::Scale: return tr("scale or minimum");
    case lesson::CellKind::Value: return tr("integer");
    case lesson::CellKind::LowerBound: return tr("lower bound");
    case lesson::CellKind::TwoLevel: return tr("up to two-level");
    case lesson::CellKind::MaxBlock: return tr("up to max-block");
    case lesson::CellKind::BinaryBlock: return tr("up to binary-block");
    case lesson::CellKind::NoReuse: return tr("without reuse");
    case lesson::CellKind::WeightCopy: return tr("copies of weights");
    case lesson::CellKind::Gradient: return tr("gradients");
    case lesson::CellKind::Output: return tr("outputs");
    case lesson::CellKind::Activation: return tr("activations");
    case lesson::CellKind::SetBit: return tr("bit is one");
    case lesson::CellKind::ClearBit: return tr("bit is zero");
  }
  return {};
}

}  // namespace arenascope::views
