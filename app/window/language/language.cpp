// SPDX-License-Identifier: GPL-3.0-or-later
#include "language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include "pseudo_locale.h"

namespace arenascope::app {

// Texts of dialog buttons come from Qt; these are used if Qt's translations are not installed.
[[maybe_unused]] static constexpr const char* kQtStrings[] = {
    QT_TRANSLATE_NOOP("QPlatformTheme", "OK"),    QT_TRANSLATE_NOOP("QPlatformTheme", "&OK"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "Open"),  QT_TRANSLATE_NOOP("QPlatformTheme", "Cancel"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "Close"), QT_TRANSLATE_NOOP("QPlatformTheme", "Apply")};

namespace {

struct Language {
  const char* code;  // CODE in translations/arenascope_CODE.ts
  const char* own_name;
};
constexpr Language kLanguages[] = {{"en", "English"}, {"zh_CN", "简体中文"}};

QString code_of(const QLocale& locale) {
  for (const Language& language : kLanguages)
    if (QLocale(QString::fromLatin1(language.code)).language() == locale.language())
      return QString::fromLatin1(language.code);
  return QString::fromLatin1(kLanguages[0].code);
}

}  // namespace

QStringList languages() {
  QStringList codes;
  for (const Language& language : kLanguages) codes << QString::fromLatin1(language.code);
  return codes;
}

QString own_name_of_language(const QString& code) {
  for (const Language& language : kLanguages)
    if (code == QLatin1String(language.code)) return QString::fromUtf8(language.own_name);
  return code;
}

QString current_language() { return code_of(QLocale()); }

void set_language(const QString& language) {
  QCoreApplication* application = QCoreApplication::instance();
  for (QTranslator* old :
       application->findChildren<QTranslator*>(QStringLiteral("arenascope"), Qt::FindDirectChildrenOnly)) {
    QCoreApplication::removeTranslator(old);
    delete old;
  }
  if (language == QLatin1String(kPseudoLocale)) {
    auto* translator = new PseudoLocale(application);
    translator->setObjectName(QStringLiteral("arenascope"));
    QCoreApplication::installTranslator(translator);
    return;
  }
  QString name = language;
  if (name.isEmpty()) name = code_of(QLocale::system());
  QLocale::setDefault(name == u"en" ? QLocale(QLocale::English) : QLocale(name));
  auto install = [&](const QString& file, const QString& folder) {
    auto* translator = new QTranslator(application);
    translator->setObjectName(QStringLiteral("arenascope"));
    if (translator->load(file, folder))
      QCoreApplication::installTranslator(translator);
    else
      delete translator;
  };
  install(QStringLiteral("qtbase_") + name, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
  // English has a translation as well, for plural forms.
  install(QStringLiteral("arenascope_") + name, QStringLiteral(":/i18n"));
}

}  // namespace arenascope::app
