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
    {"steps", QT_TRANSLATE_NOOP("arenascope::views::LensText", "operations")},
    {"rows", QT_TRANSLATE_NOOP("arenascope::views::LensText", "rows")},
    {"threads", QT_TRANSLATE_NOOP("arenascope::views::LensText", "threads")},
    {"unit", QT_TRANSLATE_NOOP("arenascope::views::LensText", "unit")},
    {"work bytes", QT_TRANSLATE_NOOP("arenascope::views::LensText", "work bytes")},
    {"order of arrival", QT_TRANSLATE_NOOP("arenascope::views::LensText", "order of arrival")},
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
};

template <size_t N>
QString shown_name(const LensName (&names)[N], std::string_view name) {
  for (const LensName& known : names)
    if (name == known.name) return LensText::tr(known.shown);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
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

QString LensText::strip(const lesson::LensStrip& strip) {
  if (!strip.title.empty() && strip.title[0] >= '0' && strip.title[0] <= '9')
    return tr("bucket of %1").arg(format_bytes(QString::fromStdString(strip.title).toLongLong()));
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
  }
  return {};
}

}  // namespace arenascope::views
