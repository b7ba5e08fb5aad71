// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline view with the peaks of this machine, which are measured on request and stored per processor.
#pragma once
#include <arenascope/peaks/machine_peaks.h>
#include <views/roofline/roofline_view.h>

#include "app/window/document/document.h"

namespace arenascope::app {

// The stored peaks of the processor; nullopt: never measured.
std::optional<MachinePeaks> stored_peaks(const QString& processor);
void store_peaks(const QString& processor, const MachinePeaks& peaks);

class RooflinePanel : public QObject {
  Q_OBJECT
 public:
  RooflinePanel(Document& document, views::RooflineView* view);
  void set_document(Document& document);
  views::Task* measuring() { return &measuring_; }

 private:
  void measure();
  void show_peaks();

  QPointer<Document> document_;
  views::RooflineView* view_;
  const QString processor_;
  views::Task measuring_;
};

}  // namespace arenascope::app
