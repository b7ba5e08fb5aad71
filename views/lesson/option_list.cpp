// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/option_list.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QRadioButton>
#include <QTextDocument>
#include <QVBoxLayout>

namespace arenascope::views {
namespace {

class Line : public QWidget {
 public:
  Line(const QString& markdown, QWidget* parent) : QWidget(parent), button_(new QRadioButton(this)) {
    auto* text = new QLabel(this);
    text->setTextFormat(Qt::MarkdownText);
    text->setWordWrap(true);
    text->setText(markdown);
    QTextDocument plain;
    plain.setMarkdown(markdown);
    button_->setAccessibleName(plain.toPlainText().trimmed());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(button_);
    row->addWidget(text, 1);
  }
  QRadioButton* button() const { return button_; }

 protected:
  void mousePressEvent(QMouseEvent* event) override { event->accept(); }
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (rect().contains(event->pos())) button_->click();
  }

 private:
  QRadioButton* button_;
};

}  // namespace

OptionList::OptionList(QWidget* parent) : QWidget(parent), group_(new QButtonGroup(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 4);
}

void OptionList::set_options(const QStringList& markdown) {
  for (QAbstractButton* old : group_->buttons()) {
    group_->removeButton(old);
    delete old->parentWidget();
  }
  for (const QString& option : markdown) {
    auto* line = new Line(option, this);
    group_->addButton(line->button(), static_cast<int>(group_->buttons().size()));
    layout()->addWidget(line);
  }
}

}  // namespace arenascope::views
