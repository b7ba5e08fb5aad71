// SPDX-License-Identifier: GPL-3.0-or-later
// The byte lens: its picture as data, and the panel, whose fields run the experiment again.
#include <views/bytes/byte_lens_view.h>
#include <views/bytes/lens_text.h>

#include <arenascope/trace/session.h>

#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;

class ByteLensTest : public QObject {
  Q_OBJECT

  Theme theme_;
  SessionSource source_;
  SelectionModel selection_;

  ViewContext context() {
    ViewContext c;
    c.source = &source_;
    c.selection = &selection_;
    c.theme = &theme_;
    return c;
  }

  static QFont view_font() {
    QFont font;
    font.setPixelSize(12);
    return font;
  }

  static void wait_for_frames(ByteLensView& view) {
    QSignalSpy frames(&view, &ByteLensView::frames_changed);
    QVERIFY(frames.wait());
  }

 private Q_SLOTS:
  void every_cell_of_a_picture_is_drawn_inside_it_without_overlap() {
    for (const lesson::LensExperiment& experiment : lesson::lens_experiments()) {
      const auto frames = lesson::run_lens(experiment.name, {});
      QVERIFY(frames.ok());
      QVERIFY(LensText::experiment(experiment.name) != QString::fromLatin1(experiment.name));
      for (const lesson::LensFrame& frame : *frames) {
        QVERIFY2(frame.event == lesson::LensEvent::Start || !LensText::operation(frame).isEmpty(), experiment.name);
        QVERIFY2(!LensText::operation(frame).contains(u'%'), qPrintable(LensText::operation(frame)));
        for (const double width : {320.0, 900.0}) {
          const LensPicture picture = lens_picture(frame, width);
          std::set<std::pair<size_t, size_t>> drawn;
          for (size_t i = 0; i < picture.boxes.size(); ++i) {
            const LensBox& box = picture.boxes[i];
            drawn.insert({box.strip, box.cell});
            QVERIFY2(box.rect.left() >= 0 && box.rect.right() <= width, experiment.name);
            QVERIFY(box.rect.bottom() < picture.height);
            if (i > 0) QVERIFY(!box.rect.adjusted(0.01, 0.01, -0.01, -0.01).intersects(picture.boxes[i - 1].rect));
          }
          size_t cells = 0;
          for (const lesson::LensStrip& strip : frame.strips) cells += strip.cells.size();
          QCOMPARE(drawn.size(), cells);
        }
      }
    }
  }

  // At the widths of the panel in a lesson, in windows from 1366 pixels to 4K.
  void nothing_of_a_picture_is_cut() {
    for (const lesson::LensExperiment& experiment : lesson::lens_experiments()) {
      const auto frames = lesson::run_lens(experiment.name, {});
      QVERIFY(frames.ok());
      const auto kinds = lens_kinds(*frames);
      for (const double width : {600.0, 2200.0})
        for (const lesson::LensFrame& frame : *frames) {
          const LensPicture picture = lens_picture(frame, width, kinds);
          QVERIFY2(!picture.rows.empty() || frame.strips.empty(), experiment.name);
          for (const QRectF& row : picture.rows) QVERIFY2(row.width() > 1, experiment.name);
          for (const LensBox& box : picture.boxes) {
            const lesson::LensStrip& strip = frame.strips[box.strip];
            const QString label = QString::fromStdString(strip.cells[box.cell].label);
            if (!lesson::has_slots(strip.unit) || label.isEmpty() || !box.begins) continue;
            QVERIFY2(box.rect.width() >= 7.0 * static_cast<double>(label.size()),
                     qPrintable(QString::fromLatin1(experiment.name) + u' ' + label));
          }
          for (const LensKey& key : picture.legend) QVERIFY2(key.rect.right() <= width, experiment.name);
          QCOMPARE(picture.legend.size(), kinds.size());
          const QString operation = LensText::operation(frame);
          const QFontMetrics metrics(view_font());
          const QRect needed =
              metrics.boundingRect(QRect(0, 0, static_cast<int>(width) - 28, 4096), Qt::TextWordWrap, operation);
          QVERIFY2(needed.height() <= LensPicture::text_height(operation, width),
                   qPrintable(QString::fromLatin1(experiment.name) + u' ' + operation));
        }
    }
  }

  void the_steps_of_an_order_are_counted_from_one() {
    const auto frames = lesson::run_lens("order", {});
    QVERIFY(frames.ok() && frames->size() > 1);
    const lesson::LensFrame& first = (*frames)[1];
    QVERIFY2(LensText::operation(first).startsWith("Step 1 "), qPrintable(LensText::operation(first)));
    QCOMPARE(lens_picture(first, 900).labels.at(1).text, QStringLiteral("1"));  // the first one is the title
  }

  // The structure that the operations fill, and its legend, are shown before the first operation.
  void the_start_is_not_empty() {
    for (const lesson::LensExperiment& experiment : lesson::lens_experiments()) {
      const auto frames = lesson::run_lens(experiment.name, {});
      QVERIFY(frames.ok());
      const LensPicture start = lens_picture(frames->front(), 700, lens_kinds(*frames));
      QVERIFY2(!start.rows.empty(), experiment.name);
      QVERIFY2(!start.labels.empty(), experiment.name);
    }
  }

  void positions_of_a_ruler_do_not_overlap() {
    const auto frames = lesson::run_lens("pool", {});
    const LensPicture picture = lens_picture(frames->back(), 700);
    for (size_t i = 1; i < picture.labels.size(); ++i)
      QVERIFY(!picture.labels[i].rect.intersects(picture.labels[i - 1].rect) || picture.labels[i - 1].heading);
  }

  void integers_of_a_block_are_not_cut() {
    for (const char* type : {"q8_0", "q4_0", "q4_k"}) {
      const auto frames = lesson::run_lens("block", {{"type", type}});
      QVERIFY(frames.ok());
      const LensPicture picture = lens_picture(frames->front(), 560);
      for (const LensBox& box : picture.boxes) {
        const std::string& label = frames->front().strips[box.strip].cells[box.cell].label;
        QVERIFY2(label.empty() || box.rect.width() >= 7.0 * static_cast<double>(label.size()), label.c_str());
      }
    }
  }

  // As large as the panel permits, and never beyond it.
  void a_small_picture_is_enlarged() {
    ByteLensView view(context());
    view.resize(1100, 500);
    view.show();
    wait_for_frames(view);
    QVERIFY(view.canvas()->scale() > 1.2);
    QCOMPARE(view.canvas()->verticalScrollBar()->maximum(), 0);
    for (const LensBox& box : view.canvas()->picture().boxes)
      QVERIFY(box.rect.right() * view.canvas()->scale() <= view.canvas()->viewport()->width());
    view.show_experiment(QStringLiteral("walk"));
    wait_for_frames(view);
    view.resize(600, 120);
    QTRY_COMPARE(view.canvas()->scale(), 1.0);
    QVERIFY(view.canvas()->verticalScrollBar()->maximum() > 0);
    // An export of a panel that shows no operation shows the last one.
    QImage image(600, 200, QImage::Format_RGB32), last(600, 200, QImage::Format_RGB32);
    const auto painted = [&view](QImage& to) {
      to.fill(0);
      QPainter painter(&to);
      view.paint(&painter, to.size());
    };
    painted(image);
    QCOMPARE(view.frame(), 0);
    view.show_frame(static_cast<int>(view.frames().size()) - 1);
    painted(last);
    QCOMPARE(image, last);
  }

  void operations_are_stepped_forwards_and_backwards() {
    ByteLensView view(context());
    view.resize(900, 400);
    view.show();
    wait_for_frames(view);
    QCOMPARE(view.frame(), 0);
    QVERIFY(!view.back_button()->isEnabled());
    QTest::mouseClick(view.forward_button(), Qt::LeftButton);
    QTest::mouseClick(view.forward_button(), Qt::LeftButton);
    QCOMPARE(view.frame(), 2);
    QVERIFY(view.to_csv().contains(QStringLiteral("storage,bytes,8,4,data,2")));
    QTest::mouseClick(view.back_button(), Qt::LeftButton);
    QCOMPARE(view.frame(), 1);
    view.show_frame(static_cast<int>(view.frames().size()) - 1);
    QVERIFY(!view.forward_button()->isEnabled());
  }

  void cells_move_at_the_chosen_pace() {
    ByteLensView view(context());
    view.resize(900, 500);
    view.show();
    wait_for_frames(view);
    view.show_experiment(QStringLiteral("freelist"));
    wait_for_frames(view);
    view.pace()->setCurrentIndex(2);
    view.show_frame(3);
    QTRY_VERIFY(!view.canvas()->morphing());
    view.show_frame(4);
    // Without animations of the style the cells move at once.
    const bool animated = view.style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, &view) > 0;
    QCOMPARE(view.canvas()->morphing(), animated);
    QTRY_VERIFY(!view.canvas()->morphing());
    for (size_t i = 0; i < view.canvas()->picture().boxes.size(); ++i)
      QCOMPARE(view.canvas()->shown_rect(i), view.canvas()->picture().boxes[i].rect);
    view.pace()->setCurrentIndex(3);
    view.show_frame(5);
    QVERIFY(!view.canvas()->morphing());
    const int last = static_cast<int>(view.frames().size()) - 1;
    view.show_frame(last - 1);
    view.pace()->setCurrentIndex(2);
    QTest::mouseClick(view.play_button(), Qt::LeftButton);
    QTRY_COMPARE(view.frame(), last);
    QVERIFY(!view.play_button()->isChecked());
  }

  // The selected tensor may be of another graph than the shown one.
  void the_tensor_of_the_selection_is_shown() {
    auto session = std::make_shared<trace::Session>();
    for (int i = 0; i < 2; ++i) {
      auto graph = std::make_shared<trace::GraphInfo>();
      graph->id = trace::GraphId(i);
      trace::TensorInfo tensor;
      tensor.name = "x";
      tensor.op = "ADD";
      tensor.dtype = "f32";
      tensor.shape = {2 + i};
      tensor.strides = {4};
      tensor.bytes = 4 * (2 + i);
      graph->nodes = {tensor};
      session->describe(std::shared_ptr<const trace::GraphInfo>(graph));
    }
    source_.set_session(session);
    ByteLensView view(context());
    view.show();
    for (const int shown : {0, 1}) {
      selection_.select(Selection::node(trace::GraphId(shown), NodeId(0)));
      QTest::mouseClick(view.selected_button(), Qt::LeftButton);
      QCOMPARE(view.field("shape")->text(), QString::number(2 + shown));
    }
    selection_.forget();
    source_.set_session(nullptr);
  }

  void a_changed_field_runs_the_experiment_again_and_an_error_keeps_the_frames() {
    ByteLensView view(context());
    view.resize(900, 400);
    view.show();
    wait_for_frames(view);
    view.show_experiment(QStringLiteral("bump"), {{"capacity", "2048"}, {"requests", "1000 700"}});
    wait_for_frames(view);
    QCOMPARE(view.frames().size(), size_t(3));
    QLineEdit* requests = view.field("requests");
    QVERIFY(requests != nullptr);
    requests->setFocus();
    requests->setText(QStringLiteral("1000 2000 reset 64"));
    QTest::keyClick(requests, Qt::Key_Return);
    wait_for_frames(view);
    QCOMPARE(view.frames().size(), size_t(5));
    QVERIFY(view.frames()[2].event == lesson::LensEvent::Full);
    QVERIFY(view.problem()->isHidden());
    requests->setText(QStringLiteral("many"));
    QTest::keyClick(requests, Qt::Key_Return);
    QTRY_VERIFY(!view.problem()->isHidden());
    QVERIFY(view.problem()->text().contains(QStringLiteral("many")));
    QCOMPARE(view.frames().size(), size_t(5));
    // They are not those of another experiment, which fails.
    view.show_experiment(QStringLiteral("block"), {{"type", "many"}});
    wait_for_frames(view);
    QVERIFY(view.frames().empty());
  }
};

QTEST_MAIN(ByteLensTest)
#include "byte_lens_test.moc"
