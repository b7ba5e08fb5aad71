// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a spec; its kind is detected from the content: a model, zoo:NAME, a recording or trace, a CSV of buffers, a
// lesson's graph. Blocks; reports through OpenCallbacks.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/session.h>

#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <stop_token>

#include "input_sizes.h"
#include "messages.h"
#include "run_settings.h"

namespace arenascope {
class Runner;  // not included: the engine's headers conflict with Qt keywords
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

  std::shared_ptr<trace::Session> session;  // null: failed, see `problem`
  QString title, problem;
  Message note;                  // about an opened trace: what it contains and is not shown. Empty text: none
  std::vector<InputSize> sizes;  // dynamic input dimensions of a model
  // For models only. A model that cannot be run, for example for lack of memory, has no runner and a problem.
  std::shared_ptr<trace::Recorder> recorder;
  std::shared_ptr<Autosave> autosave;
  std::unique_ptr<Runner> runner;
};

struct OpenCallbacks {
  std::function<void(const QString& phase, double share)> progress;  // share negative: unknown
  std::function<void(Runner& part, RunOptions& options)>
      watch;  // called before a deferred part runs; kept by the runner
  std::function<void(const QString& loop, qint64 iteration)>
      iteration;  // called per iteration of a loop; kept by the runner
  // A large recording is shown while it is read: `show` once it has content, `more` when it has grown.
  // `autosaved`: it is also written to a file that is kept if it is closed unsaved.
  std::function<void(std::shared_ptr<trace::Session> session, const QString& title, bool autosaved)> show;
  std::function<void()> more;
  std::function<bool()> should_continue;  // false: cancel
  std::stop_token stop;                   // the same, for the engine
  // A runner of the same file opened with other sizes; its weights are reused, and it is destroyed. Null: none.
  std::unique_ptr<Runner>* previous = nullptr;
};

// True if the spec is a model, not a recording, trace, lesson or list of buffers.
bool is_model_spec(const QString& spec);
// The run options that the settings imply.
RunnerOptions default_run_options(const RunSettings& settings);
// The inverse: stores those of `options` that are preferences into `settings`.
void update_run_settings(const RunnerOptions& options, RunSettings& settings);

// The arena of a model opened with these settings and options of the file; it is planned only. Errors: those of opening
// and planning it.
Result<Bytes> planned_arena(const QString& spec, const RunSettings& settings,
                            const std::map<std::string, std::string>& of_file, std::stop_token stop);

Opened open_spec(const QString& spec, const RunSettings& settings, const OpenCallbacks& callbacks);

}  // namespace arenascope::app
