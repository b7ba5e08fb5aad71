// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons are read whole or refused with a line; each that is shipped exists in both languages with the same actions.
#include <views/lesson/lesson_graph.h>
#include <views/lesson/lesson_panel.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include <random>

using namespace arenascope;
using namespace arenascope::views;

namespace {

const char* kSmall =
    "title: T\nsummary: S\ngraph:\n  a 64\n  b 128 <- a\n  c 64 <- a, b\n\n## One\n! graph\n! select b\nText "
    "*here*.\n\n## Two\nMore.\n";

Result<Lesson> shipped(const QString& id, const QString& language) {
  QFile file(QStringLiteral(ARENASCOPE_SOURCE_DIR "/resources/lessons/%1.%2.md").arg(id, language));
  if (!file.open(QIODevice::ReadOnly)) return Error{"missing"};
  return parse_lesson(id, QString::fromUtf8(file.readAll()));
}

}  // namespace

class LessonTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_lesson_is_read() {
    const auto lesson = parse_lesson("x", kSmall);
    QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
    QCOMPARE(lesson->title, QString("T"));
    QCOMPARE(lesson->graph.size(), size_t{3});
    QCOMPARE(lesson->graph[2].sources, QStringList({"a", "b"}));
    QCOMPARE(lesson->steps.size(), size_t{2});
    QCOMPARE(lesson->steps[0].actions.size(), size_t{2});
    QCOMPARE(lesson->steps[0].actions[1].arguments, QStringList{"b"});
    QCOMPARE(lesson->steps[0].text, QString("Text *here*."));
  }

  void what_is_wrong_is_said_with_its_line() {
    const std::pair<const char*, const char*> bad[] = {
        {"", "title"},
        {"title: T\n", "step"},
        {"title: T\nstray\n## A\n", "line 2"},
        {"title: T\n## A\n! fly away\n", "fly"},
        {"title: T\n## A\n! open\n", "wants"},
        {"title: T\n## A\n! graph\n", "no graph"},
        {"title: T\ngraph:\n  a sixty\n## A\n", "line 3"},
        {"title: T\ngraph:\n  a 64 <- b\n## A\n", "'b'"},
    };
    for (const auto& [text, what] : bad) {
      const auto lesson = parse_lesson("x", QString::fromUtf8(text));
      QVERIFY2(!lesson.ok() && lesson.error().message.find(what) != std::string::npos, text);
    }
    std::mt19937 random(3);
    for (int i = 0; i < 3000; ++i) {
      QString text = QString::fromUtf8(kSmall);
      for (int k = 0; k < 4; ++k)
        text[static_cast<qsizetype>(random() % static_cast<size_t>(text.size()))] =
            QChar(static_cast<char16_t>(random() % 128));
      (void)parse_lesson("x", text);
    }
  }

  void its_graph_is_a_session() {
    const auto lesson = parse_lesson("x", kSmall);
    const auto session = lesson_session(*lesson);
    QVERIFY(session.ok());
    const auto snapshot = (*session)->snapshot();
    QCOMPARE(snapshot->graphs.size(), size_t{1});
    QCOMPARE(snapshot->graphs[0]->nodes[1].name, std::string("b"));
    QCOMPARE(snapshot->plans[0]->arena_bytes, Bytes{256});
    QVERIFY(!lesson_session(Lesson{}).ok());
  }

  void all_are_there_in_both_languages() {
    for (const QString& id : lessons()) {
      const auto en = shipped(id, "en"), zh = shipped(id, "zh_CN");
      QVERIFY2(en.ok(), en.ok() ? "" : en.error().message.c_str());
      QVERIFY2(zh.ok(), zh.ok() ? "" : zh.error().message.c_str());
      QCOMPARE(zh->steps.size(), en->steps.size());
      QVERIFY(en->steps.size() >= 3);
      QVERIFY(en->title != zh->title);
      for (size_t s = 0; s < en->steps.size(); ++s) {
        QVERIFY(!en->steps[s].text.isEmpty() && !zh->steps[s].text.isEmpty());
        QVERIFY2(en->steps[s].actions == zh->steps[s].actions, qPrintable(id));
      }
      if (!en->graph.empty()) QVERIFY(lesson_session(*en).ok());
    }
    // And none lies there that nobody reads.
    const QStringList files = QDir(QStringLiteral(ARENASCOPE_SOURCE_DIR "/resources/lessons")).entryList({"*.md"});
    QCOMPARE(files.size(), 2 * lessons().size());
  }

  void the_panel_walks_through_it() {
    auto second = *parse_lesson("y", kSmall);
    second.title = "Second";
    LessonPanel panel;
    panel.set_lessons({*parse_lesson("x", kSmall), second});
    panel.show();
    QVERIFY(panel.text().contains("Second"));  // the list of them
    QSignalSpy entered(&panel, &LessonPanel::entered);
    panel.begin("x");
    QCOMPARE(entered.count(), 1);
    QVERIFY(panel.text().contains("One") && panel.text().contains("Text here."));
    QVERIFY(!panel.back_button()->isEnabled());
    QTest::mouseClick(panel.next_button(), Qt::LeftButton);
    QCOMPARE(panel.step(), 1);
    QTest::mouseClick(panel.back_button(), Qt::LeftButton);
    QCOMPARE(panel.step(), 0);
    QCOMPARE(entered.count(), 3);
    panel.go_to(1);
    QTest::mouseClick(panel.next_button(), Qt::LeftButton);  // behind the last: the next lesson
    QCOMPARE(panel.lesson()->id, QString("y"));
    panel.go_to(1);
    QVERIFY(!panel.next_button()->isEnabled());
    panel.set_lessons({second});  // another language: it stays where it is
    QCOMPARE(panel.step(), 1);
  }
};

QTEST_MAIN(LessonTest)
#include "lesson_test.moc"
