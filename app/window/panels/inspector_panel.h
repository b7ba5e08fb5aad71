// SPDX-License-Identifier: GPL-3.0-or-later
// The inspector with breadcrumbs above it and the values of the selected tensor below it, if available.
#pragma once
#include <views/inspector/breadcrumbs.h>
#include <views/inspector/inspector_view.h>
#include <views/tensor/tensor_view.h>

#include "app/window/document/document.h"

namespace arenascope::app {

class InspectorPanel : public QWidget {
  Q_OBJECT
 public:
  InspectorPanel(Document& document, QWidget* parent);
  void set_document(Document& document);
  views::InspectorView* inspector() const { return inspector_; }
  views::Breadcrumbs* breadcrumbs() const { return breadcrumbs_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void listen();
  void ask_values();
  void show_values(const std::shared_ptr<const views::TensorValues>& values, const QString& title);

  Document* document_;
  views::ConnectionScope bond_;
  views::InspectorView* inspector_;
  views::Breadcrumbs* breadcrumbs_;
  views::TensorView* values_;
};

}  // namespace arenascope::app
