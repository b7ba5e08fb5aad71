// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/csv_line.h>
#include <views/findings/finding_text.h>
#include <views/findings/findings_model.h>

namespace arenascope::views {

void FindingsModel::set_findings(std::vector<Finding> findings, FindingsInput about) {
  beginResetModel();
  findings_ = std::move(findings);
  about_ = std::move(about);
  endResetModel();
}

const Finding* FindingsModel::at(int row) const {
  return row >= 0 && static_cast<size_t>(row) < findings_.size() ? &findings_[static_cast<size_t>(row)] : nullptr;
}

void FindingsModel::retranslate() {
  beginResetModel();
  endResetModel();
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(findings_.size());
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
  const Finding* f = index.isValid() ? at(index.row()) : nullptr;
  if (!f) return {};
  if (role == Qt::TextAlignmentRole && index.column() == kSaving) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole) return {};
  if (index.column() == kSaving) return finding_saving(*f);
  if (index.column() == kSentence) return finding_text(*f, about_);
  return {};
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole) {
    switch (section) {
      case kSaving: return tr("Saving");
      case kSentence: return tr("Finding");
      default: return QString();
    }
  }
  if (role == Qt::ToolTipRole && section == kSaving)
    return tr("Arena bytes saved, measured by replanning, or time saved per run; — for information only");
  return {};
}

QString FindingsModel::to_csv() const {
  QString csv = csv_line({tr("Saving"), tr("Finding")});
  for (int row = 0; row < rowCount(); ++row)
    csv += csv_line({index(row, kSaving).data().toString(), index(row, kSentence).data().toString()});
  return csv;
}

}  // namespace arenascope::views
