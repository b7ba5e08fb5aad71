// SPDX-License-Identifier: GPL-3.0-or-later
#include "panel_output.h"

#include <QApplication>
#include <QClipboard>
#include <QSaveFile>

#include "widget_picture.h"

namespace arenascope::app {

using namespace views;

// What it takes on the screen.
QSize PanelOutput::size_of(const QString& id) const {
  const PanelParts& parts = panels_->parts(id);
  const QWidget* widget = parts.drawn != nullptr && id != u"graph" ? parts.drawn : panels_->dock(id)->widget();
  return widget->size().expandedTo(QSize(64, 64));
}

Status PanelOutput::save_picture(const QString& id, const QString& path) const {
  WidgetPicture as_it_stands(panels_->dock(id)->widget());
  Paintable* picture = panels_->parts(id).picture;
  return export_picture(picture != nullptr ? *picture : as_it_stands, path, size_of(id));
}

void PanelOutput::copy_picture(const QString& id) const {
  const QSize size = size_of(id);
  WidgetPicture as_it_stands(panels_->dock(id)->widget());
  Paintable* picture = panels_->parts(id).picture;
  constexpr double kScale = 2;
  QImage image((QSizeF(size) * kScale).toSize(), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.scale(kScale, kScale);
  (picture != nullptr ? *picture : as_it_stands).paint(&painter, size);
  painter.end();
  QApplication::clipboard()->setImage(image);
}

std::function<QString()> PanelOutput::csv_maker(const QString& id) const {
  if (panels_->is_shut(id)) return nullptr;
  const PanelParts& parts = panels_->parts(id);
  if (parts.csv) {
    const QString text = parts.csv();
    return text.isEmpty() ? std::function<QString()>() : [text] { return text; };
  }
  TablePanel* table = panels_->table(id);
  if (table == nullptr) return nullptr;
  table->refresh();
  return table->model()->csv_maker();
}

void PanelOutput::copy_csv(const QString& id) const {
  if (const auto csv = csv_maker(id)) QApplication::clipboard()->setText(csv());
}

Status write_csv(const QString& csv, const QString& path) {
  const QByteArray bytes = csv.toUtf8();
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    return Error{Panels::tr("%1 cannot be written: %2.").arg(path, file.errorString()).toStdString()};
  return {};
}

}  // namespace arenascope::app
