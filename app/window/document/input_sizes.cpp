// SPDX-License-Identifier: GPL-3.0-or-later
#include "input_sizes.h"

#include <arenascope/models/model.h>
#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFileInfo>
#include <QSettings>
#include <QStringList>

#include <algorithm>

namespace arenascope::app {
namespace {

struct Sizes {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::InputSizes)
};

bool has_word(const std::string& symbol, std::initializer_list<const char*> words) {
  const QString name = QString::fromStdString(symbol).toLower();
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return name.contains(QLatin1String(word)); });
}

constexpr int64_t kPicture = 224, kSequence = 128;

int64_t sensible(const models::FreeDimension& free, int rank) {
  if (free.axis == 0 || has_word(free.symbol, {"batch"})) return 1;
  if (has_word(free.symbol, {"past", "channel"})) return 1;
  if (has_word(free.symbol, {"height", "width"})) return kPicture;
  if (has_word(free.symbol, {"seq", "length", "time", "token"})) return kSequence;
  if (rank == 4 && free.axis >= 2) return kPicture;
  if ((rank == 2 || rank == 3) && free.axis == 1) return kSequence;
  return 1;
}

QString group_of(const QString& spec) { return settings_group(QStringLiteral("sizes"), spec); }

}  // namespace

QString settings_group(const QString& prefix, const QString& spec) {
  const QString path = QFileInfo(spec).exists() ? QFileInfo(spec).canonicalFilePath() : spec;
  return prefix + u'/' + QString::fromLatin1(QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha1).toHex());
}

std::map<std::string, int64_t> remembered_sizes(const QString& spec) {
  std::map<std::string, int64_t> sizes;
  QSettings settings;
  const int count = settings.beginReadArray(group_of(spec));
  for (int i = 0; i < count; ++i) {
    settings.setArrayIndex(i);
    const qint64 size = settings.value(QStringLiteral("size")).toLongLong();
    if (size > 0) sizes[settings.value(QStringLiteral("key")).toString().toStdString()] = size;
  }
  return sizes;
}

void remember_sizes(const QString& spec, const std::map<std::string, int64_t>& sizes) {
  QSettings settings;
  settings.remove(group_of(spec));
  settings.beginWriteArray(group_of(spec), static_cast<int>(sizes.size()));
  int i = 0;
  for (const auto& [key, size] : sizes) {
    settings.setArrayIndex(i++);
    settings.setValue(QStringLiteral("key"), QString::fromStdString(key));
    settings.setValue(QStringLiteral("size"), static_cast<qlonglong>(size));
  }
}

std::vector<InputSize> input_sizes(const models::Model& model) {
  std::vector<InputSize> sizes;
  for (const models::FreeDimension& free : model.free_dimensions) {
    const std::string key = free.key();
    if (std::any_of(sizes.begin(), sizes.end(), [&](const InputSize& s) { return s.key == key; })) continue;
    const auto input = std::find_if(model.inputs.begin(), model.inputs.end(),
                                    [&](const models::ValueInfo& i) { return i.name == free.input; });
    const int rank = input != model.inputs.end() ? input->sizes.rank() : 0;
    InputSize size;
    size.key = key;
    size.size = free.told ? free.size : sensible(free, rank);
    size.assumed = !free.told;
    size.label = Sizes::tr("%1, dimension %2 of %3")
                     .arg(QString::fromStdString(free.input), QString::number(free.axis + 1), QString::number(rank));
    if (!free.symbol.empty()) size.label += QStringLiteral(" (%1)").arg(QString::fromStdString(free.symbol));
    sizes.push_back(std::move(size));
  }
  return sizes;
}

QString sizes_text(const std::vector<InputSize>& sizes) {
  QStringList parts;
  for (const InputSize& size : sizes)
    if (size.assumed) parts << QStringLiteral("%1 = %2").arg(size.label).arg(size.size);
  constexpr qsizetype kMost = 4;
  if (parts.size() > kMost) {
    const auto more = static_cast<int>(parts.size() - kMost);
    parts = parts.first(kMost);
    parts << Sizes::tr("and %n more", nullptr, more);
  }
  return parts.join(QStringLiteral("; "));
}

}  // namespace arenascope::app
