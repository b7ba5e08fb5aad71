// SPDX-License-Identifier: GPL-3.0-or-later
#include "laboratory_panel.h"

#include <views/common/csv_line.h>
#include <views/common/format.h>
#include <views/common/parse_bytes.h>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "app/window/document/allocator_replays.h"
#include "app/window/panels/row_list.h"

namespace arenascope::app {

using allocator_sim::Replay;
using views::format_bytes;

namespace {

struct LaboratoryTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::LaboratoryPanel)
};

QString name_of(const Replay& replay) {
  QString settings = QString::fromStdString(replay.settings);
  if (settings == u"defaults") settings = LaboratoryTexts::tr("defaults");
  if (!replay.experiment) return LaboratoryTexts::tr("as recorded");
  return replay.own ? LaboratoryTexts::tr("own (%1)").arg(settings) : settings;
}

QString start_of(const Replay& replay) {
  if (!replay.experiment) return {};
  return replay.simulated() ? LaboratoryTexts::tr("empty") : LaboratoryTexts::tr("recorded");
}

QString outcome_of(const Replay& replay) {
  if (!replay.experiment) return LaboratoryTexts::tr("observed");
  const allocator_sim::Experiment& e = *replay.experiment;
  if (e.failure && e.failure->allocation < 0)
    return LaboratoryTexts::tr("simulated: does not fit, %1 allocated before the first request")
        .arg(format_bytes(e.failure->asked));
  if (e.failure)
    return LaboratoryTexts::tr("simulated: does not fit, %1 at request %2, %3 in use")
        .arg(format_bytes(e.failure->asked))
        .arg(e.failure->allocation + 1)
        .arg(format_bytes(e.failure->allocated));
  if (!replay.simulated())
    return LaboratoryTexts::tr("derived: %1 of %2 at the recorded address").arg(e.same_address).arg(e.allocations);
  return e.retries > 0 ? LaboratoryTexts::tr("simulated, unused memory released %1×").arg(e.retries)
                       : LaboratoryTexts::tr("simulated");
}

QStringList headers() {
  return {
      LaboratoryTexts::tr("Device"),         LaboratoryTexts::tr("Settings"),      LaboratoryTexts::tr("Start"),
      LaboratoryTexts::tr("Reserved"),       LaboratoryTexts::tr("In use"),        LaboratoryTexts::tr("Free segments"),
      LaboratoryTexts::tr("Free fragments"), LaboratoryTexts::tr("Other streams"), LaboratoryTexts::tr("Result")};
}

}  // namespace

LaboratoryPanel::LaboratoryPanel(Document& document, QWidget* parent) : QWidget(parent) {
  build();
  retranslate();
  set_document(document);
}

void LaboratoryPanel::build() {
  settings_ = new QLineEdit(this);
  memory_ = new QLineEdit(this);
  memory_->setMaximumWidth(140);
  replay_ = new QPushButton(this);
  model_ = new QStandardItemModel(this);
  list_ = make_row_list(model_, this);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  status_ = new QLabel(this);
  status_->setWordWrap(true);
  status_->setContentsMargins(6, 2, 6, 3);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(4, 3, 6, 3);
  row->addWidget(settings_, 1);
  row->addWidget(memory_);
  row->addWidget(replay_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(list_, 1);
  column->addWidget(status_);
  connect(replay_, &QPushButton::clicked, this, &LaboratoryPanel::replay);
  connect(settings_, &QLineEdit::returnPressed, this, &LaboratoryPanel::replay);
  connect(memory_, &QLineEdit::returnPressed, this, &LaboratoryPanel::replay);
  setFocusProxy(settings_);
}

void LaboratoryPanel::set_document(Document& document) {
  document_ = &document;
  QObject* bond = bond_.reset();
  connect(&document.jobs().replays, &AllocatorReplays::changed, bond, [this] { show_replays(); });
  connect(document.content_model(), &ContentModel::changed, bond, [this] { show_replays(); });
  show_replays();
}

bool LaboratoryPanel::can_replay() const {
  return document_->content_model()->current().role.replayable && document_->content_model()->current().history;
}

void LaboratoryPanel::replay() {
  if (!can_replay() || document_->jobs().replays.busy()) return;
  QStringList settings;
  for (const QString& part : settings_->text().split(u';'))
    if (!part.trimmed().isEmpty()) settings << part.trimmed();
  const QString typed = memory_->text().trimmed();
  const auto memory = typed.isEmpty() ? std::optional<Bytes>(0) : views::parse_bytes(typed);
  if (!memory) return status_->setText(tr("“%1” is not a size. Example: 8 GiB.").arg(typed));
  document_->jobs().replays.begin(document_->spec(), settings, *memory);
}

void LaboratoryPanel::show_replays() {
  const AllocatorReplays& replays = document_->jobs().replays;
  const bool can = can_replay();
  for (QWidget* part : std::initializer_list<QWidget*>{settings_, memory_}) part->setEnabled(can);
  replay_->setEnabled(can && !replays.busy());
  model_->clear();
  model_->setHorizontalHeaderLabels(headers());
  for (int i = 3; i < 8; ++i) model_->horizontalHeaderItem(i)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  for (const AllocatorReplays::Device& device : replays.devices()) {
    for (const Replay& replay : device.replays) {
      QStringList row{QString::number(device.number), name_of(replay), start_of(replay)};
      if (replay.experiment) {
        const auto& at = replay.experiment->at_peak;
        for (const Bytes bytes : {replay.experiment->reserved_peak, at.allocated, at.whole, at.pieces, at.others})
          row << format_bytes(bytes);
      } else {
        row << format_bytes(device.recorded) << QStringLiteral("–") << QStringLiteral("–") << QStringLiteral("–")
            << QStringLiteral("–");
      }
      row << outcome_of(replay);
      QList<QStandardItem*> items;
      for (const QString& text : row) items << new QStandardItem(text);
      for (int i = 3; i < 8; ++i) items[i]->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      model_->appendRow(items);
    }
  }
  for (int i = 0; i + 1 < model_->columnCount(); ++i) list_->resizeColumnToContents(i);
  if (!replays.problem().isEmpty())
    status_->setText(replays.problem() + u'.');
  else if (!can)
    status_->setText(tr("Open a PyTorch memory snapshot to replay its allocator requests with other settings."));
  else if (replays.busy())
    status_->setText(tr("Replaying requests…"));
  else
    status_->setText(replays.devices().empty()
                         ? tr("Settings in the format of PYTORCH_CUDA_ALLOC_CONF; separate several by semicolons.")
                         : tr("At the peak of reserved memory: bytes in use, free segments, free fragments next to "
                              "used blocks, and memory of other streams."));
}

QString LaboratoryPanel::to_csv() const {
  QString out = views::csv_line(headers());
  for (int r = 0; r < model_->rowCount(); ++r) {
    QStringList row;
    for (int c = 0; c < model_->columnCount(); ++c) row << model_->item(r, c)->text();
    out += views::csv_line(row);
  }
  return out;
}

void LaboratoryPanel::retranslate() {
  settings_->setPlaceholderText(tr("Settings, e.g. max_split_size_mb:128; expandable_segments:True"));
  settings_->setAccessibleName(tr("Settings of the allocator"));
  memory_->setPlaceholderText(tr("Memory, e.g. 8 GiB"));
  memory_->setAccessibleName(tr("Memory of the device"));
  memory_->setToolTip(tr("Device memory; leave empty for no limit"));
  replay_->setText(tr("&Replay"));
  list_->setAccessibleName(tr("Reserved memory by setting"));
}

void LaboratoryPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    retranslate();
    show_replays();
  }
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
