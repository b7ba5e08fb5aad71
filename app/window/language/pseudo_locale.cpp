// SPDX-License-Identifier: GPL-3.0-or-later
#include "pseudo_locale.h"

#include <algorithm>

namespace arenascope::app {

namespace {

// Number of characters from `i` that are not text: a tag, an entity, a placeholder or a mnemonic marker.
qsizetype length_of_mark(const QString& text, qsizetype i) {
  const auto up_to = [&](QChar end) {
    const qsizetype at = text.indexOf(end, i);
    return at < 0 ? qsizetype{1} : at - i + 1;
  };
  if (text[i] == u'<') return up_to(u'>');
  if (text[i] == u'%') return std::min<qsizetype>(2, text.size() - i);
  if (text[i] != u'&') return 0;
  qsizetype end = i + 1;
  while (end < text.size() && text[end].isLetterOrNumber()) ++end;
  return end < text.size() && text[end] == u';' && end > i + 1 ? end - i + 1 : std::min<qsizetype>(2, text.size() - i);
}

}  // namespace

QString made_up(const QString& english) {
  static const QString from = QStringLiteral("aceinouyAEIOU"), to = QStringLiteral("áçéîñôûýÂÉÎÔÛ");
  QString s = english;
  qsizetype letters = 0;
  for (qsizetype i = 0; i < s.size();) {
    if (const qsizetype mark = length_of_mark(s, i); mark > 0) {
      i += mark;
      continue;
    }
    if (const qsizetype k = from.indexOf(s[i]); k >= 0) s[i] = to[k];
    ++letters;
    ++i;
  }
  return u'[' + s + QString(std::max<qsizetype>(1, letters / 3), u'·') + u']';
}

QString PseudoLocale::translate(const char* context, const char* text, const char*, int n) const {
  if (text == nullptr || *text == 0 || qstrncmp(context, "Q", 1) == 0) return {};
  return made_up(QString::fromUtf8(text)).replace(QStringLiteral("%n"), QString::number(n));
}

}  // namespace arenascope::app
