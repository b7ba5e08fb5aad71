// SPDX-License-Identifier: GPL-3.0-or-later
#include "window_session.h"

#include <views/common/settings.h>
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>

#include <signal.h>

#include <cerrno>

#include "document/attached.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kDelay = 1000;  // ms between a change and its storage
constexpr auto kDocuments = "session/documents", kCurrent = "session/current", kProcess = "session/process";

// Another running program that stores its session.
bool has_owner() {
  const auto process = static_cast<pid_t>(Settings::value(kProcess).toLongLong());
  return process > 0 && process != QCoreApplication::applicationPid() && (::kill(process, 0) == 0 || errno == EPERM);
}

// Lessons have their own progress, and an attached program is not started again.
bool is_stored(Document& document) {
  return document.source()->session() && !document.spec().isEmpty() && !is_attach_spec(document.spec()) &&
         !document.runner()->settings().from_lesson;
}

// A model has its content once its first run has ended, a recording once it has been read.
bool is_complete(Document& document) {
  RunController& runner = *document.runner();
  if (runner.opening().running()) return false;
  const auto& runs = document.source()->snapshot()->runs;
  return !runner.has_model() || (runner.state() == RunState::Ready && !runs.empty() && runs.back().finished);
}

}  // namespace

WindowSession::WindowSession(Shell& shell) : QObject(shell.window), shell_(shell) {
  timer_.setSingleShot(true);
  timer_.setInterval(kDelay);
  connect(&timer_, &QTimer::timeout, this, &WindowSession::save);
  connect(shell.documents, &Documents::opened, this, &WindowSession::on_opened);
  connect(shell.documents, &Documents::changed, this, &WindowSession::save_soon);
  connect(shell.undo, &ViewUndo::changed, this, &WindowSession::save_soon);
}

void WindowSession::begin() {
  if (has_owner()) return;
  stores_ = true;
  Settings::set(kProcess, QCoreApplication::applicationPid());
  save_soon();
}

void WindowSession::save_soon() {
  if (stores_ && !timer_.isActive()) timer_.start();
}

void WindowSession::save() {
  timer_.stop();
  if (!stores_) return;
  shell_.panels->leave(shell_.document());
  QJsonArray documents;
  for (size_t i = 0; i < shell_.documents->size(); ++i)
    if (Document& document = (*shell_.documents)[i]; is_stored(document)) documents << entry_of(document);
  // The document that is being opened may be the cause of a crash; the ones after it are kept.
  for (const QString& spec : shell_.documents->to_open())
    if (const auto entry = waiting_.find(spec); entry != waiting_.end()) documents << entry->second;
  Settings::set(kDocuments, QJsonDocument(documents).toJson(QJsonDocument::Compact));
  Settings::set(kCurrent, shell_.document().spec());
}

QJsonObject WindowSession::entry_of(Document& document) {
  ViewState state = document.view_state();
  const SharedAxis& axis = *document.axis();
  state.axis = axis.mode();
  if (!(axis.range() == axis.limits())) state.range = axis.range();
  if (const auto* selected = std::get_if<NodeSelection>(&document.selection()->current().what))
    state.selected = *selected;
  return {{"spec", document.spec()}, {"view", state.to_json()}};
}

void WindowSession::restore() {
  if (has_owner()) return;
  QStringList specs;
  for (const auto& value : QJsonDocument::fromJson(Settings::value(kDocuments).toByteArray()).array()) {
    const QJsonObject entry = value.toObject();
    const QString spec = entry["spec"].toString();
    if (!spec.isEmpty() && waiting_.try_emplace(spec, entry).second) specs << spec;
  }
  current_ = Settings::value(kCurrent).toString();
  shell_.documents->open_all(specs, shell_.preferences.run);
}

void WindowSession::on_opened(Document* document) {
  const auto entry = waiting_.find(document->spec());
  if (entry == waiting_.end()) return;
  apply_when_ready(document, ViewState::from_json(entry->second["view"].toObject()));
  waiting_.erase(entry);
  for (size_t i = 0; i < shell_.documents->size(); ++i)
    if ((*shell_.documents)[i].spec() == current_) shell_.documents->show(i);
}

void WindowSession::apply_when_ready(Document* document, const ViewState& state) {
  auto* bond = new QObject(document);
  const auto check = [this, document, state, bond, done = std::make_shared<bool>(false)] {
    if (*done || !is_complete(*document)) return;
    *done = true;
    bond->deleteLater();
    QMetaObject::invokeMethod(
        document, [this, document, state] { apply(*document, state); }, Qt::QueuedConnection);
  };
  connect(document, &Document::tasks_changed, bond, check);
  connect(document, &Document::state_changed, bond, check);
  connect(document->source(), &SessionSource::changed, bond, check);
  check();
}

void WindowSession::apply(Document& document, const ViewState& state) {
  document.view_state() = state;
  if (&document == &shell_.document()) shell_.panels->set_document(document);
  document.axis()->set_mode(state.axis);
  if (state.range) document.axis()->set_range(*state.range);
  const trace::Snapshot& snapshot = *document.source()->snapshot();
  if (state.selected && snapshot.tensor(state.selected->graph, state.selected->tensor) != nullptr)
    document.selection()->select(*state.selected);
}

}  // namespace arenascope::app
