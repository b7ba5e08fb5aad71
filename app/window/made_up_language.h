// SPDX-License-Identifier: GPL-3.0-or-later
// A language that nobody speaks, `--language qps`: every text of ours with accents, in brackets and about a third longer. What
// shows without brackets cannot be translated, and what has no room here has none in languages with long words.
#pragma once
#include <QTranslator>

namespace arenascope::app {

constexpr const char* kMadeUpLanguage = "qps";  // from the codes that ISO 639 leaves to private use

// "Open %1" -> "[Ôpéñ %1··]". Places (%1, %n), mnemonics, tags and entities stay what they are.
QString made_up(const QString& english);

class MadeUpLanguage : public QTranslator {
 public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  // Qt's own words are not ours and stay as they are.
  QString translate(const char* context, const char* text, const char* disambiguation, int n) const override;
};

}  // namespace arenascope::app
