// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/tensor/tensor_view.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QToolTip>
#include <QVBoxLayout>
#include <cmath>

namespace arenascope::views {

namespace {

constexpr int kBins = 64;

void paint_histogram(QPainter& p, const QRect& area, const Histogram& h, const ThemeColours& c) {
  p.fillRect(area, c.background);
  if (h.bins.empty()) return;
  const QFontMetrics metrics(p.font());
  const QRect plot = area.adjusted(8, 8, -8, -metrics.height() - 8);
  const double most = std::log1p(static_cast<double>(h.most()));
  const auto n = static_cast<int>(h.bins.size());
  for (int i = 0; i < n; ++i) {
    const int x0 = plot.left() + plot.width() * i / n, x1 = plot.left() + plot.width() * (i + 1) / n;
    const double share = most > 0 ? std::log1p(static_cast<double>(h.bins[static_cast<size_t>(i)])) / most : 0;
    const int height = static_cast<int>(std::lround(share * plot.height()));
    p.fillRect(QRect(x0, plot.bottom() + 1 - height, std::max(x1 - x0 - 1, 1), height), c[Role::Work]);
  }
  p.fillRect(QRect(plot.left(), plot.bottom() + 1, plot.width(), 1), c.axis);
  p.setPen(c.dim_text);
  const QRect below(plot.left(), plot.bottom() + 4, plot.width(), metrics.height());
  p.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, format_value(h.lo));
  p.drawText(below, Qt::AlignRight | Qt::AlignVCenter, format_value(h.hi));
  if (h.lo < 0 && h.hi > 0) {
    const int zero = plot.left() + static_cast<int>(std::lround(-h.lo / (h.hi - h.lo) * plot.width()));
    p.fillRect(QRect(zero, plot.top(), 1, plot.height() + 4), c.dim_text);
    const int w = metrics.horizontalAdvance(QStringLiteral("0"));
    if (zero - plot.left() > 80 && plot.right() - zero > 80)
      p.drawText(zero - w / 2, below.bottom() - metrics.descent(), QStringLiteral("0"));
  }
}

// The largest rectangle with the image's aspect ratio, but never one-pixel bars: a single row is drawn as a band.
QRect fitted(const QSize& picture, const QRect& area) {
  if (picture.isEmpty() || area.isEmpty()) return {};
  const double scale = std::min(area.width() / static_cast<double>(picture.width()),
                                area.height() / static_cast<double>(picture.height()));
  const QSize size(std::clamp(static_cast<int>(picture.width() * scale), std::min(24, area.width()), area.width()),
                   std::clamp(static_cast<int>(picture.height() * scale), std::min(24, area.height()), area.height()));
  return {area.left(), area.top(), size.width(), size.height()};
}

}  // namespace

struct TensorView::Measured {
  TensorStats stats;
  Histogram histogram;
};

class TensorView::HistogramPicture : public QWidget {
 public:
  explicit HistogramPicture(const TensorView* view) : view_(view) { setMinimumHeight(80); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter p(this);
    paint_histogram(p, rect(), view_->histogram_, view_->theme_->colours());
  }
  bool event(QEvent* e) override {
    if (e->type() == QEvent::ToolTip) {
      const Histogram& h = view_->histogram_;
      const auto* help = static_cast<QHelpEvent*>(e);
      const int bin = h.bins.empty() || width() < 17
                          ? -1
                          : (help->pos().x() - 8) * static_cast<int>(h.bins.size()) / (width() - 16);
      if (bin >= 0 && bin < static_cast<int>(h.bins.size())) {
        const auto b = static_cast<size_t>(bin);
        QToolTip::showText(help->globalPos(),
                           TensorView::tr("%1 values from %2 to %3")
                               .arg(format_count(h.bins[b]), format_value(h.edge(b)), format_value(h.edge(b + 1))),
                           this);
      } else {
        QToolTip::hideText();
      }
      return true;
    }
    return QWidget::event(e);
  }

 private:
  const TensorView* view_;
};

class TensorView::HeatMapPicture : public QWidget {
 public:
  explicit HeatMapPicture(const TensorView* view) : view_(view) { setMinimumHeight(80); }
  QImage image;

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter p(this);
    p.fillRect(rect(), view_->theme_->colours().background);
    if (!image.isNull()) p.drawImage(fitted(image.size(), rect().adjusted(8, 8, -8, -8)), image);
  }
  bool event(QEvent* e) override {
    if (e->type() == QEvent::ToolTip) {
      const auto* help = static_cast<QHelpEvent*>(e);
      const QRect at = fitted(image.size(), rect().adjusted(8, 8, -8, -8));
      if (view_->values_ && at.contains(help->pos())) {
        const TensorValues& v = *view_->values_;
        const int64_t row = (help->pos().y() - at.top()) * v.rows() / at.height();
        const int64_t column = (help->pos().x() - at.left()) * v.columns() / at.width();
        QToolTip::showText(help->globalPos(),
                           TensorView::tr("row %1, column %2: %3")
                               .arg(format_count(row), format_count(column),
                                    format_value(static_cast<double>(v.at(view_->slice_, row, column)))),
                           this);
      } else {
        QToolTip::hideText();
      }
      return true;
    }
    return QWidget::event(e);
  }

 private:
  const TensorView* view_;
};

TensorView::TensorView(Theme* theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      title_(new QLabel(this)),
      figures_(new QLabel(this)),
      slice_name_(new QLabel(this)),
      tabs_(new QTabWidget(this)),
      histogram_picture_(new HistogramPicture(this)),
      heat_map_picture_(new HeatMapPicture(this)),
      table_view_(new QTableView(this)),
      slice_box_(new QSpinBox(this)),
      table_(new TensorTable(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  figures_->setWordWrap(true);
  figures_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(title_);
  layout->addWidget(figures_);
  layout->addWidget(tabs_, 1);
  auto* slice_row = new QHBoxLayout;
  slice_row->addWidget(slice_name_);
  slice_row->addWidget(slice_box_);
  slice_row->addStretch(1);
  layout->addLayout(slice_row);
  table_view_->setModel(table_);
  table_view_->setWordWrap(false);
  table_view_->horizontalHeader()->setDefaultSectionSize(86);
  table_view_->verticalHeader()->setDefaultSectionSize(table_view_->fontMetrics().height() + 6);
  tabs_->addTab(histogram_picture_, QString());
  tabs_->addTab(heat_map_picture_, QString());
  tabs_->addTab(table_view_, QString());
  tabs_->setDocumentMode(true);
  connect(slice_box_, &QSpinBox::valueChanged, this, &TensorView::set_slice);
  connect(&background_, &Background::done, this, [this](const std::shared_ptr<const void>& result) {
    take(std::static_pointer_cast<const Measured>(result));
  });
  connect(theme_, &Theme::changed, this, [this] {
    table_->set_colours(theme_->colours());
    update_heat_map();
    histogram_picture_->update();
  });
  table_->set_colours(theme_->colours());
  clear(QString());
}

std::shared_ptr<const TensorView::Measured> TensorView::measure(const TensorValues& values,
                                                                const std::stop_token& stop) {
  auto m = std::make_shared<Measured>();
  m->stats = stats_of(values.values(), stop);
  m->histogram = histogram_of(values.values(), m->stats, kBins, stop);
  return stop.stop_requested() ? nullptr : m;
}

void TensorView::set_values(std::shared_ptr<const TensorValues> values, const QString& title) {
  values_ = std::move(values);
  name_ = title;
  slice_ = 0;
  stats_ = {};
  histogram_ = {};
  table_->set_values(values_, stats_);
  {
    const QSignalBlocker quiet(slice_box_);
    slice_box_->setRange(
        0, values_ ? static_cast<int>(std::min<int64_t>(std::max<int64_t>(values_->slices(), 1) - 1, INT_MAX)) : 0);
    slice_box_->setValue(0);
  }
  background_.cancel();
  if (values_) {
    background_.request([v = values_](const std::stop_token& stop) -> Background::Result { return measure(*v, stop); });
  }
  update_texts();
  update_heat_map();
  histogram_picture_->update();
}

void TensorView::clear(const QString& reason) {
  set_values(nullptr, QString());
  figures_->setText(reason.isEmpty() ? tr("No values.") : reason);
}

void TensorView::take(const std::shared_ptr<const Measured>& measured) {
  if (!values_) return;
  stats_ = measured->stats;
  histogram_ = measured->histogram;
  table_->set_values(values_, stats_);
  table_->set_slice(slice_);
  update_texts();
  update_heat_map();
  histogram_picture_->update();
  Q_EMIT ready();
}

void TensorView::set_slice(int slice) {
  if (!values_ || slice < 0 || slice >= values_->slices()) return;
  slice_ = slice;
  slice_box_->setValue(slice);
  table_->set_slice(slice);
  update_texts();
  update_heat_map();
}

QStringList TensorView::figures() const {
  QStringList lines;
  if (!values_) return lines;
  lines << tr("%1, %2 values")
               .arg(format_shape(values_->shape()), format_count(static_cast<int64_t>(values_->values().size())));
  if (stats_.count == 0) return lines;
  lines << (stats_.finite() == 0 ? tr("no finite values")
                                 : tr("min %1 · max %2 · mean %3 · deviation %4")
                                       .arg(format_value(stats_.min), format_value(stats_.max),
                                            format_value(stats_.mean), format_value(stats_.deviation)));
  const auto share = [&](int64_t n) {
    return format_percent(static_cast<double>(n) / static_cast<double>(stats_.count));
  };
  lines << tr("NaN %1 · +Inf %2 · −Inf %3 · zeros %4")
               .arg(format_count(stats_.nan), format_count(stats_.plus_inf), format_count(stats_.minus_inf),
                    share(stats_.zeros));
  return lines;
}

void TensorView::update_texts() {
  tabs_->setTabText(0, tr("Histogram"));
  tabs_->setTabText(1, tr("Heat map"));
  tabs_->setTabText(2, tr("Table"));
  histogram_picture_->setAccessibleName(tr("Histogram of the values"));
  heat_map_picture_->setAccessibleName(tr("Heat map of a slice"));
  table_view_->setAccessibleName(tr("Values of a slice"));
  slice_box_->setAccessibleName(tr("Slice"));
  title_->setText(name_);
  title_->setVisible(!name_.isEmpty());
  if (values_) figures_->setText(figures().join(QLatin1Char('\n')));
  const bool many = values_ && values_->slices() > 1;
  slice_box_->setVisible(many);
  slice_name_->setVisible(many);
  if (many) slice_name_->setText(tr("Slice %1").arg(values_->slice_name(slice_)));
  tabs_->setVisible(values_ != nullptr);
}

void TensorView::update_heat_map() {
  heat_map_picture_->image =
      values_ && stats_.count > 0 ? heat_map(*values_, slice_, stats_, theme_->colours()) : QImage();
  heat_map_picture_->update();
}

void TensorView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) update_texts();
  QWidget::changeEvent(event);
}

void TensorView::paint(QPainter* painter, QSize size) {
  const ThemeColours& c = theme_->colours();
  painter->fillRect(QRect(QPoint(), size), c.background);
  if (!values_) return;
  if (stats_.count == 0) {
    background_.cancel();
    if (const auto m = measure(*values_, {})) take(m);
  }
  QFont bold = font();
  bold.setBold(true);
  const int line = QFontMetrics(font()).height() + 2;
  int y = 8;
  painter->setPen(c.text);
  painter->setFont(bold);
  painter->drawText(QRect(8, y, size.width() - 16, line), Qt::AlignLeft | Qt::AlignVCenter, name_);
  painter->setFont(font());
  y += line;
  painter->setPen(c.dim_text);
  for (const QString& text : figures()) {
    painter->drawText(QRect(8, y, size.width() - 16, line), Qt::AlignLeft | Qt::AlignVCenter, text);
    y += line;
  }
  const int left = size.width() / 2;
  paint_histogram(*painter, QRect(0, y, left, size.height() - y), histogram_, c);
  const QImage image = heat_map(*values_, slice_, stats_, c);
  if (!image.isNull())
    painter->drawImage(fitted(image.size(), QRect(left + 8, y + 8, left - 16, size.height() - y - 16)), image);
}

}  // namespace arenascope::views
