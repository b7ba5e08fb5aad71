// SPDX-License-Identifier: GPL-3.0-or-later
#include "panel_output.h"

#include <views/common/background.h>
#include <views/common/output_device.h>
#include <QApplication>
#include <QClipboard>
#include <QThreadPool>

#include "widget_image.h"

namespace arenascope::app {

using namespace views;

// Size on the screen.
QSize PanelOutput::size_of(PanelId id) const {
  const PanelInstance& parts = panels_->parts(id);
  const QWidget* widget = parts.drawn != nullptr && id != PanelId::Graph ? parts.drawn : panels_->dock(id)->widget();
  return widget->size().expandedTo(QSize(64, 64));
}

Result<PictureDraft> PanelOutput::draft_picture(PanelId id, const QString& path) const {
  WidgetImage as_it_stands(panels_->dock(id)->widget());
  Paintable* picture = panels_->parts(id).picture;
  return views::draft_picture(picture != nullptr ? *picture : as_it_stands, path, size_of(id));
}

void PanelOutput::copy_picture(PanelId id) const {
  auto draft = draft_picture(id, QStringLiteral("clipboard.png"));
  if (!draft) return;
  background_pool()->start([draft = std::move(*draft)] {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(), [image = image_of(draft)] { QApplication::clipboard()->setImage(image); },
        Qt::QueuedConnection);
  });
}

std::function<QString()> PanelOutput::csv_maker(PanelId id) const {
  if (panels_->is_hidden_by_lesson(id)) return nullptr;
  const PanelInstance& parts = panels_->parts(id);
  if (parts.csv_maker) return parts.csv_maker();
  TablePanel* table = panels_->table(id);
  if (table == nullptr) return nullptr;
  table->refresh();
  return table->model()->csv_maker();
}

void PanelOutput::copy_csv(PanelId id) const {
  if (const auto csv = csv_maker(id)) QApplication::clipboard()->setText(csv());
}

void PanelOutput::copy_markdown(PanelId id) const {
  TablePanel* table = panels_->is_hidden_by_lesson(id) ? nullptr : panels_->table(id);
  if (table == nullptr) return;
  table->refresh();
  QApplication::clipboard()->setText(table->model()->markdown());
}

Status write_text(const QString& text, const QString& path, OutputFile::Paths inputs) {
  return write_bytes(text.toUtf8(), path, inputs);
}

}  // namespace arenascope::app
