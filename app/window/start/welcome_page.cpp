// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome_page.h"

#include <arenascope/models/zoo.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>

#include <QDockWidget>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolBar>

#include <algorithm>

#include "app/window/bars/message_bar.h"
#include "app/window/lessons/lesson_player.h"
#include "app/window/shell.h"
#include "recent_thumbnails.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kMaxRecent = 7;
constexpr QSize kPicture(60, 36);
constexpr const char* kExamples[] = {"squeezenet", "resnet50", "mobilenet_v2", "bert_base"};

// Menu text of an action without its mnemonic: "&Open…" and "打开(&O)…".
QString title_of(const QAction& action) {
  static const QRegularExpression letter(QStringLiteral("\\(&.\\)"));
  return action.text().remove(letter).remove(u'&');
}

// A clickable line in the tab order.
QPushButton* line(QWidget* parent, const QString& text, const QString& tip) {
  auto* button = new QPushButton(text, parent);
  button->setFlat(true);
  button->setCursor(Qt::PointingHandCursor);
  button->setToolTip(tip);
  button->setStyleSheet(QStringLiteral("QPushButton { text-align: left; padding: 3px 6px; }"));
  return button;
}

}  // namespace

WelcomePage::WelcomePage(Shell& shell) : QWidget(shell.window), shell_(shell) {
  setObjectName(QStringLiteral("welcome"));
  shell_.window->installEventFilter(this);
  connect(shell_.documents, &Documents::tasks_changed, this, &WelcomePage::show_progress);
  connect(&reading_, &Background::done, this, [this](const std::shared_ptr<const void>& result) {
    const auto pictures = std::static_pointer_cast<const std::vector<QImage>>(result);
    for (size_t i = 0; i < std::min(recent_.size(), pictures->size()); ++i)
      if (!(*pictures)[i].isNull()) recent_[i]->setIcon(QPixmap::fromImage((*pictures)[i]));
  });
  hide();
}

void WelcomePage::show_progress() {
  if (isHidden() || doing_ == nullptr) return;
  const auto tasks = shell_.documents->tasks();
  doing_->setText(!tasks.empty() ? tasks.front()->title()
                                 : tr("Memory visualizer, profiler and step debugger for tensor programs"));
}

// Docks are raised when they are restored or selected; messages stay on top.
void WelcomePage::stand_over() {
  raise();
  shell_.message_bar->raise();
}

void WelcomePage::update_page() {
  const SessionSource& source = *shell_.document().source();
  const bool nothing = !source.session() && source.graph() == nullptr;
  if (!nothing) return hide();
  fill();
  update_position();
  show();
  for (const PanelDescriptor& kind : panel_kinds()) shell_.panels->dock(kind.id)->installEventFilter(this);
  stand_over();
}

QLayout* WelcomePage::ways() {
  auto* row = new QHBoxLayout;
  for (const char* id : {"file.open", "file.zoo", "file.attach"}) {
    QAction* action = shell_.actions->find(QString::fromLatin1(id));
    auto* button = new QPushButton(title_of(*action), inside_);
    button->setToolTip(action->shortcut().toString(QKeySequence::NativeText));
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    row->addWidget(button);
  }
  row->addStretch(1);
  return row;
}

QString WelcomePage::progress_of(const QString& lesson) const {
  const auto* panel = shell_.panels->widgets().lesson;
  for (const lesson::Lesson& each : panel->lessons())
    if (text_of(each.id) == lesson) return progress_mark(each, panel->progress());
  return {};
}

// A button that continues the course where it was left.
void WelcomePage::add_next_lesson(QVBoxLayout* lines) {
  const auto* panel = shell_.panels->widgets().lesson;
  const lesson::Lesson* next = next_lesson(panel->lessons(), panel->progress());
  if (next == nullptr) return;
  const QString title = next_lesson_title(panel->lessons(), panel->progress());
  auto* button = new QPushButton(fontMetrics().elidedText(title, Qt::ElideRight, 230), inside_);
  button->setObjectName(QStringLiteral("next_lesson"));
  button->setToolTip(text_of(next->summary));
  connect(button, &QPushButton::clicked, this, [this, id = text_of(next->id)] { shell_.guide->begin(id); });
  lines->addWidget(button);
}

QVBoxLayout* WelcomePage::list(const QString& heading) {
  auto* lines = new QVBoxLayout;
  lines->setSpacing(0);
  lines->addWidget(new QLabel(QStringLiteral("<b>%1</b>").arg(heading.toHtmlEscaped()), inside_));
  return lines;
}

QPushButton* WelcomePage::add_spec(QVBoxLayout* lines, const QString& spec, const QString& name, const QString& tip) {
  QPushButton* button = line(inside_, fontMetrics().elidedText(name, Qt::ElideMiddle, 230), tip);
  connect(button, &QPushButton::clicked, this, [this, spec] { shell_.open(spec); });
  lines->addWidget(button);
  return button;
}

// Placeholder for a missing thumbnail: a frame with the kind of file.
QPixmap WelcomePage::frame_of(const QString& spec) const {
  QPixmap frame(kPicture * devicePixelRatioF());
  frame.setDevicePixelRatio(devicePixelRatioF());
  frame.fill(Qt::transparent);
  QPainter painter(&frame);
  painter.setPen(palette().color(QPalette::Mid));
  painter.drawRect(QRect({0, 0}, kPicture).adjusted(0, 0, -1, -1));
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(QRect({0, 0}, kPicture), Qt::AlignCenter,
                   spec.startsWith(u"zoo:") ? QStringLiteral("zoo") : QFileInfo(spec).suffix().left(7));
  return frame;
}

// Thumbnails are loaded asynchronously.
void WelcomePage::add_recent(QVBoxLayout* lines, const QStringList& files) {
  for (const QString& spec : files) {
    QPushButton* button = add_spec(lines, spec, spec.startsWith(u"zoo:") ? spec : QFileInfo(spec).fileName(), spec);
    button->setIconSize(kPicture);
    button->setIcon(frame_of(spec));
    recent_.push_back(button);
  }
  reading_.request([files](std::stop_token) -> Background::Result {
    auto pictures = std::make_shared<std::vector<QImage>>();
    for (const QString& spec : files) pictures->push_back(RecentThumbnails::read(spec));
    return pictures;
  });
}

static QFont title_font(QFont font) {
  font.setPointSizeF(font.pointSizeF() * 2);
  font.setBold(true);
  return font;
}

void WelcomePage::fill() {
  delete layout();
  if (inside_ != nullptr) {
    inside_->hide();
    inside_->deleteLater();  // one of its buttons may be the sender
  }
  inside_ = new QWidget(this);
  inside_->setMaximumWidth(860);
  inside_->setMinimumWidth(std::min(540, shell_.window->width() - 80));  // texts on one line if there is space
  auto* outer = new QVBoxLayout(this);
  outer->addStretch(1);
  outer->addWidget(inside_, 0, Qt::AlignHCenter);
  outer->addStretch(2);
  auto* column = new QVBoxLayout(inside_);
  auto* title = new QLabel(QStringLiteral("Arenascope"), inside_);
  title->setFont(title_font(title->font()));
  doing_ = new QLabel(tr("Memory visualizer, profiler and step debugger for tensor programs"), inside_);
  doing_->setObjectName(QStringLiteral("doing"));
  doing_->setWordWrap(true);
  auto* drop =
      new QLabel(tr("Or drop a model, a recording, a trace of another tool or a CSV of buffers here."), inside_);
  drop->setWordWrap(true);
  auto* lists = new QHBoxLayout;
  column->addWidget(title);
  column->addWidget(doing_);
  column->addSpacing(8);
  column->addLayout(ways());
  column->addWidget(drop);
  column->addSpacing(12);
  column->addLayout(lists);

  const QStringList files = recent_files();
  QVBoxLayout* recent = files.isEmpty() ? nullptr : list(tr("Recent"));
  recent_.clear();
  reading_.cancel();
  if (recent != nullptr) add_recent(recent, files.first(std::min<qsizetype>(files.size(), kMaxRecent)));
  QVBoxLayout* examples = list(tr("Built-in models"));
  for (const auto& entry : models::zoo()) {
    const QString name = QString::fromUtf8(entry.name);
    if (std::none_of(std::begin(kExamples), std::end(kExamples),
                     [&](const char* e) { return name == QLatin1String(e); }))
      continue;
    add_spec(examples, QStringLiteral("zoo:") + name, name, QString::fromUtf8(entry.description));
  }
  QVBoxLayout* lessons = list(tr("Lessons"));
  add_next_lesson(lessons);
  for (const ActionRegistry::Entry& entry : shell_.actions->all()) {
    if (!QLatin1String(entry.id).startsWith(QLatin1String("lesson."))) continue;
    QPushButton* button = line(inside_, title_of(*entry.action) + progress_of(QString::fromLatin1(entry.id).mid(7)),
                               entry.action->toolTip());
    connect(button, &QPushButton::clicked, entry.action, &QAction::trigger);
    lessons->addWidget(button);
  }
  for (QVBoxLayout* each : {recent, examples, lessons}) {
    if (each == nullptr) continue;
    each->addStretch(1);
    lists->addLayout(each, 1);
  }
}

// Covers the panels, between the toolbars.
void WelcomePage::update_position() {
  int top = 0, bottom = shell_.window->height();
  for (const QToolBar* bar : shell_.window->findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (!bar->isVisible() || bar->isFloating()) continue;
    if (shell_.window->toolBarArea(bar) == Qt::TopToolBarArea) top = std::max(top, bar->geometry().bottom() + 1);
    if (shell_.window->toolBarArea(bar) == Qt::BottomToolBarArea) bottom = std::min(bottom, bar->geometry().top());
  }
  setGeometry(0, top, shell_.window->width(), bottom - top);
}

bool WelcomePage::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (isHidden()) return QWidget::eventFilter(watched, event);
  if (watched != shell_.window) {
    if (type == QEvent::ZOrderChange || type == QEvent::Show) stand_over();
  } else if (type == QEvent::Resize || type == QEvent::LayoutRequest || type == QEvent::Show) {
    update_position();
  }
  return QWidget::eventFilter(watched, event);
}

// Frames use colours of the theme.
void WelcomePage::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && !isHidden()) fill();
  QWidget::changeEvent(event);
}

void WelcomePage::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Window));
  painter.setPen(QPen(palette().color(QPalette::Mid), 1.5, Qt::DashLine));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.drawRoundedRect(QRectF(rect()).adjusted(16, 16, -16, -16), 10, 10);
}

}  // namespace arenascope::app
