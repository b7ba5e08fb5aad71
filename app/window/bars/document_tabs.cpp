// SPDX-License-Identifier: GPL-3.0-or-later
#include "document_tabs.h"

#include <QSignalBlocker>

namespace arenascope::app {

DocumentTabs::DocumentTabs(Documents* documents, QWidget* parent) : QToolBar(parent), documents_(documents) {
  setObjectName(QStringLiteral("tabs"));
  setMovable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  setContentsMargins(0, 0, 0, 0);
  bar_ = new QTabBar(this);
  bar_->setObjectName(QStringLiteral("documents"));
  bar_->setTabsClosable(true);
  bar_->setDocumentMode(true);
  bar_->setExpanding(false);
  bar_->setElideMode(Qt::ElideMiddle);
  bar_->setUsesScrollButtons(true);
  bar_->setDrawBase(false);
  addWidget(bar_);
  connect(bar_, &QTabBar::currentChanged, this, [this](int i) {
    if (i >= 0) documents_->show(static_cast<size_t>(i));
  });
  connect(bar_, &QTabBar::tabCloseRequested, this, [this](int i) { documents_->close(static_cast<size_t>(i)); });
  connect(documents_, &Documents::changed, this, &DocumentTabs::update_tabs);
  update_tabs();
}

void DocumentTabs::update_tabs() {
  const QSignalBlocker quiet(bar_);
  const int count = static_cast<int>(documents_->size());
  while (bar_->count() > count) bar_->removeTab(bar_->count() - 1);
  while (bar_->count() < count) bar_->addTab({});
  for (int i = 0; i < count; ++i) {
    Document& document = (*documents_)[static_cast<size_t>(i)];
    const QString title = document.title();
    bar_->setTabText(i, title.isEmpty() ? tr("Nothing open") : QString(title).replace(u'&', QStringLiteral("&&")));
    bar_->setTabToolTip(i, document.spec());
  }
  bar_->setAccessibleName(tr("Open files"));
  bar_->setCurrentIndex(static_cast<int>(documents_->index()));
  setVisible(count > 1);  // a single document needs no tabs
}

}  // namespace arenascope::app
