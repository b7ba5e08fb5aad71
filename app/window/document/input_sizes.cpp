// SPDX-License-Identifier: GPL-3.0-or-later
#include "input_sizes.h"

#include <arenascope/models/model.h>
#include <views/common/settings.h>
#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>

namespace arenascope::app {

using views::Settings;

namespace {

struct Sizes {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::InputSizes)
};

QString group_of(const QString& spec) { return settings_group(QStringLiteral("sizes"), spec); }

}  // namespace

QString settings_group(const QString& prefix, const QString& spec) {
  const QString path = QFileInfo(spec).exists() ? QFileInfo(spec).canonicalFilePath() : spec;
  return prefix + u'/' + QString::fromLatin1(QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha1).toHex());
}

std::map<std::string, int64_t> remembered_sizes(const QString& spec) {
  std::map<std::string, int64_t> sizes;
  const QString group = group_of(spec);
  const int count = Settings::value(group + QStringLiteral("/size"), 0).toInt();
  for (int i = 1; i <= count; ++i) {
    const QString one = group + u'/' + QString::number(i);
    const qint64 size = Settings::value(one + QStringLiteral("/size")).toLongLong();
    if (size > 0) sizes[Settings::value(one + QStringLiteral("/key")).toString().toStdString()] = size;
  }
  return sizes;
}

void remember_sizes(const QString& spec, const std::map<std::string, int64_t>& sizes) {
  const QString group = group_of(spec);
  Settings::remove(group);
  Settings::set(group + QStringLiteral("/size"), static_cast<int>(sizes.size()));
  int i = 0;
  for (const auto& [key, size] : sizes) {
    const QString one = group + u'/' + QString::number(++i);
    Settings::set(one + QStringLiteral("/key"), QString::fromStdString(key));
    Settings::set(one + QStringLiteral("/size"), static_cast<qlonglong>(size));
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
    size.size = free.size;
    size.assumed = !free.specified;
    size.label = free.input.empty() ? Sizes::tr("channels per block")
                                    : Sizes::tr("%1, dimension %2 of %3")
                                          .arg(QString::fromStdString(free.input), QString::number(free.axis + 1),
                                               QString::number(rank));
    if (!free.symbol.empty()) size.label += QStringLiteral(" (%1)").arg(QString::fromStdString(free.symbol));
    sizes.push_back(std::move(size));
  }
  for (const auto& [input, value] : model.assumed_values)
    sizes.push_back({Sizes::tr("the value of %1").arg(QString::fromStdString(input)), {}, value, true});
  return sizes;
}

QString sizes_text(const std::vector<InputSize>& sizes) {
  QStringList parts;
  for (const InputSize& size : sizes)
    if (size.assumed) parts << QStringLiteral("%1 = %2").arg(size.label).arg(size.size);
  constexpr qsizetype kMaxShown = 4;
  if (parts.size() > kMaxShown) {
    const auto more = static_cast<int>(parts.size() - kMaxShown);
    parts = parts.first(kMaxShown);
    parts << Sizes::tr("and %n more", nullptr, more);
  }
  return parts.join(QStringLiteral("; "));
}

}  // namespace arenascope::app
