// SPDX-License-Identifier: GPL-3.0-or-later
// Opens whatever a user names, told by its content: a model, zoo:NAME, a recording or another tool's trace, a CSV of
// buffers, a lesson's graph. Blocks; what it has to say meanwhile it says through OpenVoice.
#pragma once
#include <arenascope/trace/session.h>

#include <QString>

#include <functional>
#include <memory>

#include "input_sizes.h"
#include "run_settings.h"

namespace arenascope {
class Runner;  // not included here: the engine's headers do not know of Qt's keywords
struct RunnerOptions;
struct RunOptions;
}  // namespace arenascope

namespace arenascope::trace {
class Recorder;
}  // namespace arenascope::trace

namespace arenascope::app {

class Autosave;

struct Opened {
  Opened();
  ~Opened();
  Opened(Opened&&) noexcept;
  Opened& operator=(Opened&&) noexcept;

  std::shared_ptr<trace::Session> session;  // null: it could not be opened, and `problem` says why
  QString title, problem;
  std::vector<InputSize> sizes;  // of a model's inputs that its file leaves open
  // Of a model; null of all else. A model that cannot be run, for want of memory say, has no runner, and a problem.
  std::shared_ptr<trace::Recorder> recorder;
  std::shared_ptr<Autosave> autosave;
  std::unique_ptr<Runner> runner;
};

struct OpenVoice {
  std::function<void(const QString& phase, double share)> progress;  // below nought: nobody knows
  std::function<void(Runner& part, RunOptions& options)> watch;  // a part behind the graph runs; the runner keeps this
  std::function<void(const QString& loop, qint64 turn)> turn;    // a run goes round in it; the runner keeps this
  // A recording that takes long to read is shown while it is read: there is something, and there is more.
  std::function<void(std::shared_ptr<trace::Session> session, const QString& title)> show;
  std::function<void()> more;
  std::function<bool()> wanted;  // false: give up
  // Of the same file, opened with other sizes: its weights are taken over, and it goes. Null: there is none.
  std::unique_ptr<Runner>* previous = nullptr;
};

// Whether it names what can be run, and no recording, trace, lesson or buffers.
bool is_model_spec(const QString& spec);
// How a model is run of which nothing else is remembered.
RunnerOptions usual_run(const RunSettings& settings);
// The other way: what of `options` is kept in the preferences, into `settings`.
void take_usual_run(const RunnerOptions& options, RunSettings& settings);

Opened open_spec(const QString& spec, const RunSettings& settings, const OpenVoice& voice);

}  // namespace arenascope::app
