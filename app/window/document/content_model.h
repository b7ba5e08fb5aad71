// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the content of a document up to date while it is opened, run, recorded and compared.
#pragma once
#include <views/common/session_source.h>
#include <views/common/view_context.h>

#include <QObject>

#include "document_content.h"

namespace arenascope::app {

class RunController;

class ContentModel : public QObject {
  Q_OBJECT
 public:
  ContentModel(views::SessionSource* source, RunController* runner);
  const DocumentContent& current() const { return content_; }
  void stop() { bond_.reset(); }  // before the runner is closed

 Q_SIGNALS:
  void changed();

 private:
  void update();

  views::SessionSource* source_;
  RunController* runner_;
  views::ConnectionScope bond_;
  DocumentContent content_;
  bool replayable_ = false;
};

}  // namespace arenascope::app
