// SPDX-License-Identifier: GPL-3.0-or-later
// Random actions over six documents with running jobs: after each action every other document is unchanged except for
// results of its own jobs. View state is always compared, run and search results only while no job runs.
// ARENASCOPE_MONKEY sets the number of actions (default 2,000), ARENASCOPE_MONKEY_SEED the random seed.
#include <QLineEdit>
#include <QRegularExpression>
#include <QTest>

#include <random>

#include "sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class MonkeyTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  std::mt19937 random_;
  QStringList done_;  // the last actions, for diagnosis

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(std::max(n, 1))); }
  Document& at(size_t i) { return (*window_->documents())[i]; }

  // State that no job of any document changes: view state and user input.
  static QString view_state_of(Document& d) {
    QStringList s{d.title(), d.spec()};
    s << QString::number(static_cast<int>(d.axis()->mode()));
    for (const PinnedNote& note : d.context().notes->all()) s << note.text << QString::number(note.step, 'g', 17);
    s << (d.source()->comparison() ? d.source()->comparison()->other.title : QStringLiteral("alone"));
    const PlanRequest& request = d.jobs().replanning.request();
    s << request.planner << request.order << QString::number(request.fit_under)
      << QString::number(request.budget_seconds) << QString::number(request.alignment)
      << QString::number(request.streams) << request.banks;
    for (const Breakpoint& b : d.debugger()->breakpoints()) s << b.describe() << QString::number(b.on);
    const ViewState& states = d.view_state();
    s << states.graph.search << QString::number(static_cast<int>(states.graph.colour));
    for (int32_t layer : states.graph.expanded) s << QString::number(layer);
    for (auto it = states.tables.begin(); it != states.tables.end(); ++it)
      s << QString::fromLatin1(name_of(it.key())) << it->filter << QString::number(it->sorted_by);
    return s.join(u'|');
  }
  // State that jobs of the document may change: playhead, selection at a pause, plans.
  static QString results_of(Document& d) {
    const SharedAxis& axis = *d.axis();
    QStringList s{QString::number(axis.range().lo, 'g', 17), QString::number(axis.range().hi, 'g', 17),
                  QString::number(axis.current().value)};
    const Selection& chosen = d.selection()->current();
    s << QString::number(chosen.what.index());
    if (const auto* node = chosen.get<NodeSelection>()) s << QString::number(node->tensor.index());
    if (const auto* steps = chosen.get<StepRangeSelection>())
      s << QString::number(steps->first.value) << QString::number(steps->last.value);
    s << QString::number(d.selection()->can_go_back()) << QString::number(d.selection()->can_go_forward());
    SessionSource& source = *d.source();
    s << (source.shown_plan() ? QString::number(source.shown_plan()->arena_bytes) : QStringLiteral("none"));
    s << (source.plan() != nullptr ? QString::fromStdString(source.plan()->planner) : QString());
    // Excludes events: the last ones of a run arrive with a delay.
    s << QString::number(source.snapshot()->plans.size()) << QString::number(source.snapshot()->runs.size());
    s << QString::number(source.plan_before() ? source.plan_before()->id.value : -1);
    s << QString::number(reinterpret_cast<quintptr>(source.session().get()), 16);
    s << QString::number(d.history().can_undo()) << QString::number(d.history().can_redo());
    for (const Task* task : d.jobs().tasks.running()) s << task->title();
    s << d.paused_before() << QString::number(d.debugger()->playing());
    s << d.jobs().replanning.status() << QString::number(d.jobs().replanning.progress().points.size());
    s << d.messages()->texts() << QString::number(d.jobs().findings.findings().size());
    s << QString::number(static_cast<int>(d.runner()->state()));
    return s.join(u'|');
  }
  static bool works(Document& d) {
    const RunState state = d.runner()->state();
    return d.jobs().replanning.busy() || d.jobs().findings.busy() || d.jobs().comparing.busy() ||
           d.runner()->planning().running() || d.jobs().saver->busy() || d.jobs().generation.busy() ||
           d.jobs().training.busy() || state == RunState::Running || state == RunState::Opening || d.source()->live();
  }

  struct State {
    QString view_state, results;
    bool works = false;
  };
  State state_now(Document& d) { return {view_state_of(d), results_of(d), works(d)}; }
  std::vector<State> states_now() {
    std::vector<State> all;
    for (size_t k = 0; k < window_->documents()->size(); ++k) all.push_back(state_now(at(k)));
    return all;
  }

  void press_action() {
    // Actions that open dialogs, quit, or close or open documents are covered by other tests.
    static const QStringList kNot{"file.quit",        "file.open",        "file.zoo",     "file.close",
                                  "file.attach",      "help.manual",      "help.about",   "help.keys",
                                  "edit.preferences", "view.layout_save", "help.palette", "view.theme",
                                  "memory.plan_all"};
    const auto& all = window_->shell().actions->all();
    const auto& entry = all[static_cast<size_t>(pick(static_cast<int>(all.size())))];
    const QString id = QString::fromLatin1(entry.id);
    if (kNot.contains(id) || id.startsWith(u"lesson.") || id.startsWith(u"teach.") || !entry.action->isEnabled())
      return;
    done_ << id;
    entry.action->trigger();
  }
  void change_view() {
    Document& d = doc();
    const int steps = std::max(d.axis()->steps(), 2);
    switch (pick(10)) {
      case 0: d.axis()->frame_steps(Step(pick(steps / 2)), Step(steps / 2 + pick(steps / 2) + 1)); break;
      case 1: d.axis()->set_current(Step(pick(steps))); break;
      case 2:
        if (const auto* graph = d.source()->graph())
          d.selection()->select(Selection::node(graph->id, NodeId(pick(static_cast<int>(graph->nodes.size())))));
        break;
      case 3: panels().widgets().graph->findChild<QLineEdit*>()->setText(QString::number(pick(30))); break;
      case 4: panels().table(PanelId::Nodes)->findChild<QLineEdit*>()->setText(QString::number(pick(9))); break;
      case 5: panels().table(PanelId::Nodes)->table_view()->sortByColumn(pick(5), Qt::DescendingOrder); break;
      case 6: d.selection()->select(StepRangeSelection{Step(pick(steps / 2)), Step(steps / 2 + 1)}); break;
      case 7: d.axis()->toggle_mode(); break;
      case 8: d.context().notes->pin(pick(steps), QString::number(pick(9)), 0.5); break;
      default: panels().widgets().graph->set_colour(static_cast<GraphColour>(pick(6))); break;
    }
    done_ << QStringLiteral("view");
  }
  void begin_job() {
    Document& d = doc();
    static const char* const kPlanners[] = {"search", "greedy-by-size", "none", "two-level"};
    PlanRequest request = d.jobs().replanning.request();
    request.planner = QString::fromLatin1(kPlanners[pick(4)]);
    request.budget_seconds = 0.1;
    switch (pick(6)) {
      case 0: d.jobs().replanning.plan(request); break;
      case 1: d.jobs().findings.start(0.1); break;
      case 2: d.jobs().replanning.set_fit_under(pick(1'000'000)); break;
      case 3: d.debugger()->set_breakpoints({{Breakpoint::Kind::Op, "CONV", 0, pick(2) == 0}}); break;
      case 4: d.messages()->note(QStringLiteral("Something, %1.").arg(pick(100))); break;
      default:
        if (d.runner()->has_model() && !d.runner()->planning().running()) {
          RunSettings run = d.runner()->settings();
          run.planner = request.planner;
          run.budget_seconds = 0.05;
          d.replan(run);
        }
    }
    done_ << QStringLiteral("job");
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-monkey"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void documents_do_not_affect_each_other() {
    // Files are saved occasionally; none is opened.
    window_->shell().ask_file = [&](bool save, const QString&, const QString& filter) {
      static const QRegularExpression ending(QStringLiteral("\\*(\\.\\w+)"));
      const QString kind = ending.match(filter).captured(1);
      return save && pick(2) == 0 ? folder_.filePath(QStringLiteral("monkey") + kind) : QString();
    };
    for (int i = 0; i < 4; ++i) {
      test::SampleOptions options;
      options.blocks = 2 + i;
      const QString path = folder_.filePath(QStringLiteral("sample%1.arenascope").arg(i));
      QVERIFY(trace::save_recording(*test::sample_session(options)->snapshot(), path.toStdString()).ok());
      open(path);
    }
    open("zoo:mul_mat");
    open("zoo:lstm");
    QCOMPARE(window_->documents()->size(), size_t{6});
    const int requested = qEnvironmentVariableIntValue("ARENASCOPE_MONKEY"), many = requested > 0 ? requested : 2000;
    int compared = 0;
    random_.seed(static_cast<unsigned>(qEnvironmentVariableIntValue("ARENASCOPE_MONKEY_SEED") + 1));
    for (int i = 0; i < many; ++i) {
      QCoreApplication::processEvents(QEventLoop::AllEvents, 2);
      const size_t before = window_->documents()->index();
      const std::vector<State> states = states_now();
      const int what = pick(20);
      if (what < 2) {
        window_->documents()->show(static_cast<size_t>(pick(6)));
        done_ << QStringLiteral("tab %1").arg(window_->documents()->index());
      } else if (what < 9) {
        press_action();
      } else if (what < 16) {
        change_view();
      } else {
        begin_job();
      }
      QCoreApplication::processEvents(QEventLoop::AllEvents, 2);
      for (size_t k = 0; k < states.size(); ++k) {
        if (k == before || k == window_->documents()->index()) continue;
        const State now = state_now(at(k));
        const QString where = QStringLiteral("action %1 changed document %2 while %3 was current, after %4\n%5\n%6")
                                  .arg(i)
                                  .arg(k)
                                  .arg(before)
                                  .arg(done_.mid(done_.size() - 8).join(u' '));
        QVERIFY2(now.view_state == states[k].view_state, qPrintable(where.arg(states[k].view_state, now.view_state)));
        if (states[k].works || now.works) continue;
        ++compared;
        QVERIFY2(now.results == states[k].results, qPrintable(where.arg(states[k].results, now.results)));
      }
      QCOMPARE(window_->documents()->size(), size_t{6});
    }
    QVERIFY2(compared > many, qPrintable(QString::number(compared)));  // not all documents were always busy
  }
};

QTEST_MAIN(MonkeyTest)
#include "monkey_test.moc"
