// SPDX-License-Identifier: GPL-3.0-or-later
#include "annotations.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <cmath>

namespace arenascope::app {

namespace {

constexpr qsizetype kMaxNotes = 10'000, kMaxNoteText = 10'000;
constexpr size_t kMaxJson = 1 << 20;   // bytes; parsed on the UI thread
constexpr double kMaxPosition = 1e15;  // steps or ns

QJsonObject json_of_note(const views::PinnedNote& note) {
  QJsonObject out{{"text", note.text}, {"step", note.step}, {"time", note.time}};
  if (note.is_range()) {
    out["step_end"] = note.step_end;
    out["time_end"] = note.time_end;
  }
  return out;
}

// -1: there is none.
double position_of(const QJsonValue& value) {
  const double position = value.toDouble(-1);
  return std::abs(position) <= kMaxPosition ? position : -1;
}

}  // namespace

std::string Annotations::to_json() const {
  QJsonArray list;
  for (const views::PinnedNote& note : notes) list << json_of_note(note);
  return QJsonDocument(QJsonObject{{"notes", list}, {"view", view.to_json()}})
      .toJson(QJsonDocument::Compact)
      .toStdString();
}

std::optional<Annotations> Annotations::from_json(const std::string& json) {
  if (json.size() > kMaxJson) return std::nullopt;
  const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(json));
  if (!document.isObject()) return std::nullopt;
  Annotations out;
  for (const auto& value : document["notes"].toArray()) {
    if (std::ssize(out.notes) >= kMaxNotes) break;
    const QJsonObject note = value.toObject();
    const QString text = note["text"].toString().left(kMaxNoteText).trimmed();
    if (text.isEmpty()) continue;
    out.notes.push_back({position_of(note["step"]), position_of(note["time"]), text, position_of(note["step_end"]),
                         position_of(note["time_end"])});
  }
  out.view = ViewState::from_json(document["view"].toObject());
  out.view.graph.engine = {};  // another one may start a program, which a file from another person must not
  return out;
}

}  // namespace arenascope::app
