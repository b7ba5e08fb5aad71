// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/inspector/inspector_model.h>

#include <views/common/csv_line.h>

#include <QCoreApplication>

#include <algorithm>

namespace arenascope::views {

namespace {

struct FactTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::InspectorView)
};

constexpr quintptr kTop = 0;  // internal id of top-level items; of others: row of the parent + 1

}  // namespace

std::vector<InspectorModel::Item> InspectorModel::items_of(const std::vector<InspectorFact>& facts) {
  std::vector<Item> items;
  for (size_t i = 0; i < facts.size(); ++i) {
    const QString& section = facts[i].section;
    if (section.isEmpty() || items.empty() || items.back().section != section) items.push_back({section, i, 0});
    ++items.back().count;
  }
  return items;
}

// True if the facts differ in values only.
bool InspectorModel::has_shape_of(const std::vector<InspectorFact>& facts) const {
  return std::ranges::equal(facts_, facts, [](const InspectorFact& a, const InspectorFact& b) {
    return a.section == b.section && a.key == b.key && a.kind == b.kind && a.note.isEmpty() == b.note.isEmpty();
  });
}

void InspectorModel::set_facts(std::vector<InspectorFact> facts) {
  if (!has_shape_of(facts)) {
    beginResetModel();
    items_ = items_of(facts);
    facts_ = std::move(facts);
    return endResetModel();
  }
  facts_ = std::move(facts);
  for (int row = 0; row < rowCount(); ++row) {
    const QModelIndex item = index(row, kLabel);
    Q_EMIT dataChanged(item, index(row, kValue));
    if (const int count = rowCount(item); count > 0)
      Q_EMIT dataChanged(index(0, kLabel, item), index(count - 1, kValue, item));
  }
}

const InspectorFact* InspectorModel::fact(const QModelIndex& index) const {
  if (!index.isValid()) return nullptr;
  const auto row = static_cast<size_t>(index.row());
  if (index.internalId() != kTop) return &facts_[items_[index.internalId() - 1].first + row];
  return items_[row].section.isEmpty() ? &facts_[items_[row].first] : nullptr;
}

QModelIndex InspectorModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || row >= rowCount(parent) || column < 0 || column >= kColumns) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : kTop);
}

QModelIndex InspectorModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kTop) return {};
  return createIndex(static_cast<int>(index.internalId() - 1), 0, kTop);
}

int InspectorModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(items_.size());
  if (parent.internalId() != kTop || parent.column() != kLabel) return 0;
  const Item& item = items_[static_cast<size_t>(parent.row())];
  return item.section.isEmpty() ? 0 : static_cast<int>(item.count);
}

QVariant InspectorModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
  const InspectorFact* of = fact(index);
  if (of == nullptr)
    return index.column() == kLabel ? QVariant(items_[static_cast<size_t>(index.row())].section) : QVariant();
  if (is_spanned(*of)) return index.column() == kLabel ? QVariant(of->text()) : QVariant();
  return index.column() == kLabel ? of->key : of->text();
}

QString facts_csv(const std::vector<InspectorFact>& facts) {
  QString csv = csv_line({FactTexts::tr("Section"), FactTexts::tr("Property"), FactTexts::tr("Value")});
  for (const InspectorFact& fact : facts) csv += csv_line({fact.section, fact.key, fact.text()});
  return csv;
}

QString facts_text(const std::vector<InspectorFact>& facts) {
  QStringList lines;
  QString section;
  for (const InspectorFact& fact : facts) {
    if (!fact.section.isEmpty() && fact.section != std::exchange(section, fact.section)) lines << fact.section;
    lines << (fact.key.isEmpty() ? fact.text() : fact.key + u' ' + fact.text());
  }
  return lines.join(u'\n');
}

}  // namespace arenascope::views
