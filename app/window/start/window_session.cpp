// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_session.h"

#include <views/common/settings.h>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSettings>

#include <algorithm>

#include "app/window/document/annotations.h"
#include "app/window/document/attached.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kInterval = 3000;  // ms between two stored states
constexpr auto kDocuments = "session/documents", kCurrent = "session/current", kUnfinished = "session/unfinished";

// Lessons have their own progress, and an attached program is not started again.
bool is_stored(Document& document) {
  return document.source()->session() && !document.spec().isEmpty() && !is_attach_spec(document.spec()) &&
         !document.runner()->settings().from_lesson;
}

// A model has its content once its first run has ended, a recording once it has been read.
bool is_complete(Document& document) {
  RunController* runner = document.runner();
  if (runner == nullptr || runner->opening().running()) return false;
  const auto& runs = document.source()->snapshot()->runs;
  return !runner->has_model() || (runner->state() == RunState::Ready && !runs.empty() && runs.back().finished);
}

// Choices that the user made before the stored ones could be applied stay.
template <class State>
void keep_choice(const State& current, State& stored) {
  if (current != State()) stored = current;
}

void keep_choices(const ViewState& current, ViewState& stored) {
  GraphView::ViewState graph = current.graph;  // whose scale and offset follow its content
  graph.scale = 0;
  graph.offset = {};
  if (graph != GraphView::ViewState()) stored.graph = current.graph;
  keep_choice(current.flame, stored.flame);
  keep_choice(current.occupancy, stored.occupancy);
  keep_choice(current.arena, stored.arena);
  keep_choice(current.lifetimes, stored.lifetimes);
  keep_choice(current.timeline, stored.timeline);
  keep_choice(current.search, stored.search);
  keep_choice(current.query, stored.query);
  keep_choice(current.mark, stored.mark);
  for (auto table = current.tables.begin(); table != current.tables.end(); ++table)
    keep_choice(*table, stored.tables[table.key()]);
}

}  // namespace

QString WindowSession::lock_path() { return QFileInfo(QSettings().fileName()).dir().filePath("session.lock"); }

WindowSession::WindowSession(Shell& shell) : QObject(shell.window), shell_(shell), lock_(lock_path()) {
  lock_.setStaleLockTime(0);
  timer_.setInterval(kInterval);
  connect(&timer_, &QTimer::timeout, this, &WindowSession::save);
  Documents* documents = shell.documents;
  connect(documents, &Documents::opening_begun, this, &WindowSession::on_opening_begun);
  connect(documents, &Documents::opening_failed, this, &WindowSession::on_opening_failed);
  connect(documents, &Documents::opened, this, &WindowSession::on_opened);
  connect(documents, &Documents::switched, this, [this] {
    if (!shows_) current_.clear();
  });
  connect(documents, &Documents::closing, this, [this](size_t index) {
    Document& document = (*shell_.documents)[index];
    for (const QString& spec : {document.spec(), document.take_requested()}) on_opening_failed(spec);
  });
}

void WindowSession::begin() {
  if (stores_) return;
  QDir().mkpath(QFileInfo(lock_path()).path());
  stores_ = lock_.tryLock(0);
  if (stores_) timer_.start();
}

void WindowSession::save() {
  if (!stores_) return;
  shell_.panels->leave(shell_.document());
  QJsonArray documents;
  std::vector<Entry> waiting = waiting_;
  for (size_t i = 0; i < shell_.documents->size(); ++i) {
    Document& document = (*shell_.documents)[i];
    if (!is_stored(document)) continue;
    const auto stored = find(document.spec(), document.runner()->settings().plan_only);
    documents << (stored == waiting_.end() ? entry_of(document) : stored->json);
    if (stored != waiting_.end())
      std::erase_if(waiting, [&](const Entry& entry) { return entry.json == stored->json; });
  }
  for (const Entry& entry : waiting) documents << entry.json;
  Settings::set(kDocuments, QJsonDocument(documents).toJson(QJsonDocument::Compact));
  Settings::set(kCurrent, current_.isEmpty() ? shell_.document().spec() : current_);
}

void WindowSession::end() {
  save();
  unfinished_.clear();
  store_unfinished();
}

QJsonObject WindowSession::entry_of(Document& document) {
  const RunSettings& settings = document.runner()->settings();
  return {{"spec", document.spec()},
          {"plan_only", settings.plan_only},
          {"rewrite", settings.rewrite},
          {"fuse", settings.fuse},
          {"view", document.whole_view_state().to_json()}};
}

OpenRequest WindowSession::request_of(const Entry& entry) const {
  OpenRequest request{entry.spec, shell_.preferences.run, true};
  RunSettings& settings = request.settings;
  settings.plan_only = entry.json["plan_only"].toBool();
  settings.rewrite = entry.json["rewrite"].toBool(settings.rewrite);
  settings.fuse = entry.json["fuse"].toBool(settings.fuse);
  return request;
}

std::vector<WindowSession::Entry>::iterator WindowSession::find(const QString& spec, bool plan_only) {
  return std::ranges::find_if(waiting_, [&](const Entry& entry) {
    return entry.spec == spec && entry.json["plan_only"].toBool() == plan_only;
  });
}

void WindowSession::restore() {
  if (!stores_) return;
  const QStringList unfinished = Settings::value(kUnfinished).toStringList();
  std::vector<OpenRequest> requests;
  for (const auto& value : QJsonDocument::fromJson(Settings::value(kDocuments).toByteArray()).array()) {
    const Entry entry{value.toObject()["spec"].toString(), value.toObject()};
    if (entry.spec.isEmpty() || find(entry.spec, entry.json["plan_only"].toBool()) != waiting_.end()) continue;
    if (unfinished.contains(entry.spec)) {
      if (!skipped_.contains(entry.spec)) skipped_ << entry.spec;
      continue;
    }
    waiting_.push_back(entry);
    requests.push_back(request_of(entry));
  }
  const QString shown = Settings::value(kCurrent).toString();
  for (const Entry& entry : waiting_)
    if (entry.spec == shown) current_ = shown;
  store_unfinished();
  if (requests.empty()) report_skipped();
  shell_.documents->open_all(requests);
}

// Opening a document clears the messages of the empty one that it replaces.
void WindowSession::report_skipped() {
  for (const QString& spec : std::exchange(skipped_, {}))
    shell_.messages().post(MessageKind::Warning,
                           tr("%1 was not reopened: the program ended while it was being opened.").arg(spec));
}

// Written at once: reading a file may end the program.
void WindowSession::store_unfinished() {
  if (!stores_ || Settings::value(kUnfinished).toStringList() == unfinished_) return;
  Settings::set(kUnfinished, unfinished_);
  Settings::flush();
}

void WindowSession::on_opening_begun(const QString& spec) {
  if (!unfinished_.contains(spec)) unfinished_ << spec;
  store_unfinished();
}

void WindowSession::set_finished(const QString& spec) {
  if (unfinished_.removeAll(spec) > 0) store_unfinished();
}

void WindowSession::on_opening_failed(const QString& spec) {
  set_finished(spec);
  if (spec == current_) current_.clear();
  std::erase_if(waiting_, [&](const Entry& entry) { return entry.spec == spec; });
  if (waiting_.empty()) report_skipped();
}

void WindowSession::on_opened(Document* document) {
  report_skipped();
  for (size_t i = 0; !current_.isEmpty() && i < shell_.documents->size(); ++i)
    if ((*shell_.documents)[i].spec() == current_) {
      shows_ = true;
      shell_.documents->show(i);
      shows_ = false;
      current_.clear();
    }
  auto* bond = new QObject(document);
  const auto check = [this, document, bond, done = std::make_shared<bool>(false)] {
    if (*done || !is_complete(*document)) return;
    *done = true;
    bond->deleteLater();
    QMetaObject::invokeMethod(
        document, [this, document] { on_complete(document); }, Qt::QueuedConnection);
  };
  connect(document, &Document::tasks_changed, bond, check);
  connect(document, &Document::state_changed, bond, check);
  connect(document->source(), &SessionSource::changed, bond, check);
  connect(document, &Document::failed, bond, [this, document] { set_finished(document->spec()); });
  check();
}

void WindowSession::on_complete(Document* document) {
  if (document->runner() == nullptr) return;  // closed meanwhile
  set_finished(document->spec());
  const auto annotations = Annotations::from_json(document->source()->snapshot()->annotations.json);
  if (annotations) document->show_notes_of_file(annotations->notes);
  const auto entry = find(document->spec(), document->runner()->settings().plan_only);
  if (entry == waiting_.end()) {  // a recording opens as it was saved
    if (annotations) apply(*document, annotations->view);
    return;
  }
  const ViewState stored = ViewState::from_json(entry->json["view"].toObject());
  waiting_.erase(entry);
  apply(*document, stored);
}

void WindowSession::apply(Document& document, const ViewState& stored) {
  const bool is_current = &document == &shell_.document();
  if (is_current) shell_.panels->leave(document);
  ViewState state = stored;
  keep_choices(document.view_state(), state);
  document.view_state() = state;
  if (is_current) shell_.panels->set_document(document);
  SharedAxis& axis = *document.axis();
  if ((axis.mode() == AxisMode::Step || !axis.has_steps()) && axis.range() == axis.limits()) {
    axis.set_mode(state.axis, state.by_runs);
    const bool has_unit = axis.mode() == state.axis && axis.frame().by_runs() == state.by_runs;
    if (state.range && has_unit) axis.set_range(*state.range);
  }
  const trace::Snapshot& snapshot = *document.source()->snapshot();
  if (state.selected && document.selection()->current().empty() &&
      snapshot.tensor(state.selected->graph, state.selected->tensor) != nullptr)
    document.selection()->select(*state.selected);
}

}  // namespace arenascope::app
