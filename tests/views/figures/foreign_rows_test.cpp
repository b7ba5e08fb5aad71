// SPDX-License-Identifier: GPL-3.0-or-later
// Timeline and graph of other tools' traces: every span is in its thread's row, the longest spans have their exact
// times, and nodes have their ops, as counted by Python's json module in the same file.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <views/graph/graph_picture.h>

#include "tests/engine/trace/sample_traces.h"
#include "tests/test_data.h"
#include "tests/views/figures/space_counts.h"

using namespace arenascope;
using namespace arenascope::views;
using namespace arenascope::views::test_spaces;

namespace {

QJsonObject truth_of(const QString& file) {
  QProcess python;
  python.start(QStringLiteral("python3"), {ARENASCOPE_SOURCE_DIR "/tests/views/figures/rows_truth.py", file});
  if (!python.waitForFinished(120'000) || python.exitCode() != 0) return {};
  return QJsonDocument::fromJson(python.readAllStandardOutput()).object();
}

// Per non-empty row: the number of spans with a length, and of all spans.
std::vector<std::pair<size_t, size_t>> drawn_rows(const TimelinePicture& timeline, const trace::Snapshot& snapshot) {
  std::map<int32_t, size_t> drawn;
  std::set<std::tuple<int32_t, uint32_t, uint32_t>> cells;  // a merged cell has one rectangle per fraction
  for (const TimelineItem& item : timeline.items) {
    const trace::SpanRef& span = item.cell.span;
    if (!item.step.valid() && cells.insert({span.track.value, span.lane, span.row}).second)
      drawn[span.track.value] += item.cell.count;
  }
  std::vector<std::pair<size_t, size_t>> out;
  for (const auto& [track, count] : drawn) {
    size_t with_length = 0;
    for (const trace::LaneView& lane : snapshot.tracks[static_cast<size_t>(track)].lanes)
      for (size_t i = 0; i < lane.rows.size(); ++i) with_length += lane.rows[i].end() > lane.rows[i].begin();
    out.emplace_back(with_length, count);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Compares the rows with the expected ones; spans without a length may be invisible.
void compare_rows(const std::vector<std::pair<size_t, size_t>>& drawn, const QJsonArray& truth) {
  std::vector<std::pair<size_t, size_t>> expected;
  for (const QJsonValue& row : truth)
    if (row[0].toInt() > 0)
      expected.emplace_back(static_cast<size_t>(row[0].toInt()), static_cast<size_t>(row[1].toInt()));
  std::vector<std::pair<size_t, size_t>> rows;
  for (const auto& row : drawn)
    if (row.first > 0) rows.push_back(row);
  QCOMPARE(rows.size(), expected.size());
  std::sort(expected.begin(), expected.end());
  for (size_t i = 0; i < rows.size(); ++i) {
    QCOMPARE(rows[i].first, expected[i].first);
    QVERIFY(rows[i].second >= expected[i].first);
  }
}

// When zoomed in, the span is a single rectangle with its begin, end and name.
void compare_longest(const SnapshotPtr& snapshot, const QJsonArray& longest) {
  QVERIFY(!longest.isEmpty());
  PrepareInput in = input_of(snapshot, AxisMode::Time);
  in.pixels = 1000;
  for (const QJsonValue& span : longest) {
    const auto x_of = [&](const char* key) {  // as text: a JSON number in Qt has too few digits
      return static_cast<double>(span[QLatin1String(key)].toString().toLongLong() - in.axis.origin);
    };
    const double begin = x_of("begin"), end = x_of("end");
    const double margin = std::max(1.0, (end - begin) / 4);
    in.axis.range = {begin - margin, end + margin};
    const auto timeline = prepare_timeline(in, {});
    bool found = false;
    for (size_t i = 0; i < timeline->spans->size() && !found; ++i) {
      const Rect& r = (*timeline->spans)[i];
      if (r.x0 != begin || r.x1 != end || r.tag >= timeline->items.size()) continue;
      const TimelineItem& item = timeline->items[r.tag];
      found = !item.step.valid() &&
              snapshot->label(snapshot->event(item.cell.span)) == span["name"].toString().toStdString();
    }
    QVERIFY2(found, qPrintable(span["name"].toString()));
  }
}

void compare_graph(const SnapshotPtr& snapshot, const QJsonArray& nodes) {
  const PrepareInput in = input_of(snapshot, AxisMode::Time);
  if (nodes.isEmpty()) {
    QVERIFY(in.graph == nullptr);
    return;
  }
  QVERIFY(in.graph != nullptr);
  const Layers layers = layers_of(*in.graph);
  std::set<int32_t> expanded;
  for (size_t i = 0; i < layers.names.size(); ++i) expanded.insert(static_cast<int32_t>(i));
  std::set<std::pair<QString, QString>> drawn, expected;
  for (const Vertex& vertex : fold(*in.graph, layers, expanded).vertices) {
    const trace::TensorInfo& node = in.graph->nodes[vertex.node.index()];
    drawn.emplace(QString::fromStdString(node.name), QString::fromStdString(node.op));
  }
  for (const QJsonValue& node : nodes) expected.emplace(node["name"].toString(), node["op"].toString());
  QVERIFY(drawn == expected);
}

QString written(const QTemporaryDir& folder, const QString& name, const std::string& text) {
  const QString path = folder.filePath(name);
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write(text.data(), static_cast<qint64>(text.size()));
  return path;
}

SnapshotPtr opened(const QString& file) {
  trace::Session session;
  return trace::open_trace(file.toStdString(), session).ok() ? session.snapshot() : nullptr;
}

constexpr uint32_t kOurField = 2100;  // engine/trace/codec.h

// The recording as written by another tool: without the fields that only Arenascope reads.
std::string without_ours(const std::string& recording) {
  trace::WireWriter out;
  trace::WireReader in(trace::as_bytes(recording));
  while (in.next()) {
    std::string packet;
    trace::WireReader fields(in.payload);
    trace::WireWriter kept;
    while (fields.next()) {
      if (fields.field == kOurField) continue;
      if (fields.type == trace::WireType::Bytes)
        kept.bytes(fields.field,
                   std::string_view(reinterpret_cast<const char*>(fields.payload.data()), fields.payload.size()));
      else
        kept.number(fields.field, fields.number);
    }
    out.bytes(in.field, kept.text());
  }
  return out.text();
}

}  // namespace

class ForeignRowsTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  QString recording() {
    const QString file = folder_.filePath("run.pftrace");
    if (QFile::exists(file)) return file;
    QProcess cli;
    cli.start(ARENASCOPE_CLI, {"run", "zoo:squeezenet", "--threads", "2", "--repeat", "2", "--record", file});
    return cli.waitForFinished(120'000) && cli.exitCode() == 0 ? file : QString();
  }
  // The same run as Chrome JSON.
  QString as_json() {
    const QString from = recording(), to = folder_.filePath("run.json");
    QProcess cli;
    cli.start(ARENASCOPE_CLI, {"convert", from, to});
    return cli.waitForFinished(120'000) && cli.exitCode() == 0 ? to : QString();
  }

  void compare(const QString& file) {
    const SnapshotPtr snapshot = opened(file);
    QVERIFY(snapshot != nullptr);
    const QJsonObject truth = truth_of(file);
    QVERIFY(!truth.isEmpty());
    compare_rows(drawn_rows(*prepare_timeline(input_of(snapshot, AxisMode::Time), {}), *snapshot),
                 truth["rows"].toArray());
    if (QTest::currentTestFailed()) return;
    compare_longest(snapshot, truth["longest"].toArray());
    if (QTest::currentTestFailed()) return;
    compare_graph(snapshot, truth["nodes"].toArray());
  }

 private Q_SLOTS:
  void chrome() { compare(written(folder_, "chrome.json", test::kChromeJson)); }
  void onnx_runtime() { compare(written(folder_, "ort.json", test::kOnnxRuntimeProfile)); }
  void chrome_of_a_run() { compare(as_json()); }
  void kineto() {
    const auto trace = test::data_folder() / "traces/kineto_resnet50_gpu.pt.trace.json.gz";
    if (!std::filesystem::exists(trace)) QSKIP("no data folder");
    compare(QString::fromStdString(trace.string()));
  }

  // Python has no reader for Perfetto traces: compared with the JSON of the same run.
  void perfetto() {
    QFile file(recording());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const SnapshotPtr snapshot = opened(written(folder_, "other.pftrace", without_ours(file.readAll().toStdString())));
    QVERIFY(snapshot != nullptr);
    QVERIFY(snapshot->graphs.empty());
    const QJsonObject truth = truth_of(as_json());
    QJsonArray rows = truth["rows"].toArray();
    rows.append(QJsonArray{2, 0});  // in addition to the threads, Perfetto traces have a row of runs
    compare_rows(drawn_rows(*prepare_timeline(input_of(snapshot, AxisMode::Time), {}), *snapshot), rows);
    if (QTest::currentTestFailed()) return;
    compare_longest(snapshot, truth["longest"].toArray());
  }
};

QTEST_MAIN(ForeignRowsTest)
#include "foreign_rows_test.moc"
