// SPDX-License-Identifier: GPL-3.0-or-later
// The inspector follows the selection, and a click on a link changes it.
#include <views/inspector/inspector_view.h>

#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QTest>

#include <functional>

#include "tests/views/tables/rich_session.h"

using namespace arenascope;
using namespace arenascope::views;

class InspectorViewTest : public QObject {
  Q_OBJECT

 private:
  SessionSource source_;
  SelectionModel selection_;
  Theme theme_;
  std::unique_ptr<InspectorView> view_;

  const InspectorModel& model() const { return *static_cast<const InspectorModel*>(view_->tree()->model()); }
  // The first fact that fits, as an index of the model.
  QModelIndex find(const std::function<bool(const InspectorFact&)>& fits) const {
    for (int row = 0; row < model().rowCount(); ++row) {
      const QModelIndex item = model().index(row, 0);
      for (int child = 0; child < model().rowCount(item); ++child)
        if (const QModelIndex at = model().index(child, 0, item); fits(*model().fact(at))) return at;
    }
    return {};
  }
  void click(const QModelIndex& index) const {
    view_->tree()->scrollTo(index);
    QTest::mouseClick(view_->tree()->viewport(), Qt::LeftButton, {},
                      view_->tree()->visualRect(index).center() - QPoint(0, 1));
  }

 private Q_SLOTS:
  void init() {
    selection_.clear();
    view_ = std::make_unique<InspectorView>(&source_, &selection_, &theme_);
    view_->resize(320, 500);
    view_->show();
    source_.set_session(test::rich_session());
    selection_.select(Selection::node(source_.graph_id(), NodeId(1)));
    QTRY_COMPARE(model().index(0, 0).data().toString(), QString("relu1"));
  }

  void a_click_on_a_link_selects() {
    click(find([](const InspectorFact& fact) { return fact.value == "conv1" && !fact.link.empty(); }));
    QCOMPARE(selection_.current(), Selection::node(source_.graph_id(), NodeId(0)));
    QTRY_COMPARE(model().index(0, 0).data().toString(), QString("conv1"));
    selection_.back();
    QTRY_COMPARE(model().index(0, 0).data().toString(), QString("relu1"));
  }

  void a_folded_section_stays_folded() {
    const auto section = [&](const QString& title) {
      for (int row = 0; row < model().rowCount(); ++row)
        if (model().index(row, 0).data().toString() == title) return model().index(row, 0);
      return QModelIndex();
    };
    QVERIFY(view_->tree()->isExpanded(section("Tensor")));
    click(section("Tensor"));
    QVERIFY(!view_->tree()->isExpanded(section("Tensor")));
    selection_.select(Selection::node(source_.graph_id(), NodeId(2)));
    QTRY_VERIFY(model().index(0, 0).data().toString() != "relu1");
    QVERIFY(!view_->tree()->isExpanded(section("Tensor")));
    click(section("Tensor"));
    QVERIFY(view_->tree()->isExpanded(section("Tensor")));
  }

  // Long values are wrapped at the width of the view, not cut.
  void rows_grow_with_a_narrow_view() {
    const auto height = [&] {
      int sum = 0;
      for (int row = 0; row < model().rowCount(); ++row)
        sum += view_->tree()->visualRect(model().index(row, 0)).height();
      for (QModelIndex at = model().index(0, 0); at.isValid(); at = view_->tree()->indexBelow(at))
        sum += view_->tree()->visualRect(at).height();
      return sum;
    };
    const int wide = height();
    view_->resize(130, 500);
    QTRY_VERIFY(height() > wide);
    QCOMPARE(view_->tree()->horizontalScrollBar()->maximum(), 0);
  }

  void selected_rows_are_copied() {
    const QModelIndex shape = find([](const InspectorFact& fact) { return fact.key == "shape"; });
    QVERIFY(shape.isValid());
    click(shape);
    QTest::keySequence(view_->tree(), QKeySequence::Copy);
    QVERIFY2(QApplication::clipboard()->text().startsWith("shape\t"), qPrintable(QApplication::clipboard()->text()));
  }
};

QTEST_MAIN(InspectorViewTest)
#include "inspector_view_test.moc"
