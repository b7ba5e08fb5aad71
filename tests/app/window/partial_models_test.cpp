// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX files that can be shown and planned but not run: weights whose data is missing, operators that are not supported.
#include <QFile>

#include <map>

#include <views/graph/graph_canvas.h>
#include <views/graph/graph_view.h>

#include "tests/engine/models/onnx_maker.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;
using models::test::kString;
using models::test::OnnxMaker;

class PartialModelsTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QString write(const char* name, const OnnxMaker& m) const {
    const std::vector<std::byte> bytes = m.bytes();
    QFile file(folder_.filePath(QString::fromLatin1(name)));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    return file.fileName();
  }
  void open_planned(const QString& path) {
    window_->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->spec() == path && doc().source()->plan() != nullptr, kPatience);
    QVERIFY(!doc().runner()->has_model() && doc().source()->snapshot()->runs.empty());
  }

 private Q_SLOTS:
  void initTestCase() { set_up("partial_models_test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void a_model_whose_weights_are_missing_is_shown_and_planned() {
    OnnxMaker m;
    m.input("x", {2, 4}).output("y").external_weight("w", {4, 3}, {{"location", "model.onnx.data"}});
    m.node("MatMul", {"x", "w"}, {"p"}).node("Relu", {"p"}, {"y"});
    open_planned(write("missing.onnx", m));
    QCOMPARE(doc().source()->graph()->nodes.size(), size_t{2});
    QVERIFY(doc().source()->plan()->arena_bytes > 0);
    QCOMPARE(doc().messages()->all().size(), size_t{1});
    QVERIFY(doc().messages()->all().front().text.contains(
        "1 of its weights have no data: 'model.onnx.data' was not found"));
  }

  void unsupported_operators_are_boxes_with_their_name() {
    OnnxMaker m(17);
    const std::string long_name(300, 'n');
    m.input("x", {2, 2}).input("s", {3}, kString).output("z", {2, 2}).output("s2", {}, kString).output("w");
    m.node("Relu", {"x"}, {long_name}).node("FlashThing", {long_name}, {"z"}, {}, "", "com.acme");
    m.node("StringNormalizer", {"s"}, {"s2"}).node("Neg", {"z"}, {"w"});
    open_planned(write("foreign.onnx", m));
    const auto& nodes = doc().source()->graph()->nodes;
    QCOMPARE(nodes.size(), size_t{4});
    QVERIFY(!doc().messages()->all().empty());
    std::map<std::string, std::pair<QString, QString>> shown;  // second line and tooltip by title
    panels().show(PanelId::Graph);
    const auto* canvas = window_->findChild<GraphCanvas*>();
    QVERIFY(canvas != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(canvas->scene().ready() && canvas->scene().texts.size() == nodes.size(), kPatience);
    for (size_t v = 0; v < nodes.size(); ++v) {
      const VertexText& text = canvas->scene().texts[v];
      const QRectF box = canvas->scene().rect_of(static_cast<int32_t>(v));
      QVERIFY(box.width() < 400);
      shown[text.title.toStdString()] = {text.third, canvas->tip(static_cast<int32_t>(v), box.center()).text};
    }
    QVERIFY(shown.contains("com.acme::FlashThing"));
    QVERIFY(shown["com.acme::FlashThing"].second.contains("2 × 2"));
    QVERIFY(shown.contains("StringNormalizer"));
    QCOMPARE(shown["StringNormalizer"].first, QStringLiteral("size unknown"));
    QVERIFY(shown["StringNormalizer"].second.contains("size unknown"));
    QVERIFY(!shown["StringNormalizer"].second.contains("0 B"));
    QVERIFY(shown["RELU"].second.contains(QString::fromStdString(long_name)));  // complete
  }
};

QTEST_MAIN(PartialModelsTest)
#include "partial_models_test.moc"
