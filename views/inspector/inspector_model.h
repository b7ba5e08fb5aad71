// SPDX-License-Identifier: GPL-3.0-or-later
// The facts of the inspector as a tree: titles, then sections with their facts. Two columns: label and value; a fact
// without a label is in the first one.
#pragma once
#include <views/inspector/inspector_facts.h>
#include <QAbstractItemModel>

namespace arenascope::views {

class InspectorModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { kLabel, kValue, kColumns };

  explicit InspectorModel(QObject* parent = nullptr) : QAbstractItemModel(parent) {}
  // Keeps the items if only values changed.
  void set_facts(std::vector<InspectorFact> facts);
  const std::vector<InspectorFact>& facts() const { return facts_; }

  const InspectorFact* fact(const QModelIndex& index) const;  // null: a section
  static bool is_spanned(const InspectorFact& fact) { return fact.key.isEmpty(); }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return kColumns; }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  // A section, or a fact before the first one.
  struct Item {
    QString section;              // empty: a fact
    size_t first = 0, count = 0;  // of facts_
  };
  static std::vector<Item> items_of(const std::vector<InspectorFact>& facts);
  bool has_shape_of(const std::vector<InspectorFact>& facts) const;

  std::vector<InspectorFact> facts_;
  std::vector<Item> items_;
};

// Section, label and value of each fact.
QString facts_csv(const std::vector<InspectorFact>& facts);
// The facts as lines, sections before their facts.
QString facts_text(const std::vector<InspectorFact>& facts);

}  // namespace arenascope::views
