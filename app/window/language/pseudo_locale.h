// SPDX-License-Identifier: GPL-3.0-or-later
// Pseudo-locale (`--language qps`): every string with accents, in brackets and about a third longer. Strings without
// brackets are not translatable; clipped ones are too long for some languages.
#pragma once
#include <QTranslator>

namespace arenascope::app {

constexpr const char* kPseudoLocale = "qps";  // ISO 639 code for private use

// "Open %1" -> "[Ôpéñ %1··]". Keeps placeholders (%1, %n), mnemonics, tags and entities.
QString made_up(const QString& english);

class PseudoLocale : public QTranslator {
 public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  // Qt's own strings are not changed.
  QString translate(const char* context, const char* text, const char* disambiguation, int n) const override;
};

}  // namespace arenascope::app
