// SPDX-License-Identifier: GPL-3.0-or-later
// Lays a folded graph out with `dot` in a child process: never blocks, can be cancelled, is killed when it takes too
// long, and remembers answers under the XDG cache by the hash of what was asked.
#pragma once
#include <QObject>
#include <QProcess>
#include <QTimer>
#include <memory>

#include "graph_layout.h"

namespace arenascope::views {

class LayoutJob : public QObject {
  Q_OBJECT
 public:
  explicit LayoutJob(QObject* parent = nullptr);
  ~LayoutJob() override;

  // Asks for a layout; what was asked before is no longer wanted and its child is killed.
  // finished() comes later, or at once when the answer is in the cache.
  void start(std::shared_ptr<const FoldedGraph> graph, std::vector<QSizeF> sizes);
  void cancel();
  bool running() const;

  void set_program(const QString& program) { program_ = program; }  // "dot" unless told
  void set_timeout_ms(int ms) { timeout_.setInterval(ms); }
  void set_cache_folder(const QString& folder) { cache_ = folder; }  // empty: no cache
  // Waits for the answer; for pictures made without a window. False when it is not there after `ms`.
  bool wait(int ms);

 Q_SIGNALS:
  // `note` is empty, or one sentence why the simple layout was taken.
  void finished(std::shared_ptr<const FoldedGraph> graph, std::shared_ptr<const GraphLayout> layout,
                const QString& note);

 private:
  void on_exit(int code, QProcess::ExitStatus status);
  void on_error(QProcess::ProcessError error);
  void fall_back(const QString& note);
  QString cache_path() const;
  void remember(const QByteArray& json) const;

  std::shared_ptr<const FoldedGraph> graph_;
  std::vector<QSizeF> sizes_;
  QByteArray input_;
  std::unique_ptr<QProcess, void (*)(QProcess*)> child_;
  QTimer timeout_;
  QString program_ = QStringLiteral("dot");
  QString cache_;
};

}  // namespace arenascope::views
