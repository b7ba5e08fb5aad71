// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/window/shell.h"
#include "dialogs.h"

namespace arenascope::app {

namespace {

constexpr int kLargest = 1 << 24;

}  // namespace

// Values are saved for the file, which is reopened with them.
void show_input_sizes(Shell& shell) {
  const RunController* runner = shell.document().runner();
  const QString spec = runner->spec();
  std::vector<InputSize> sizes = runner->input_sizes();
  std::erase_if(sizes, [](const InputSize& size) { return size.key.empty(); });
  if (sizes.empty()) return;
  QDialog* dialog = make_dialog(shell.window, "sizes", Shell::tr("Input Shapes"));
  auto* column = new QVBoxLayout(dialog);
  auto* why = new QLabel(Shell::tr("These dimensions are dynamic. Your values are saved for this file."), dialog);
  why->setWordWrap(true);
  column->addWidget(why);
  auto* inside = new QWidget(dialog);
  auto* form = new QFormLayout(inside);
  std::vector<QSpinBox*> boxes;
  for (const InputSize& size : sizes) {
    auto* box = new QSpinBox(inside);
    box->setRange(1, kLargest);
    box->setValue(static_cast<int>(std::min<int64_t>(size.size, kLargest)));
    box->setAccessibleName(size.label);
    form->addRow(size.label, box);
    boxes.push_back(box);
  }
  auto* scroll = new QScrollArea(dialog);
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);  // its spin boxes take the focus
  scroll->setAccessibleName(dialog->windowTitle());
  column->addWidget(scroll, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
  column->addWidget(buttons);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [&shell, dialog, spec, sizes, boxes] {
    std::map<std::string, int64_t> chosen;
    for (size_t i = 0; i < sizes.size(); ++i) chosen[sizes[i].key] = boxes[i]->value();
    remember_sizes(spec, chosen);
    dialog->close();
    Document& document = shell.document();
    if (document.spec() == spec)
      document.open(spec, document.runner()->settings());
    else
      shell.open(spec);
  });
  dialog->resize(460, std::min(160 + 34 * static_cast<int>(sizes.size()), 520));
  dialog->show();
}

}  // namespace arenascope::app
