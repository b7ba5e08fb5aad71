// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/bytes/byte_lens_view.h>

#include <arenascope/tensor/dtype.h>
#include <views/bytes/lens_text.h>
#include <views/common/csv_line.h>
#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace arenascope::views {
namespace {

constexpr int64_t kMaxSelected = 256;  // elements of a tensor that is shown
constexpr int kFieldsWidth = 260;

// How long cells move from one operation to the next, and how long playing waits for the next one.
struct Pace {
  int morph, wait;  // milliseconds
};
constexpr Pace kPaces[] = {{1200, 2600}, {500, 1300}, {200, 500}, {0, 1300}};  // slow, normal, fast, without motion
constexpr int kNormalPace = 1;

const lesson::LensExperiment* experiment_named(const QString& name) {
  const auto all = lesson::lens_experiments();
  const auto found = std::ranges::find(all, name.toStdString(), &lesson::LensExperiment::name);
  return found == all.end() ? nullptr : &*found;
}

std::string joined(const std::vector<int64_t>& numbers) {
  std::string out;
  for (const int64_t n : numbers) out.append(out.empty() ? "" : " ").append(std::to_string(n));
  return out;
}

// The parameters of the experiment "strides" for a tensor; none: it is too large, or of a block type.
std::optional<lesson::LensInput> strides_of(const trace::TensorInfo& tensor, const trace::TensorInfo* source) {
  const auto type = parse_dtype(tensor.dtype);
  if (!type || info(*type).quantised || tensor.shape.empty()) return std::nullopt;
  const int64_t element = element_bytes(*type), storage = (source ? source->bytes : tensor.bytes) / element;
  if (storage < 1 || storage > kMaxSelected) return std::nullopt;
  std::vector<int64_t> strides;
  for (const int64_t stride : tensor.strides) strides.push_back(stride / element);
  return lesson::LensInput{{"shape", joined(tensor.shape)},
                           {"strides", joined(strides)},
                           {"offset", std::to_string(tensor.view_offset / element)},
                           {"storage", std::to_string(storage)},
                           {"element", std::to_string(element)}};
}

struct LensRun {
  std::string experiment;
  std::vector<lesson::LensFrame> frames;
  QString problem;
};

}  // namespace

ByteLensView::ByteLensView(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      source_(context.source),
      selection_(context.selection),
      chooser_(new QComboBox(this)),
      selected_(new QPushButton(this)),
      controls_(new QVBoxLayout),
      back_(new QToolButton(this)),
      forward_(new QToolButton(this)),
      play_(new QToolButton(this)),
      pace_(new QComboBox(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      position_(new QLabel(this)),
      problem_(new QLabel(this)),
      canvas_(new LensCanvas(context.theme, this)) {
  for (const lesson::LensExperiment& experiment : lesson::lens_experiments())
    chooser_->addItem(QString(), QString::fromLatin1(experiment.name));
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  back_->setText(QStringLiteral("◀"));
  forward_->setText(QStringLiteral("▶"));
  for (QToolButton* button : {back_, forward_}) button->setAutoRepeat(true);
  problem_->setWordWrap(true);
  auto* steps = new QHBoxLayout;
  for (QWidget* widget : {static_cast<QWidget*>(back_), static_cast<QWidget*>(slider_), static_cast<QWidget*>(forward_),
                          static_cast<QWidget*>(position_)})
    steps->addWidget(widget);
  controls_->addWidget(chooser_);
  controls_->addWidget(selected_);
  play_->setText(QStringLiteral("▶▶"));
  play_->setCheckable(true);
  for (size_t i = 0; i < std::size(kPaces); ++i) pace_->addItem(QString());
  pace_->setCurrentIndex(kNormalPace);
  auto* playing = new QHBoxLayout;
  playing->addWidget(play_);
  playing->addWidget(pace_, 1);
  controls_->addLayout(steps);
  controls_->addLayout(playing);
  controls_->addWidget(problem_);
  controls_->addStretch();
  auto* left = new QWidget(this);
  left->setLayout(controls_);
  left->setFixedWidth(kFieldsWidth);
  auto* both = new QHBoxLayout(this);
  both->setContentsMargins(0, 0, 0, 0);
  both->setSpacing(0);
  both->addWidget(left);
  both->addWidget(canvas_, 1);
  connect_controls();
  retranslate();
  set_context(context);
}

void ByteLensView::connect_controls() {
  connect(chooser_, &QComboBox::activated, this, [this] { show_experiment(chooser_->currentData().toString()); });
  connect(selected_, &QPushButton::clicked, this, &ByteLensView::show_selected);
  connect(back_, &QToolButton::clicked, this, [this] { show_frame(frame() - 1); });
  connect(forward_, &QToolButton::clicked, this, [this] { show_frame(frame() + 1); });
  connect(slider_, &QSlider::valueChanged, this, &ByteLensView::show_frame);
  connect(&run_, &Background::done, this, &ByteLensView::take);
  connect(pace_, &QComboBox::currentIndexChanged, this, &ByteLensView::update_pace);
  connect(&player_, &QTimer::timeout, this, &ByteLensView::play_next);
  connect(play_, &QToolButton::toggled, this, [this](bool on) {
    if (!on) return player_.stop();
    if (frame() == slider_->maximum()) show_frame(0);
    player_.start();
  });
  update_pace();
}

void ByteLensView::set_context(const ViewContext& context) {
  source_ = context.source;
  selection_ = context.selection;
  connect(selection_, &SelectionModel::current_changed, connections_.reset(), [this] { update_selected(); });
  update_selected();
}

// The first experiment is run when the panel is opened.
void ByteLensView::showEvent(QShowEvent*) {
  if (frames_.empty() && fields_ == nullptr) show_experiment(chooser_->itemData(0).toString());
}

void ByteLensView::paint(QPainter* painter, QSize size) {
  if (frames_.empty() && fields_ == nullptr) {
    const lesson::LensExperiment& first = lesson::lens_experiments().front();
    chooser_->setCurrentIndex(0);
    make_fields({});
    if (auto frames = lesson::run_lens(first.name, {}); frames) set_frames(std::move(*frames));
  }
  const int shown = frame();
  if (shown == 0) show_frame(slider_->maximum());
  canvas_->paint(painter, size);
  show_frame(shown);
}

void ByteLensView::show_experiment(const QString& name, const lesson::LensInput& input) {
  chooser_->setCurrentIndex(chooser_->findData(name));
  make_fields(input);
  run();
}

// One field per parameter of the current experiment, each with its default or the given value.
void ByteLensView::make_fields(const lesson::LensInput& input) {
  delete fields_;
  fields_ = new QWidget(this);
  auto* form = new QFormLayout(fields_);
  form->setContentsMargins(0, 0, 0, 0);
  form->setRowWrapPolicy(QFormLayout::WrapAllRows);
  const lesson::LensExperiment* experiment = experiment_named(chooser_->currentData().toString());
  if (experiment == nullptr) return;
  for (const lesson::LensParameter& parameter : experiment->parameters) {
    const auto given = input.find(parameter.name);
    auto* field = new QLineEdit(QString::fromStdString(given == input.end() ? parameter.value : given->second));
    field->setObjectName(QString::fromLatin1(parameter.name));
    field->setAccessibleName(LensText::parameter(parameter.name));
    field->setCursorPosition(0);
    field->setToolTip(field->text());  // a long one is cut
    form->addRow(LensText::parameter(parameter.name), field);
    connect(field, &QLineEdit::editingFinished, this, [this, field] {
      if (std::exchange(field_text_[field->objectName()], field->text()) != field->text()) run();
    });
    field_text_[field->objectName()] = field->text();
  }
  controls_->insertWidget(2, fields_);
}

QLineEdit* ByteLensView::field(const char* parameter) const {
  return fields_ == nullptr ? nullptr : fields_->findChild<QLineEdit*>(QString::fromLatin1(parameter));
}

void ByteLensView::run() {
  const lesson::LensExperiment* experiment = experiment_named(chooser_->currentData().toString());
  if (experiment == nullptr) return;
  lesson::LensInput input;
  for (const lesson::LensParameter& parameter : experiment->parameters)
    input[parameter.name] = field(parameter.name)->text().toStdString();
  run_.request([name = std::string(experiment->name), input = std::move(input)](std::stop_token) -> Background::Result {
    auto run = std::make_shared<LensRun>();
    run->experiment = name;
    lesson::LensProblem problem;
    auto frames = lesson::run_lens(name, input, &problem);
    if (frames)
      run->frames = std::move(*frames);
    else
      run->problem = LensText::problem(problem);
    return run;
  });
}

// After an error the last frames stay if they are of the same experiment.
void ByteLensView::take(const std::shared_ptr<const void>& result) {
  const auto run = std::static_pointer_cast<const LensRun>(result);
  problem_->setText(run->problem);
  problem_->setVisible(!run->problem.isEmpty());
  if (!run->problem.isEmpty() && run->experiment == shown_) return;
  shown_ = run->experiment;
  set_frames(run->frames);
  Q_EMIT frames_changed();
}

void ByteLensView::set_frames(std::vector<lesson::LensFrame> frames) {
  play_->setChecked(false);
  frames_ = std::move(frames);
  kinds_ = lens_kinds(frames_);
  slider_->setRange(0, static_cast<int>(frames_.size()) - 1);
  slider_->setValue(0);
  if (frames_.empty()) {
    canvas_->set_frame({}, {}, {});
    update_buttons();
  }
  show_frame(0);
}

void ByteLensView::show_frame(int frame) {
  if (frame < 0 || frame >= static_cast<int>(frames_.size())) return;
  slider_->setValue(frame);
  const lesson::LensFrame& shown = frames_[static_cast<size_t>(frame)];
  canvas_->set_frame(shown,
                     frame == 0 ? tr("Before the first operation. Step forward with ▶ or the arrow keys.")
                                : LensText::operation(shown),
                     kinds_);
  update_buttons();
}

void ByteLensView::update_pace() {
  const Pace& pace = kPaces[std::max(pace_->currentIndex(), 0)];
  canvas_->set_pace(pace.morph);
  player_.setInterval(pace.wait);
}

void ByteLensView::play_next() {
  show_frame(frame() + 1);
  if (frame() >= slider_->maximum()) play_->setChecked(false);
}

void ByteLensView::update_buttons() {
  const int last = slider_->maximum();
  back_->setEnabled(frame() > 0);
  forward_->setEnabled(frame() < last);
  play_->setEnabled(last > 0);
  position_->setText(tr("%1 of %2").arg(frame()).arg(last));
}

// A selected node may be of another graph than the shown one.
trace::GraphId ByteLensView::selected_graph() const {
  const auto* node = selection_->current().get<NodeSelection>();
  return node != nullptr ? node->graph : source_->graph_id();
}

const trace::TensorInfo* ByteLensView::selected_tensor() const {
  const auto& snapshot = *source_->snapshot();
  return snapshot.tensor(selected_graph(), tensor_of(selection_->current(), snapshot));
}

void ByteLensView::update_selected() { selected_->setEnabled(selected_tensor() != nullptr); }

void ByteLensView::show_selected() {
  const trace::TensorInfo* tensor = selected_tensor();
  if (tensor == nullptr) return;
  const auto input = strides_of(*tensor, source_->snapshot()->tensor(selected_graph(), tensor->view_source));
  if (input) return show_experiment(QStringLiteral("strides"), *input);
  problem_->setText(tr("%1 cannot be shown element by element: it has a block type or more than %2 elements.")
                        .arg(QString::fromStdString(tensor->name))
                        .arg(kMaxSelected));
  problem_->show();
}

QString ByteLensView::to_csv() const {
  QString csv = QStringLiteral("strip,unit,begin,length,kind,label\n");
  if (frames_.empty()) return csv;
  constexpr const char* kUnits[] = {"bytes", "bits", "slots", "steps"};
  for (const lesson::LensStrip& strip : frames_[static_cast<size_t>(frame())].strips)
    for (const lesson::LensCell& cell : strip.cells)
      csv += csv_line({LensText::strip(strip), QString::fromLatin1(kUnits[static_cast<size_t>(strip.unit)]),
                       QString::number(cell.begin), QString::number(cell.length), LensText::kind(cell.kind),
                       QString::fromStdString(cell.label)});
  return csv;
}

void ByteLensView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

void ByteLensView::retranslate() {
  for (int i = 0; i < chooser_->count(); ++i)
    chooser_->setItemText(i, LensText::experiment(chooser_->itemData(i).toString().toLatin1().constData()));
  chooser_->setAccessibleName(tr("Experiment"));
  selected_->setText(tr("Selected Tensor"));
  selected_->setToolTip(tr("Show the sizes and strides of the selected tensor."));
  back_->setToolTip(tr("Previous operation"));
  back_->setAccessibleName(tr("Previous operation"));
  forward_->setToolTip(tr("Next operation"));
  forward_->setAccessibleName(tr("Next operation"));
  slider_->setAccessibleName(tr("Operation"));
  play_->setToolTip(tr("Play all operations"));
  play_->setAccessibleName(tr("Play all operations"));
  pace_->setToolTip(tr("Pace of the motion from one operation to the next"));
  pace_->setAccessibleName(tr("Pace"));
  const QString paces[] = {tr("slow"), tr("normal"), tr("fast"), tr("without motion")};
  for (int i = 0; i < pace_->count(); ++i) pace_->setItemText(i, paces[i]);
  if (fields_ != nullptr)
    for (QLineEdit* field : fields_->findChildren<QLineEdit*>()) {
      const QString name = LensText::parameter(field->objectName().toLatin1().constData());
      field->setAccessibleName(name);
      auto* label = static_cast<QFormLayout*>(fields_->layout())->labelForField(field);
      static_cast<QLabel*>(label)->setText(name);
    }
  if (!frames_.empty()) show_frame(frame());
  update_buttons();
}

}  // namespace arenascope::views
