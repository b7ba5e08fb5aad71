// SPDX-License-Identifier: GPL-3.0-or-later
#include "documents.h"

#include <algorithm>

namespace arenascope::app {

Documents::Documents(views::Theme* theme, QObject* parent) : QObject(parent), theme_(theme) { all_.push_back(make()); }

Documents::~Documents() { disconnect(); }

std::unique_ptr<Document> Documents::make() {
  auto document = std::make_unique<Document>(theme_);
  Document* d = document.get();
  d->messages()->set_log(&log_, [d] { return d->title(); });
  connect(d, &Document::opened, this, [this, d] { on_opened(d); });
  connect(d, &Document::failed, this, [this, d](const QString& message) { on_failed(d, message); });
  connect(d, &Document::tasks_changed, this, &Documents::tasks_changed);
  return document;
}

void Documents::open(const QString& spec, const RunSettings& settings) {
  if (opening_) {  // gives way to this one; one of several is opened afterwards
    const QString other = request_.spec;
    if (from_queue_) to_open_.push_front(request_);
    Document::close_async(std::move(opening_));
    if (!from_queue_) Q_EMIT opening_failed(other);
  }
  from_queue_ = false;
  begin({spec, settings});
}

void Documents::begin(const OpenRequest& request) {
  const auto& [spec, settings, in_background] = request;
  Q_EMIT opening_begun(spec);
  for (size_t i = 0; i < all_.size(); ++i)
    if (all_[i]->spec() == spec && all_[i]->source()->session() &&
        all_[i]->runner()->settings().from_lesson == settings.from_lesson &&
        all_[i]->runner()->settings().plan_only == settings.plan_only) {
      if (!in_background) show(i);
      return all_[i]->open(spec, settings);  // reload: the file may have changed
    }
  if (current().empty()) return current().open(spec, settings);
  request_ = request;
  opening_ = make();
  opening_->open(spec, settings);
}

void Documents::open_all(const std::vector<OpenRequest>& requests) {
  to_open_.insert(to_open_.end(), requests.begin(), requests.end());
  open_first();
}

bool Documents::is_opening() const {
  return opening_ ||
         std::ranges::any_of(all_, [](const auto& each) { return each->runner()->state() == RunState::Opening; });
}

void Documents::open_first() {
  if (to_open_.empty() || is_opening()) return;
  const OpenRequest request = std::move(to_open_.front());
  to_open_.pop_front();
  from_queue_ = true;
  begin(request);
}

void Documents::open_next() {
  if (!to_open_.empty()) QMetaObject::invokeMethod(this, &Documents::open_first, Qt::QueuedConnection);
}

void Documents::cancel_opening() {
  for (const OpenRequest& request : std::exchange(to_open_, {})) Q_EMIT opening_failed(request.spec);
  (opening_ ? *opening_ : current()).runner()->opening().cancel();
}

void Documents::on_opened(Document* document) {
  if (opening_.get() == document) {
    all_.push_back(std::move(opening_));
    if (!request_.in_background) show(all_.size() - 1);
  }
  Q_EMIT opened(document);
  Q_EMIT changed();
  open_next();
}

// If the document is still being opened, the error is shown in the current document.
void Documents::on_failed(Document* document, const QString& message) {
  const RunState state = document->runner()->state();
  const QString requested = state == RunState::Opening ? QString() : document->take_requested();
  if (opening_.get() == document && state == RunState::Empty) {
    current().messages()->fail(message);
    Document::close_async(std::move(opening_));
    Q_EMIT tasks_changed();
  }
  if (!requested.isEmpty()) Q_EMIT opening_failed(requested);
  open_next();
}

std::vector<views::Task*> Documents::tasks() {
  std::vector<views::Task*> out;
  if (opening_) out = opening_->jobs().tasks.running();
  const auto of_current = current().jobs().tasks.running();
  out.insert(out.end(), of_current.begin(), of_current.end());
  return out;
}

std::vector<std::pair<Document*, views::Task*>> Documents::all_tasks() {
  std::vector<std::pair<Document*, views::Task*>> out;
  const auto add = [&out](Document* document) {
    for (views::Task* task : document->jobs().tasks.running()) out.emplace_back(document, task);
  };
  if (opening_) add(opening_.get());
  for (const auto& document : all_) add(document.get());
  return out;
}

void Documents::show(size_t index) {
  if (index == at_ || index >= all_.size()) return;
  Q_EMIT leaving();
  current().deactivate();
  at_ = index;
  Q_EMIT switched();
  Q_EMIT changed();
}

void Documents::show_next(int direction) {
  const int count = static_cast<int>(all_.size());
  show(static_cast<size_t>((static_cast<int>(at_) + direction + count) % count));
}

void Documents::close(size_t index) {
  if (index >= all_.size() || (all_.size() == 1 && all_[0]->empty())) return;
  Q_EMIT closing(index);
  if (all_.size() == 1) all_.push_back(make());
  if (index == at_) show(index + 1 < all_.size() ? index + 1 : index - 1);
  const QString title = all_[index]->title();
  const bool kept = all_[index]->will_be_kept();
  // A file that is still being written is completed; errors go to the log.
  const Saver* saver = all_[index]->jobs().saver.get();
  Document::close_async(std::move(all_[index]));
  connect(saver, &Saver::failed, this,
          [this, title](const QString& message) { log_.add(MessageKind::Error, title, message); });
  all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(index));
  if (at_ > index) --at_;
  if (kept)
    current().messages()->note(
        tr("%1 was closed unsaved: its recording is under File ▸ Recover a Recording.").arg(title));
  Q_EMIT changed();
  open_next();  // it may have been opening
}

}  // namespace arenascope::app
