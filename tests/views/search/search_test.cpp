// SPDX-License-Identifier: GPL-3.0-or-later
// The parser of a search and its matches in nodes, tensors, spans, allocations, stack frames and messages. No widgets.
#include <sample_session.h>
#include <views/search/search_all.h>

#include <QElapsedTimer>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;

namespace {

using Field = SearchFilter::Field;
using Relation = SearchFilter::Relation;

SearchQuery parsed(const char* text) {
  auto query = parse_search(QString::fromUtf8(text));
  if (!query) qFatal("%s: %s", text, query.error().message.c_str());
  return *query;
}

// Two threads with spans, allocations with stacks, a graph whose nodes have names in the file, and messages.
std::shared_ptr<const trace::Snapshot> sample() {
  trace::Session session;
  const char* const texts[] = {"aten::mm", "aten::add", "main", "a.py", "load_weights"};
  for (int32_t i = 0; i < 5; ++i) session.describe(trace::NameInfo{trace::NameId(i), texts[i]});
  session.describe(trace::ThreadInfo{trace::TrackId(0), "worker 1", trace::TrackKind::Other, {}, 0, 700});
  session.describe(trace::ThreadInfo{trace::TrackId(1), "worker 12", trace::TrackKind::Other, {}, 0, 701});
  session.describe(trace::AllocatorInfo{.id = 1, .name = "CUDA:0"});
  const auto frame = [](int32_t function, int32_t line) {
    return trace::StackFrame{trace::NameId(function), trace::NameId(3), line};
  };
  session.describe(trace::StackInfo{{frame(4, 5), frame(2, 1)}, {1, 2}});
  auto graph = std::make_shared<trace::GraphInfo>();
  graph->id = trace::GraphId(0);
  graph->nodes.push_back({.name = "conv2d_450",
                          .op = "CONV_2D",
                          .layer = "encoder",
                          .bytes = 4096,
                          .file_nodes = {{"Conv", "p2o.Conv.0"}, {"Relu", "p2o.Relu.0"}}});
  graph->nodes.push_back({.name = "sum", .op = "ADD", .layer = "decoder", .bytes = 100});
  graph->leafs.push_back({.name = "conv.weight", .bytes = 2 << 20});
  session.describe(std::shared_ptr<const trace::GraphInfo>(graph));
  session.describe(trace::Problem{.sentence = "conv2d_450 has NaN"});
  session.events(trace::TrackId(0),
                 std::array{trace::slice(0, 5'000'000, trace::NameId(0), 0), trace::slice(10, 900, trace::NameId(1), 1),
                            trace::alloc(20, trace::MemoryKind::Default, 0x1000, 1 << 20, 1, 1),
                            trace::alloc(30, trace::MemoryKind::Default, 0x900000, 3 << 20, 1, 2),
                            trace::free(40, trace::MemoryKind::Default, 0x1000, 1 << 20, 1, 1)});
  session.events(trace::TrackId(1), std::array{trace::slice(0, 2'000'000, trace::NameId(0), 0)});
  return session.snapshot();
}

QStringList found(const trace::Snapshot& snapshot, const char* text) {
  QStringList out;
  for (const SearchHit& hit : search_all(snapshot, parsed(text)).hits)
    out << kind_text(hit.kind) + QStringLiteral(" ") + name_of(snapshot, hit);
  return out;
}

}  // namespace

class SearchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void words_patterns_and_filters_are_parsed() {
    const SearchQuery query = parsed(
        "  aten::mm \"two words\" /^blk\\.\\d+ x$/ bytes>1MiB time<=2.5ms OP:Conv layer:\"block 3\" thread=1 "
        "kind:span");
    QCOMPARE(query.words, QStringList({"aten::mm", "two words"}));
    QCOMPARE(query.patterns.size(), 1u);
    QVERIFY(query.patterns[0].match("BLK.7 x").hasMatch());
    QVERIFY(!query.patterns[0].match("blk.7 xy").hasMatch());
    QCOMPARE(query.filters.size(), 6u);
    QVERIFY(query.filters[0].field == Field::Bytes && query.filters[0].relation == Relation::Greater);
    QCOMPARE(query.filters[0].number, 1048576.0);
    QVERIFY(query.filters[1].field == Field::Time && query.filters[1].relation == Relation::AtMost);
    QCOMPARE(query.filters[1].number, 2.5e6);
    QCOMPARE(query.filters[2].text, QStringLiteral("Conv"));
    QCOMPARE(query.filters[3].text, QStringLiteral("block 3"));
    QVERIFY(query.filters[4].field == Field::Thread);
    QVERIFY(query.filters[5].kind == SearchKind::Span);
    QVERIFY(parsed("").empty() && parsed("  ").empty());
    // Not closed, or not at the begin of a word.
    QCOMPARE(parsed("/model/layers.0 \"open a/b").words, QStringList({"/model/layers.0", "\"open", "a/b"}));
    QCOMPARE(parsed("std::bytes").words, QStringList("std::bytes"));
  }

  void errors_state_what_was_expected() {
    const auto message = [](const char* text) {
      const auto query = parse_search(QString::fromUtf8(text));
      return query ? QString() : QString::fromStdString(query.error().message);
    };
    QVERIFY(message("bytes>much").contains("“much” is not a size"));
    QVERIFY(message("time<3parsec").contains("“3parsec” is not a duration"));
    QVERIFY(message("kind:cow").contains("expected node, tensor, span"));
    QVERIFY(message("op>Conv").contains("op:TEXT"));
    QVERIFY(message("/(/").contains("is not a regular expression"));
    QVERIFY(message("conv bytes>1MiB").isEmpty());
  }

  void names_are_found_everywhere() {
    const auto s = sample();
    QCOMPARE(found(*s, "conv"),
             QStringList({"node conv2d_450  CONV_2D", "tensor conv.weight", "message conv2d_450 has NaN"}));
    QCOMPARE(found(*s, "p2o.relu"), QStringList("node conv2d_450  CONV_2D"));  // in the file
    QCOMPARE(found(*s, "aten mm"), QStringList({"span aten::mm", "span aten::mm"}));
    QCOMPARE(found(*s, "/^aten::(add|sub)$/"), QStringList("span aten::add"));
    QCOMPARE(found(*s, "load_weights").front(), QStringLiteral("allocation load_weights a.py:5"));
    QVERIFY(found(*s, "load_weights").contains("stack frame load_weights a.py:5"));
    QCOMPARE(found(*s, "main kind:frame"), QStringList("stack frame main a.py:1"));
    QVERIFY(found(*s, "nothing").isEmpty());
    QVERIFY(search_all(*s, {}).hits.empty());
  }

  void filters_combine() {
    const auto s = sample();
    QCOMPARE(found(*s, "op:conv bytes>=4KiB"), QStringList("node conv2d_450  CONV_2D"));
    QCOMPARE(found(*s, "op:relu"), QStringList("node conv2d_450  CONV_2D"));
    QVERIFY(found(*s, "op:conv bytes<4KiB").isEmpty());
    QCOMPARE(found(*s, "layer:decod"), QStringList("node sum  ADD"));
    QCOMPARE(found(*s, "thread:1"), QStringList({"span aten::mm", "span aten::add"}));  // not worker 12
    QCOMPARE(found(*s, "thread:701"), QStringList("span aten::mm"));
    QCOMPARE(found(*s, "thread:worker time>2ms"), QStringList("span aten::mm"));
    QCOMPARE(found(*s, "kind:allocation bytes>1MiB").size(), 1);
    QCOMPARE(found(*s, "bytes>1MiB"), QStringList({"tensor conv.weight", "allocation load_weights a.py:5"}));
  }

  void a_match_leads_to_a_selection() {
    const auto s = sample();
    const auto selection = [&](const char* text) { return selection_of(*s, search_all(*s, parsed(text)).hits.at(0)); };
    QVERIFY(selection("conv2d kind:node") == Selection::node(trace::GraphId(0), NodeId(0)));
    QVERIFY(selection("conv.weight").get<NodeSelection>()->tensor == trace::TensorRef::leaf(LeafId(0)));
    QVERIFY(selection("aten::add").get<EventSelection>()->span == (trace::SpanRef{trace::TrackId(0), 1, 0}));
    // A frame leads to its largest allocation.
    QCOMPARE(selection("main kind:frame").get<AllocationSelection>()->address, uint64_t{0x900000});
    const auto hits = search_all(*s, parsed("aten::add")).hits;
    QVERIFY(where_of(*s, hits.at(0)).contains("worker 1"));
  }

  void the_number_of_matches_is_limited() {
    const auto s = test::span_session(10'000)->snapshot();
    const SearchResult some = search_all(*s, parsed("kind:span"), {}, 100);
    QCOMPARE(some.hits.size(), 100u);
    QVERIFY(!some.complete);
    QVERIFY(search_all(*s, parsed("kind:span")).complete);
    std::stop_source stopped;
    stopped.request_stop();
    QVERIFY(search_all(*s, parsed("kind:span"), stopped.get_token()).hits.size() < 10);
  }

  void a_million_spans_are_searched_in_time() {
    const auto s = test::span_session(1'000'000)->snapshot();
    QElapsedTimer timer;
    timer.start();
    const SearchResult result = search_all(*s, parsed("/w.*t/ time>1ns kind:span"));
    qInfo("%zu matches in %lld ms", result.hits.size(), static_cast<long long>(timer.elapsed()));
    QVERIFY(!result.hits.empty());
#ifdef NDEBUG
    QVERIFY(timer.elapsed() < 3000);
#endif
  }

  // Backtracking without end would block the search.
  void a_costly_pattern_is_given_up() {
    trace::Session session;
    session.describe(trace::NameInfo{trace::NameId(0), std::string(60, 'a') + "b"});
    session.describe(trace::ThreadInfo{trace::TrackId(0), "t"});
    session.events(trace::TrackId(0), std::array{trace::slice(0, 1, trace::NameId(0), 0)});
    QElapsedTimer timer;
    timer.start();
    QVERIFY(search_all(*session.snapshot(), parsed("/(a+)+$/")).hits.empty());
    QVERIFY(timer.elapsed() < 2000);
  }
};

QTEST_GUILESS_MAIN(SearchTest)
#include "search_test.moc"
