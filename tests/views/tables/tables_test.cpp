// SPDX-License-Identifier: GPL-3.0-or-later
// Every table passes Qt's model tester while rows are added, removed, filtered and sorted. No widgets.
#include <arenascope/trace/import.h>
#include <views/common/format.h>
#include <views/common/layer_nodes.h>
#include <views/common/rates.h>
#include <views/common/shared_axis.h>
#include <views/tables/table_model.h>

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include "rich_session.h"
#include "tests/engine/trace/sample_traces.h"

using namespace arenascope;
using namespace arenascope::views;

namespace {

struct Fixture {
  SessionSource source;
  SelectionModel selection;
  SharedAxis axis{&source};
};

const std::vector<std::pair<const char*, TablePtr (*)(const TableInput&)>> kTables = {
    {"nodes", nodes_table},       {"blocks", blocks_table},         {"objects", objects_table},
    {"barriers", barriers_table}, {"allocators", allocators_table}, {"pools", pools_table},
    {"tuning", tuning_table},     {"planners", planners_table},     {"compare", compare_table},
    {"holes", holes_table},       {"problems", problems_table},     {"reuse", reuse_table},
    {"counters", counters_table}, {"callsites", call_sites_table},  {"spans", spans_table}};

}  // namespace

class TablesTest : public QObject {
  Q_OBJECT

 private:
  static QString cell(const Table& table, size_t row, const QString& title) {
    for (const Column& column : table.columns)
      if (column.title == title) return column.text(row).replace(QChar(0xa0), u' ');
    return QStringLiteral("no column ") + title;
  }

 private Q_SLOTS:
  // Rates follow from recorded values; without one of them they are missing, not zero.
  void rates_of_nodes() {
    trace::GraphInfo graph;
    graph.nodes.resize(3);
    graph.leafs.resize(1);
    graph.leafs[0].dtype = "f32", graph.leafs[0].bytes = 4'000;
    graph.nodes[0].dtype = "f32", graph.nodes[0].bytes = 1'000, graph.nodes[0].flops = 20'000;
    graph.nodes[0].sources = {trace::TensorRef::leaf(LeafId(0)), trace::TensorRef::leaf(LeafId(0))};
    graph.nodes[1].sources = {trace::TensorRef::node(NodeId(0))};  // of unknown size
    graph.nodes[2].dtype = "f32", graph.nodes[2].bytes = 500;
    trace::NodeStats ran;
    ran.runs = 3, ran.median = 2'000;
    QCOMPARE(moved_bytes(graph, NodeId(0)), std::optional<Bytes>(5'000));  // each source once
    const trace::NodeRates rates = rates_of(graph, NodeId(0), ran);
    QCOMPARE(rates.gflops, std::optional(10.0));
    QCOMPARE(rates.bandwidth, std::optional(2.5));
    QCOMPARE(rates.intensity, std::optional(4.0));
    QVERIFY(!rates_of(graph, NodeId(0), {}).gflops && !rates_of(graph, NodeId(0), {}).bandwidth);
    QCOMPARE(rates_of(graph, NodeId(0), {}).intensity, std::optional(4.0));
    QVERIFY(!rates_of(graph, NodeId(1), ran).bandwidth && !rates_of(graph, NodeId(1), ran).intensity);
    QVERIFY(!rates_of(graph, NodeId(2), ran).gflops && rates_of(graph, NodeId(2), ran).bandwidth);
    // In the table: a node that never ran has empty cells.
    const auto session = test::sample_session();
    SessionSource source;
    source.set_session(session);
    const TablePtr table = nodes_table(TableInput::of(source));
    const auto stats = session->snapshot()->stats(source.graph_id());
    bool some = false;
    for (size_t r = 0; r < table->rows; ++r) {
      const trace::NodeRates expected = rates_of(*source.graph(), NodeId(r), stats[r]);
      QCOMPARE(cell(*table, r, "GFLOP/s"), expected.gflops ? format_rate(*expected.gflops) : QString());
      QCOMPARE(cell(*table, r, "FLOP/B"), expected.intensity ? format_rate(*expected.intensity) : QString());
      some = some || expected.gflops;
    }
    QVERIFY(some);
  }

  // Spans by name, with interpolated percentiles; a range of time clips their sum.
  void spans_are_aggregated_by_name() {
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::NameInfo{trace::NameId(0), "read"});
    session->describe(trace::NameInfo{trace::NameId(1), "write"});
    session->describe(trace::ThreadInfo{trace::TrackId(0), "a"});
    session->describe(trace::ThreadInfo{trace::TrackId(1), "b"});
    std::vector<trace::Event> reads;
    for (int i = 1; i <= 100; ++i) reads.push_back(trace::slice(1'000 * i, 1'000 * i + i, trace::NameId(0), 0));
    session->events(trace::TrackId(0), reads);
    session->events(trace::TrackId(1), std::array{trace::slice(0, 50'000, trace::NameId(1), 0)});
    SessionSource source;
    source.set_session(session);
    TableInput input = TableInput::of(source);
    const TablePtr all = spans_table(input);
    QCOMPARE(all->rows, size_t{2});
    QCOMPARE(cell(*all, 0, "Name"), QString("write"));  // the most time first
    QCOMPARE(cell(*all, 1, "Spans"), QString("100"));
    QCOMPARE(cell(*all, 1, "p50"), QString("50 ns"));
    QCOMPARE(cell(*all, 1, "p90"), QString("90 ns"));
    QCOMPARE(cell(*all, 1, "p99"), QString("99 ns"));
    QCOMPARE(cell(*all, 1, "Longest"), QString("100 ns"));
    QCOMPARE(cell(*all, 1, "Time"), QString("5.05 µs"));
    const Selection selected = all->selection(1);
    const auto* longest = selected.get<EventSelection>();
    QVERIFY(longest != nullptr);
    QCOMPARE(session->snapshot()->event(longest->span).end(), Nanoseconds{100'100});
    const TablePtr part = spans_table(input, trace::TimeRange{10'005, 20'000});
    QCOMPARE(cell(*part, 0, "Time"), QString("10.0 µs"));
    QCOMPARE(cell(*part, 1, "Spans"), QString("10"));
    QCOMPARE(part->columns[2].number(1), 5.0 + (11 + 19) * 9 / 2.0);
    QCOMPARE(spans_table(input, trace::TimeRange{200'000, 300'000})->rows, size_t{0});
    std::stop_source stop;
    stop.request_stop();
    input.stop = stop.get_token();
    QVERIFY(spans_table(input) == nullptr);
  }

  // Percentiles between two values are interpolated, and their descriptions state it.
  void percentiles_are_interpolated() {
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::NameInfo{trace::NameId(0), "read"});
    session->describe(trace::ThreadInfo{trace::TrackId(0), "a"});
    session->events(trace::TrackId(0), std::array{trace::slice(1'000, 1'010, trace::NameId(0), 0),
                                                  trace::slice(2'000, 2'110, trace::NameId(0), 0)});
    SessionSource source;
    source.set_session(session);
    const TablePtr spans = spans_table(TableInput::of(source));
    QCOMPARE(cell(*spans, 0, "p50"), QString("60 ns"));
    QCOMPARE(cell(*spans, 0, "p90"), QString("100 ns"));
    QCOMPARE(cell(*spans, 0, "p99"), QString("109 ns"));
    source.set_session(test::sample_session());
    const TablePtr nodes = nodes_table(TableInput::of(source));
    int described = 0;
    for (const TablePtr& table : {spans, nodes})
      for (const Column& column : table->columns)
        if (QStringList{"p50", "p90", "p99", "Quartile 1", "Quartile 3"}.contains(column.title)) {
          QVERIFY2(column.tip.contains("interpolated"), qPrintable(column.title));
          ++described;
        }
    QCOMPARE(described, 7);
  }

  void tables_are_copied_as_markdown() {
    auto table = std::make_shared<Table>();
    table->rows = 2;
    table->columns = {{"Name", {}, [](size_t r) { return r == 0 ? QString("a|b") : QString("c\nd"); }},
                      {"Bytes",
                       {},
                       [](size_t r) { return format_bytes(Bytes(r) << 20); },
                       [](size_t r) { return static_cast<double>(r); }}};
    TableModel model;
    model.set_table(table);
    QCOMPARE(model.markdown().replace(QChar(0xa0), u' '),
             QString("| Name | Bytes |\n| --- | --: |\n| a\\|b | 0 B |\n| c d | 1 MiB |\n"));
  }

  // Sorting and filtering 300,000 rows would block the window for a second: it is done on a worker, and the call
  // returns.
  void a_long_table_is_sorted_and_filtered_on_a_worker() {
    auto table = std::make_shared<Table>();
    table->rows = 300'000;
    table->columns = {
        {"number", {}, [](size_t r) { return QString::number(r); }, [](size_t r) { return static_cast<double>(r); }},
        {"text", {}, [](size_t r) { return QStringLiteral("t%1").arg(r % 1000, 4); }}};
    TableModel model;
    QSignalSpy arranged(&model, &TableModel::rearranged);
    const auto quick = [](const std::function<void()>& call) {
      QElapsedTimer clock;
      clock.start();
      call();
      return clock.elapsed() < 50;
    };
    QVERIFY(quick([&] { model.set_table(table); }));
    QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 300'000, 20'000);
    QVERIFY(quick([&] { model.sort(1, Qt::DescendingOrder); }));
    QVERIFY(quick([&] { model.set_text_filter("t 999"); }));  // cancels the previous sort
    QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 300, 20'000);
    QCOMPARE(model.index(0, 1).data().toString(), QString("t 999"));
    QVERIFY(!arranged.isEmpty());
    // A short table is arranged synchronously.
    auto few = std::make_shared<Table>(*table);
    few->rows = 3000;
    model.set_table(few);
    QCOMPARE(model.rowCount(), 3);
  }

  // The example of the article about GE: A and C become one block, which is placed with B into E's; D gets a block of
  // its own.
  void two_level_reuse_is_shown_step_by_step() {
    trace::PlanInfo plan;
    plan.id = trace::PlanId(0);
    plan.alignment = 512;
    const std::tuple<int, int, Bytes> lives[] = {{1, 3, 1024}, {2, 5, 2048}, {3, 5, 1024}, {4, 6, 512}, {5, 7, 4096}};
    for (const auto& [first, last, bytes] : lives) {
      trace::SliceInfo slice;
      slice.tensor = trace::TensorRef::node(NodeId(plan.slices.size()));
      slice.first = arenascope::Step(first);
      slice.last = arenascope::Step(last);
      slice.size = bytes;
      plan.slices.push_back(slice);
    }
    trace::Session session;
    const TablePtr table =
        reuse_table({session.snapshot(), {}, nullptr, std::make_shared<const trace::PlanInfo>(plan), nullptr});
    QCOMPARE(table->rows, size_t{4 + 5});
    const auto cell = [&](size_t row, const char* title) {
      for (const Column& column : table->columns)
        if (column.title == QLatin1String(title)) return column.text(row);
      return QString();
    };
    for (size_t row = 0; row < 4; ++row) QCOMPARE(cell(row, "Level"), QString("1"));
    QVERIFY2(cell(2, "Action").startsWith(u"2 tensor"), qPrintable(cell(2, "Action")));
    QCOMPARE(cell(2, "Lifetime"), QString("2 – 5"));
    QCOMPARE(cell(3, "Remaining"), QString("4"));
    const char* happens[] = {"new block", "placed in block 1", "placed in block 1", "overlaps", "new block"};
    for (size_t row = 0; row < 5; ++row)
      QVERIFY2(cell(4 + row, "Action").contains(QLatin1String(happens[row])), qPrintable(cell(4 + row, "Action")));
    QVERIFY2(cell(8, "Arena").startsWith(u"4.5"), qPrintable(cell(8, "Arena")));
    QCOMPARE(cell(8, "Remaining"), QString("0"));
  }

  void order_moves_show_rule_and_peaks() {
    auto graph = std::make_shared<trace::GraphInfo>();
    graph->id = trace::GraphId(0);
    graph->leafs.push_back({.name = "w", .dtype = "f32", .shape = {16}, .strides = {4}, .bytes = 64});
    const auto add = [&](const char* name, int64_t bytes, std::vector<trace::TensorRef> sources) {
      graph->nodes.push_back({.name = name,
                              .op = "OPAQUE",
                              .dtype = "u8",
                              .shape = {bytes},
                              .strides = {1},
                              .bytes = bytes,
                              .sources = std::move(sources)});
      return trace::TensorRef::node(NodeId(graph->nodes.size() - 1));
    };
    const auto w = trace::TensorRef::leaf(LeafId(0));
    const auto copy = add("copy", 50, {w});
    const auto large = add("large", 200, {w}), larger = add("larger", 200, {large}), small = add("small", 10, {larger});
    add("end", 60, {copy, small});
    trace::Session session;
    const TablePtr table = moves_table({session.snapshot(), {}, graph, nullptr, nullptr});
    QVERIFY(table->rows > 0);
    QStringList first;
    for (const Column& column : table->columns) first << column.text(0);
    QCOMPARE(first.mid(0, 5), (QStringList{"1", "depth-first", "type", "copy", "end"}));
    QVERIFY2(first.filter(QStringLiteral("450")).size() == 1, qPrintable(first.join(u'|')));
    QVERIFY2(first.filter(QStringLiteral("400")).size() == 1, qPrintable(first.join(u'|')));
    QCOMPARE(first.back(), QString("yes"));
    const Selection selected = table->selection(0);
    QVERIFY(selected.get<NodeSelection>() != nullptr);
  }

  void pools_show_free_and_reused_memory() {
    trace::Session session;
    const auto kind = trace::MemoryKind::Workspace;
    session.describe(trace::ThreadInfo{trace::TrackId(0), "opencl:0", trace::TrackKind::DeviceQueue});
    const auto say = [&](const trace::Event& e) { session.events(trace::TrackId(0), std::array{e}); };
    say(trace::reserve(1, kind, 0x1000, 4096, 1, 0));
    say(trace::alloc(2, kind, 0x1000, 4000, 1, 0));
    say(trace::free(3, kind, 0x1000, 4000, 1, 0));
    say(trace::alloc(4, kind, 0x1000, 3000, 1, 1));
    say(trace::reserve(5, kind, 0x9000, 100, 1, 2));
    say(trace::alloc(5, kind, 0x9000, 100, 1, 2));
    say(trace::free(6, kind, 0x9000, 100, 1, 2));
    say(trace::reserve(7, kind, 0x20000, 8, 1, 3));
    say(trace::release(8, kind, 0x20000, 8, 1, 3));
    const TablePtr table = pools_table({session.snapshot(), {}, nullptr, nullptr, nullptr});
    QCOMPARE(table->rows, size_t{2});
    QCOMPARE(table->columns[2].text(0), QStringLiteral("In use, reused"));
    QCOMPARE(table->columns[5].number(0), 2.0);
    QCOMPARE(table->columns[4].number(0), 3000.0);
    QCOMPARE(table->columns[2].text(1), QStringLiteral("Free"));
    QCOMPARE(table->columns[6].number(0), 3000.0);  // requested
    QCOMPARE(table->columns[7].number(0), 1096.0);  // waste
    QCOMPARE(table->columns[6].number(1), 100.0);
    QCOMPARE(table->columns[7].number(1), 0.0);
    QCOMPARE(table->columns[9].text(0), QStringLiteral("dynamic"));
  }

  void tuning_shows_choices_and_problems_does_not() {
    const TablePtr table = tuning_table({test::rich_session()->snapshot(), {}, nullptr, nullptr, nullptr});
    QCOMPARE(table->rows, size_t{2});
    QStringList cells[2];
    for (size_t r = 0; r < 2; ++r)
      for (const Column& column : table->columns) cells[r] << column.text(r);
    QCOMPARE(cells[0], QStringList({"scale", "512x64x1", QString::fromUtf8("64 × 2 × 1"),
                                    QString::fromUtf8("2\u00a0ms"), "4", "wide", "this run",
                                    QString::fromUtf8("64 × 2 × 1: 2\u00a0ms; 64 × 1 × 1: 3\u00a0ms; 1 × 1 × 1: –")}));
    QCOMPARE(cells[1][2], QString("variant 2"));
    QCOMPARE(cells[1][6], QString("an earlier run"));
    QCOMPARE(problems_table({test::rich_session()->snapshot(), {}, nullptr, nullptr, nullptr})->rows, size_t{1});
  }

  void models_pass_the_tester_data() {
    QTest::addColumn<int>("which");
    for (size_t i = 0; i < kTables.size(); ++i) QTest::newRow(kTables[i].first) << static_cast<int>(i);
  }

  void models_pass_the_tester() {
    QFETCH(int, which);
    const auto make = kTables[static_cast<size_t>(which)].second;
    TableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    Fixture fixture;
    model.set_table(make(TableInput::of(fixture.source)));  // an empty session
    fixture.source.set_session(test::rich_session());
    TableInput input = TableInput::of(fixture.source);
    input.comparison = Comparison::make(ComparisonSide::of(input.snapshot, {}), input.graph.get(), input.plan.get());
    model.set_table(make(input));
    const QByteArray table = kTables[static_cast<size_t>(which)].first;
    if (table != "allocators" && table != "callsites") QVERIFY(model.rowCount() > 0);  // the session has neither
    for (int c = 0; c < model.columnCount(); ++c)
      for (Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        model.sort(c, order);
        QVariant before;
        for (int r = 0; r < model.rowCount(); ++r) {
          const QVariant now = model.index(r, c).data(TableModel::kNumberRole);
          if (r > 0 && now.isValid())
            QVERIFY(order == Qt::AscendingOrder ? before.toDouble() <= now.toDouble()
                                                : before.toDouble() >= now.toDouble());
          before = now;
        }
      }
    const int all = model.rowCount();
    model.set_text_filter("no row has this in it");
    QCOMPARE(model.rowCount(), 0);
    model.set_text_filter({});
    QCOMPARE(model.rowCount(), all);
    model.set_range({std::pair{0, 1}, trace::TimeRange{0, 1}, {}});
    QVERIFY(model.rowCount() <= all);
    model.set_range({});
    QCOMPARE(model.rowCount(), all);
    const QString csv = model.to_csv();
    QCOMPARE(csv.count('\n'), all + 1);
    model.set_table(make(TableInput::of(fixture.source)));
    model.set_table(nullptr);
  }

  // The declared unit of a column agrees with the unit of each of its cells, on both sides of a comparison.
  void cells_have_the_unit_of_their_column() {
    Fixture fixture;
    fixture.source.set_session(test::rich_session());
    TableInput input = TableInput::of(fixture.source);
    input.comparison = Comparison::make(ComparisonSide::of(input.snapshot, {}), input.graph.get(), input.plan.get());
    auto tables = kTables;
    for (const auto make : {ops_table, layers_table, occupancy_table, arena_table, lifetimes_table, timeline_table})
      tables.emplace_back("plot", make);
    int checked = 0;
    for (const auto& [name, make] : tables) {
      if (make == counters_table) continue;  // each row has the unit of its counter
      const TablePtr table = make(input);
      for (const Column& column : table->columns)
        for (size_t r = 0; column.number && r < table->rows; ++r) {
          const QString cell = column.text(r), unit = cell.section(QChar(0xa0), -1);
          const bool has_unit = unit.size() < cell.size() && !cell.contains(QStringLiteral(" – "));
          const FigureUnit expected = cell.startsWith(u"0x")                              ? FigureUnit::Address
                                      : !has_unit                                         ? column.unit
                                      : unit == u"B" || unit.endsWith(u"iB")              ? FigureUnit::Bytes
                                      : unit == u"%"                                      ? FigureUnit::Share
                                      : QStringList{"s", "ms", "µs", "ns"}.contains(unit) ? FigureUnit::Time
                                                                                          : column.unit;
          QVERIFY2(column.unit == expected, qPrintable(QLatin1String(name) + u' ' + column.title + u' ' + cell));
          ++checked;
        }
    }
    QVERIFY(checked > 200);
  }

  // Also if no cell has a value.
  void an_exported_unit_does_not_depend_on_the_rows() {
    Fixture fixture;
    auto session = std::make_shared<trace::Session>();
    auto graph = std::make_shared<trace::GraphInfo>();
    graph->id = trace::GraphId(0);
    graph->nodes.resize(1);
    session->describe(std::shared_ptr<const trace::GraphInfo>(graph));
    fixture.source.set_session(session);
    TableModel model;
    model.set_table(nodes_table(TableInput::of(fixture.source)));  // no node ran
    const QString csv = model.to_csv();
    QVERIFY2(csv.contains("Mean time (ns)") && csv.contains("Bytes (B)"), qPrintable(csv));
  }

  void nodes_match_the_graph() {
    Fixture fixture;
    fixture.source.set_session(test::rich_session());
    TableModel model;
    model.set_table(nodes_table(TableInput::of(fixture.source)));
    const trace::GraphInfo& graph = *fixture.source.graph();
    QCOMPARE(model.rowCount(), static_cast<int>(graph.nodes.size()));
    for (int r = 0; r < model.rowCount(); ++r) {
      QCOMPARE(model.index(r, 1).data().toString().toStdString(), graph.nodes[static_cast<size_t>(r)].name);
      QCOMPARE(model.index(r, 6).data(TableModel::kNumberRole).toLongLong(), graph.nodes[static_cast<size_t>(r)].bytes);
    }
  }

  // A trace of another tool without sizes and memory, and one with allocations only.
  void values_that_were_not_recorded_are_missing() {
    const auto opened = [](const std::string& text) {
      trace::Session session;
      return trace::open_trace(trace::as_bytes(text), "x", session).ok() ? session.snapshot() : nullptr;
    };
    const auto cell = [](const TablePtr& table, const QString& title, size_t row) {
      const auto column =
          std::find_if(table->columns.begin(), table->columns.end(), [&](const Column& c) { return c.title == title; });
      return column == table->columns.end() ? QStringLiteral("no column") : column->text(row);
    };
    const SnapshotPtr profile = opened(test::kOnnxRuntimeProfile);
    const TableInput timed{profile, trace::RunId(1), profile->graphs[0], nullptr};
    for (const char* title : {"Bytes", "Tasks", "Flops", "Offset"})
      QCOMPARE(cell(nodes_table(timed), QString::fromLatin1(title), 0), QString());
    QVERIFY(!cell(nodes_table(timed), "Mean time", 0).isEmpty());
    for (const char* title : {"Bytes", "Flops"})
      QCOMPARE(cell(ops_table(timed), QString::fromLatin1(title), 0), QString());
    QCOMPARE(allocators_table(timed)->rows, size_t{0});
    TableModel model;
    model.set_table(nodes_table(timed));
    const QStringList lines = model.to_csv().split(u'\n');
    const qsizetype bytes = lines[0].split(u',').indexOf("Bytes (B)");
    QVERIFY(bytes > 0);
    QCOMPARE(lines[1].split(u',')[bytes], QString());

    const SnapshotPtr allocations = opened(test::kChromeJson);
    const TablePtr kinds = allocators_table({allocations, {}, nullptr, nullptr});
    QCOMPARE(kinds->rows, size_t{1});
    QCOMPARE(cell(kinds, "Peak active", 0), format_bytes(1024));
    for (const char* title : {"Reserved", "Peak reserved", "Unallocated", "Reserved changes"})
      QCOMPARE(cell(kinds, QString::fromLatin1(title), 0), QString());
    const TablePtr holes = holes_table({allocations, {}, nullptr, nullptr});
    QCOMPARE(holes->rows, size_t{0});
    QCOMPARE(holes->empty_text, QString("Reserved memory was not recorded."));
  }
  void op_and_layer_totals_match_the_nodes() {
    Fixture fixture;
    fixture.source.set_session(test::rich_session());
    const TableInput input = TableInput::of(fixture.source);
    const trace::GraphInfo& graph = *fixture.source.graph();
    double time = 0;
    for (const trace::NodeStats& s : input.snapshot->stats(graph.id)) time += s.runs > 0 ? s.mean : 0;
    QVERIFY(time > 0);
    const auto total = [](const TablePtr& table, size_t column) {
      double sum = 0;
      for (size_t r = 0; r < table->rows; ++r) sum += table->columns[column].number(r);
      return sum;
    };
    for (const TablePtr& table : {ops_table(input), layers_table(input)}) {
      QVERIFY(table->rows > 1 && table->rows < graph.nodes.size());
      QCOMPARE(total(table, 1), static_cast<double>(graph.nodes.size()));
      QCOMPARE(total(table, 2), time);
      QCOMPARE(total(table, 3), 1.0);
    }
    const TablePtr layers = layers_table(input);
    for (size_t r = 0; r < layers->rows; ++r) {
      const Selection what = layers->selection(r);
      const auto* layer = what.get<LayerSelection>();
      QVERIFY(layer != nullptr && layer->nodes.size() == static_cast<size_t>(layers->columns[1].number(r)));
      for (NodeId node : layer->nodes) QCOMPARE(graph.nodes[node.index()].layer, layer->name);
    }
    const TablePtr ops = ops_table(input);
    const Selection slowest = ops->selection(0);
    QCOMPARE(text(graph.nodes[slowest.get<NodeSelection>()->tensor.index()].op), ops->columns[0].text(0));
  }

  void layer_totals_include_nested_layers() {
    Fixture flat, nested;
    flat.source.set_session(test::sample_session());
    test::SampleOptions around;
    around.around = "Loop y / ";
    nested.source.set_session(test::sample_session(around));
    const auto sums = [](const Fixture& fixture) {
      const TablePtr table = layers_table(TableInput::of(fixture.source));
      std::map<QString, double> nodes;
      for (size_t r = 0; r < table->rows; ++r) {
        const Selection what = table->selection(r);
        const auto* layer = what.get<LayerSelection>();
        if (layer->name.empty()) continue;
        nodes[text(layer->name)] = table->columns[1].number(r);
        if (layer->nodes != nodes_in_layer(*fixture.source.graph(), layer->name)) nodes[text(layer->name)] = -1;
      }
      return nodes;
    };
    const auto alone = sums(flat), within = sums(nested);
    double all = 0;
    for (const auto& [name, nodes] : alone) {
      if (!name.startsWith(u"block ")) continue;
      QCOMPARE(within.at("Loop y / " + name), nodes);
      all += nodes;
    }
    QVERIFY(alone.size() > 1 && within.size() == alone.size() + 1);
    QCOMPARE(within.at("Loop y"), all);
  }

  void csv_is_quoted_where_needed() {
    auto table = std::make_shared<Table>();
    table->rows = 1;
    table->columns = {{"a,b", {}, [](size_t) { return QString("x \"y\", z\nw"); }},
                      {"n", {}, [](size_t) { return QString("1 KiB"); }, [](size_t) { return 1024.0; }}};
    TableModel model;
    model.set_table(table);
    QCOMPARE(model.to_csv(), QString("\"a,b\",n\n\"x \"\"y\"\", z\nw\",1024\n"));
  }

  // On the screen each number has its unit with a suitable prefix; a file has plain numbers and the unit in the header.
  void units_are_in_the_cells_or_in_the_header() {
    Fixture fixture;
    fixture.source.set_session(test::rich_session());
    TableModel model;
    const auto column = [&](const QString& title) {
      for (int c = 0; c < model.columnCount(); ++c)
        if (model.headerData(c, Qt::Horizontal).toString() == title) return c;
      return -1;
    };
    const auto cell = [&](const char* title) {
      return model.index(0, column(QString::fromLatin1(title))).data().toString();
    };
    const auto saved = [&](const char* header) {
      return model.to_csv().section(u'\n', 0, 0).split(u',').contains(QString::fromLatin1(header));
    };
    model.set_table(nodes_table(TableInput::of(fixture.source)));
    QVERIFY2(cell("Mean time").endsWith(u's') && saved("Mean time (ns)"), qPrintable(cell("Mean time")));
    QVERIFY2(cell("Bytes").endsWith(u'B') && saved("Bytes (B)"), qPrintable(cell("Bytes")));
    QVERIFY(saved("Step") && saved("Offset"));
    model.set_table(blocks_table(TableInput::of(fixture.source)));
    QVERIFY2(cell("Filled").endsWith(u'%') && saved("Filled (0..1)"), qPrintable(cell("Filled")));
  }

  void without_a_plan_tables_show_spaces() {
    trace::Session session;
    session.describe(trace::ThreadInfo{trace::TrackId(0), "device 0", trace::TrackKind::DeviceQueue});
    constexpr auto kind = trace::MemoryKind::Default;
    const auto say = [&](const trace::Event& e) { session.events(trace::TrackId(0), std::array{e}); };
    say(trace::reserve(500, kind, 0x1000, 8192, 0, 0));
    say(trace::alloc(1000, kind, 0x1000, 4096, 0, 1));
    say(trace::alloc(2000, kind, 0x2000, 1024, 0, 2));
    say(trace::free(3000, kind, 0x1000, 4096, 0, 1));
    say(trace::alloc(4500, kind, 0x1000, 512, 0, 3));
    say(trace::free(5000, kind, 0x2000, 1024, 0, 2));
    TableInput input;
    input.snapshot = session.snapshot();
    const TablePtr holes = holes_table(input);
    bool found = false;
    for (size_t r = 0; r < holes->rows; ++r) {
      if (holes->columns[2].number(r) != 0x1000 || holes->columns[0].number(r) != 4096) continue;
      found = true;
      QCOMPARE(holes->columns[1].number(r), 2500.0);  // nanoseconds since the beginning
      const Selection above = holes->selection(r);
      QVERIFY(above.get<AllocationSelection>() != nullptr);
      QCOMPARE(above.get<AllocationSelection>()->address, uint64_t{0x2000});
    }
    QVERIFY(found);
    const TablePtr blocks = blocks_table(input);
    QCOMPARE(blocks->rows, size_t{2});
    QCOMPARE(blocks->columns[1].number(0), 4096.0);  // its address
    QCOMPARE(blocks->columns[2].number(0), 4096.0);
    QCOMPARE(blocks->columns[3].number(0), 2.0);  // in sequence
    const TablePtr moments = occupancy_table(input);
    QCOMPARE(moments->rows, size_t{6});
    QCOMPARE(moments->columns[1].number(2), 5120.0);
    QCOMPARE(moments->columns[2].number(2), 8192.0);
    QCOMPARE(lifetimes_table(input)->rows, size_t{3});
    QCOMPARE(arena_table(input)->rows, size_t{3});
  }

  void a_node_s_times_are_those_of_runs() {
    Fixture fixture;
    fixture.source.set_session(test::rich_session());
    const TableInput input = TableInput::of(fixture.source);
    const TablePtr table = nodes_table(input);
    const auto column = [&](const char* title) {
      for (const Column& c : table->columns)
        if (c.title == QString(title)) return c;
      return Column{};
    };
    const auto stats = input.snapshot->stats(input.graph->id);
    for (size_t r = 0; r < table->rows; ++r) {
      QCOMPARE(column("Mean time").number(r), stats[r].mean);
      QCOMPARE(column("Median").number(r), static_cast<double>(stats[r].median));
      QCOMPARE(column("Busy").number(r), stats[r].busy);
      QCOMPARE(column("Runs").number(r), static_cast<double>(stats[r].runs));
      if (stats[r].parts > 1) QVERIFY(stats[r].busy > stats[r].mean);
    }
  }
};

QTEST_GUILESS_MAIN(TablesTest)
#include "tables_test.moc"
