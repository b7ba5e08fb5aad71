// SPDX-License-Identifier: GPL-3.0-or-later
// SQL over a session: limits, errors, the items that rows identify, and the library of queries.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <variant>

#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>

#include "app/query/library.h"
#include "app/query/row_target.h"
#include "tests/engine/trace/sample_session.h"
#include "tests/support/temp_folder.h"

using namespace arenascope;
using namespace arenascope::query;

namespace {

struct Queried {
  trace::Session session;
  std::shared_ptr<const trace::Snapshot> snapshot;
  std::unique_ptr<Database> database;

  explicit Queried(int runs = 2, trace::Session::Options options = {}) : session(options) {
    test::fill(session, {.runs = runs});
    snapshot = session.snapshot();
    auto opened = Database::open(tables_of(snapshot));
    REQUIRE(opened.ok());
    database = std::move(*opened);
  }
  Rows rows(const std::string& sql, const Limits& limits = {}) const {
    CAPTURE(sql);
    auto rows = database->run(sql, limits);
    REQUIRE_MESSAGE(rows.ok(), (rows.ok() ? "" : rows.error().message));
    return std::move(*rows);
  }
  std::vector<Target> targets(const std::string& sql) const {
    return targets_of(*snapshot, rows(sql), trace::GraphId(0));
  }
};

TensorTarget node(int id) { return {trace::GraphId(0), trace::TensorRef::node(NodeId(id))}; }

}  // namespace

TEST_CASE("a query is cut off at the limit of rows and states it") {
  const Queried q;
  CHECK(q.rows("SELECT * FROM nodes", {.max_rows = 2}).rows.size() == 2);
  CHECK(q.rows("SELECT * FROM nodes", {.max_rows = 2}).truncated);
  CHECK(!q.rows("SELECT * FROM nodes", {.max_rows = q.snapshot->graphs[0]->nodes.size()}).truncated);
}

TEST_CASE("processes and threads that a trace identifies by strings have no number") {
  trace::Session session;
  const std::string trace = R"([{"ph":"X","name":"a","pid":"job","tid":"feeder","ts":1,"dur":2},
                                {"ph":"X","name":"b","pid":3,"tid":0,"ts":1,"dur":2}])";
  REQUIRE(trace::open_trace(trace::as_bytes(trace), "trace", session).ok());
  const auto opened = Database::open(tables_of(session.snapshot()));
  REQUIRE(opened.ok());
  const auto rows = (*opened)->run("SELECT process, thread FROM tracks ORDER BY id", {});
  REQUIRE(rows.ok());
  REQUIRE(rows->rows.size() == 2);
  CHECK(std::holds_alternative<std::monostate>(rows->rows[0][0]));
  CHECK(std::holds_alternative<std::monostate>(rows->rows[0][1]));
  CHECK(std::get<int64_t>(rows->rows[1][0]) == 3);
  CHECK(std::get<int64_t>(rows->rows[1][1]) == 0);
}

TEST_CASE("a stopped query ends, and the database answers the next one") {
  const Queried q;
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const auto rows = q.database->run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", {stop.get_token()});
  REQUIRE(!rows.ok());
  CHECK(rows.error().message == "interrupted");
  CHECK(q.rows("SELECT 1").rows.size() == 1);
}

TEST_CASE("an error has a position in the SQL") {
  const Queried q;
  const std::string sql = "SELECT op, nme FROM nodes";
  REQUIRE(!q.database->run(sql).ok());
  CHECK(q.database->error_offset() == static_cast<int>(sql.find("nme")));
}

TEST_CASE("rows identify nodes, leaves, spans and allocations by columns of the tables") {
  const Queried q;
  const auto by_id = q.targets("SELECT op, id AS number FROM nodes ORDER BY id");
  REQUIRE(by_id.size() == q.snapshot->graphs[0]->nodes.size());
  for (size_t i = 0; i < by_id.size(); ++i) CHECK(by_id[i] == Target(node(static_cast<int>(i))));
  CHECK(q.targets("SELECT name FROM nodes ORDER BY id") == by_id);
  CHECK(q.targets("SELECT name FROM (SELECT * FROM nodes) ORDER BY id") == by_id);
  CHECK(q.targets("SELECT max(id) AS node FROM nodes") == std::vector<Target>{by_id.back()});
  CHECK(q.targets("SELECT op, bytes FROM nodes").empty());
  CHECK(q.targets("SELECT max(id) FROM nodes").empty());

  const auto leaves = q.targets("SELECT id FROM leaves");
  REQUIRE(!leaves.empty());
  CHECK(std::get<TensorTarget>(leaves[0]).tensor == trace::TensorRef::leaf(LeafId(0)));

  const Rows spans = q.rows("SELECT id, begin_ns, track FROM spans ORDER BY begin_ns DESC");
  const auto found = targets_of(*q.snapshot, spans, {});
  REQUIRE(found.size() > 10);
  for (size_t i = 0; i < found.size(); ++i) {
    const auto span = std::get<trace::SpanRef>(found[i]);
    CHECK(q.snapshot->event(span).begin() == std::get<int64_t>(spans.rows[i][1]));
    CHECK(int64_t{span.track.value} == std::get<int64_t>(spans.rows[i][2]));
  }
  const Rows allocations = q.rows("SELECT id, address, begin_ns FROM allocations");
  const auto blocks = targets_of(*q.snapshot, allocations, {});
  REQUIRE(!blocks.empty());
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto* slice = allocation_of_row(*q.snapshot, std::get<AllocationTarget>(blocks[i]).row);
    REQUIRE(slice != nullptr);
    CHECK(static_cast<int64_t>(slice->address) == std::get<int64_t>(allocations.rows[i][1]));
  }
}

TEST_CASE("numbers and names that do not exist identify nothing") {
  const Queried q;
  for (const char* sql : {"SELECT -1 AS node", "SELECT 1000000 AS node", "SELECT NULL AS node", "SELECT 'no' AS tensor",
                          "SELECT 9223372036854775807 AS span", "SELECT 1000000 AS allocation", "SELECT 0.5 AS leaf",
                          "SELECT 0 AS node, 7 AS graph"}) {
    CAPTURE(sql);
    CHECK(q.targets(sql) == std::vector<Target>{Target()});
  }
}

// `runs` read past the end of its rows once the oldest were evicted.
TEST_CASE("runs of a bounded session are those that it kept") {
  const Queried q(6000, {.max_bytes = 3 << 20});
  REQUIRE(q.snapshot->forgotten_runs > 0);
  const Rows rows = q.rows("SELECT id, begin_ns FROM runs");
  CHECK(rows.rows.size() == q.snapshot->recorded_runs());
  CHECK(std::get<int64_t>(rows.rows.back()[0]) == static_cast<int64_t>(q.snapshot->runs.size()) - 1);
}

TEST_CASE("functions and keywords of SQLite are known") {
  const Queried q;
  for (const char* name : {"sum", "count", "max", "substr"})
    CHECK_MESSAGE(std::ranges::binary_search(q.database->functions(), name), name);
  CHECK(std::ranges::binary_search(sql_keywords(), "SELECT"));
}

TEST_CASE("the unit of a column follows from its name") {
  CHECK(quantity_of("arena_bytes") == Quantity::Bytes);
  CHECK(quantity_of("bytes") == Quantity::Bytes);
  CHECK(quantity_of("duration_ns") == Quantity::Duration);
  CHECK(quantity_of("begin_ns") == Quantity::Moment);
  CHECK(quantity_of("nodes") == Quantity::Number);
}

TEST_CASE("the user's queries are files of a folder, listed with the built-in ones") {
  const test::TempFolder home;
  const std::filesystem::path folder = home.path() / "config" / "queries";
  CHECK(stored_queries(folder).size() == named_queries().size());
  REQUIRE(store_query("größte", "-- by size\nSELECT 1", folder).ok());
  REQUIRE(store_query("plans", "SELECT 2", folder).ok());
  std::ofstream(folder / "readme.txt") << "no query";
  const auto all = stored_queries(folder);
  CHECK(all.size() == named_queries().size() + 1);
  std::ofstream(folder / "crlf.sql", std::ios::binary) << "-- by time\r\nSELECT 3\r\n";
  CHECK(find_query("crlf", folder)->meaning == "by time");
  const auto own = find_query("größte", folder);
  REQUIRE(own.ok());
  CHECK(own->own);
  CHECK(own->meaning == "by size");
  CHECK(find_query("plans", folder)->sql == "SELECT 2");
  CHECK(find_query("absent", folder).error().message.find("slowest-nodes") != std::string::npos);
  for (const char* name : {"", "a/b", "..", "a b", ".hidden"})
    CHECK_MESSAGE(store_query(name, "SELECT 1", folder).error().message.find("name of a query: expected letters") !=
                      std::string::npos,
                  name);
}

// packaging/verify-cuda-program.cu on an NVIDIA H200, recorded by `attach --with cuda`. The program allocates 65 blocks
// with cudaMalloc, 32 in the default pool and 16 in its own, replays a graph of 20 kernels three times, and launches 32
// kernels on each of two streams.
TEST_CASE("a recorded CUDA program: blocks by allocator, reserved bytes of pools, kernels by stream") {
  trace::Session session;
  REQUIRE(trace::open_trace(std::filesystem::path(ARENASCOPE_CUDA_RECORDING), session).ok());
  const auto database = Database::open(tables_of(session.snapshot()));
  REQUIRE(database.ok());
  const auto texts = [&](const std::string& sql) {
    const auto rows = (*database)->run(sql, {});
    REQUIRE_MESSAGE(rows.ok(), (rows.ok() ? "" : rows.error().message));
    std::vector<std::string> out;
    for (const auto& row : rows->rows) out.push_back(std::get<std::string>(row[0]));
    return out;
  };
  CHECK(texts("SELECT allocator || ': ' || count(*) || ', ' || sum(bytes) || ', live ' || sum(end_ns IS NULL) "
              "FROM allocations GROUP BY allocator ORDER BY allocator") ==
        std::vector<std::string>{"managed memory of CUDA device 0: 1, 8388608, live 0",
                                 "memory of CUDA device 0: 65, 4378853376, live 0",
                                 "memory pool 1 of CUDA device 0: 32, 553648128, live 0",
                                 "memory pool 2 of CUDA device 0: 16, 570425344, live 0",
                                 "pinned memory for CUDA device 0: 1, 33554432, live 0"});
  CHECK(texts("SELECT name || ': ' || CAST(max(value) AS INTEGER) FROM counters GROUP BY name ORDER BY name") ==
        std::vector<std::string>{"reserved by memory pool 1 of CUDA device 0: 570425344",
                                 "reserved by memory pool 2 of CUDA device 0: 570425344"});
  CHECK(texts("SELECT t.name || ': ' || count(*) FROM spans s JOIN tracks t ON t.id = s.track WHERE s.name = 'scale' "
              "GROUP BY t.name ORDER BY t.name") ==
        std::vector<std::string>{"CUDA device 0, stream 13: 92", "CUDA device 0, stream 14: 32"});
}
