// SPDX-License-Identifier: GPL-3.0-or-later
// Table model of findings: saving and sentence. The view adds the buttons.
#pragma once
#include <arenascope/schedule/findings.h>
#include <QAbstractTableModel>

namespace arenascope::views {

class FindingsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kSaving, kSentence, kShow, kWhatIf, kColumns };
  explicit FindingsModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  void set_findings(std::vector<Finding> findings, FindingsInput about);
  const std::vector<Finding>& findings() const { return findings_; }
  const Finding* at(int row) const;
  void retranslate();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  QString to_csv() const;

 private:
  std::vector<Finding> findings_;
  FindingsInput about_;
};

}  // namespace arenascope::views
