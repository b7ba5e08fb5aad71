// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of every kind in the arena map, lifetimes, occupancy and inspector: images, packed weights, KV caches,
// gradients, accumulators and optimiser state, over several runs.
#include <views/common/incomplete.h>
#include <views/common/memory_class.h>
#include <views/inspector/inspector_facts.h>
#include <views/lifetimes/lifetimes_picture.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/support/seeded_llama.h"
#include "tests/views/figures/space_counts.h"

using namespace arenascope;
using namespace arenascope::views;
using namespace arenascope::views::test_spaces;

namespace {

std::vector<trace::SpaceAllocation> all_slices(const trace::Snapshot& s) {
  return trace::slices_of(s, {s.time.begin, s.time.end + 1}, {SpaceChoice::Of::All, 0});
}

// A llama model with seeded weights; its tokens are 0 to 63.
QString llama_file(const QTemporaryDir& folder, const char* type) {
  const QString file = folder.filePath(QStringLiteral("seeded.gguf"));
  for (const test::QuantType& t : test::kQuantTypes) {
    if (std::string(t.name) != type) continue;
    const auto bytes = test::seeded_llama(t, {}, 1);
    std::ofstream(file.toStdString(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  return file;
}

// The values of a layer of the stack by use after each event, at a resolution that separates the events.
std::vector<CurveSegment> levels_of(const OccupancyPicture& stack, MemoryClass of, bool unfilled = false) {
  for (const auto& layer : stack.kinds)
    if (layer.memory_class == of && layer.unfilled == unfilled) return layer.levels;
  return {};
}
double maximum(const std::vector<CurveSegment>& levels) {
  double most = 0;
  for (const CurveSegment& l : levels) most = std::max(most, l.max);
  return most;
}

// Size of the union of ranges, summed over the intervals between their end points.
Bytes united(std::vector<std::pair<Bytes, Bytes>> ranges) {
  std::sort(ranges.begin(), ranges.end());
  Bytes sum = 0, reached = 0;
  for (const auto& [lo, hi] : ranges) {
    sum += std::max<Bytes>(hi - std::max(lo, reached), 0);
    reached = std::max(reached, hi);
  }
  return sum;
}

bool is_gradient(const trace::GraphInfo& graph, trace::TensorRef ref) {
  for (const auto* list : {&graph.nodes, &graph.leafs})
    for (const trace::TensorInfo& t : *list)
      if (ref.valid() && (t.gradient == ref || t.accumulator == ref)) return true;
  return false;
}

bool has_gradients(const trace::GraphInfo& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& t) { return t.gradient.valid(); }) ||
         std::any_of(graph.leafs.begin(), graph.leafs.end(), [](const auto& t) { return t.gradient.valid(); });
}

}  // namespace

class SpaceKindsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void images_data() {
    QTest::addColumn<QString>("pool");
    QTest::newRow("pool") << "pool=bounded";
    QTest::newRow("separate") << "pool=separate";
  }
  // Each image is a space as large as its texels, and its content starts at its beginning.
  void images() {
    QFETCH(QString, pool);
    const QTemporaryDir folder;
    const auto snapshot = recorded(folder, {"zoo:squeezenet", "--backend", "opencl", "--backend-option", "memory=image",
                                            "--backend-option", pool});
    if (!snapshot) QSKIP("this machine has no such device");
    compare(snapshot);
    compare_peak(snapshot);
    if (QTest::currentTestFailed()) return;
    int in_images = 0;
    trace::SpaceAllocation shown;
    std::map<uint64_t, std::vector<std::pair<Nanoseconds, Nanoseconds>>> stays;
    for (const trace::SpaceAllocation& slice : all_slices(*snapshot)) {
      const auto spaces = snapshot->spaces_in(slice.begin, slice.begin + 1, SIZE_MAX);
      const trace::Space* space = space_of(spaces, slice);
      QVERIFY(space != nullptr);
      if (!space->image.valid()) continue;
      ++in_images;
      QCOMPARE(slice.address, space->address);
      QCOMPARE(Bytes{space->image.width} * space->image.height * space->image.texel, space->bytes);
      QCOMPARE(space->image.texel, Bytes{16});  // four floats
      for (const auto& [begin, end] : stays[slice.address]) QVERIFY(slice.end <= begin || slice.begin >= end);
      stays[slice.address].emplace_back(slice.begin, slice.end);
      const trace::TensorInfo* tensor = snapshot->tensor(slice.graph, slice.tensor);
      if (tensor == nullptr || tensor->shape.size() != 4) continue;
      shown = slice;
      const auto width = static_cast<uint32_t>((tensor->shape[1] + 3) / 4 * tensor->shape[3]);
      const auto height = static_cast<uint32_t>(tensor->shape[0] * tensor->shape[2]);
      QVERIFY(space->image.width >= width && space->image.height >= height);
      if (pool == "pool=separate") QVERIFY(space->image.width == width && space->image.height == height);
    }
    QVERIFY(in_images > 30);
    // The inspector shows the size of the image.
    const trace::RunId run(snapshot->runs.size() - 1);
    InspectorInput in{snapshot, run, snapshot->graph_of(run), snapshot->plan_of(run)};
    bool found = false;
    for (const InspectorFact& fact : inspector_facts(in, NodeSelection{shown.graph, shown.tensor}))
      found = found || (fact.value.contains(u'×') && fact.value.contains(u"16\u00a0B"));
    QVERIFY(found);
  }

  // The cache is allocated as a whole and keeps its address over all runs; its filled part grows token by token.
  void the_kv_cache_is_filled_token_by_token() {
    const QTemporaryDir folder;
    const auto snapshot = recorded_by(folder, {"generate", llama_file(folder, "Q8_0"), "--tokens", "1,2,3", "-n", "6"});
    QVERIFY(snapshot != nullptr);
    compare(snapshot);
    compare_lifetimes(snapshot, true);
    compare_timeline_and_graph(snapshot);
    compare_peak(snapshot);
    if (QTest::currentTestFailed()) return;
    QVERIFY(snapshot->runs.size() >= 6);
    Bytes cache = 0;
    std::set<uint64_t> ranges;
    for (const trace::SpaceAllocation& slice : all_slices(*snapshot)) {
      if (slice.kind != trace::MemoryKind::KVCache) continue;
      QVERIFY(ranges.insert(slice.address).second);  // allocated once
      QVERIFY(slice.begin <= snapshot->runs[0].info.begin);
      QVERIFY(slice.open || slice.end >= snapshot->runs[snapshot->runs.size() - 1].end);
      cache += slice.bytes;
    }
    QVERIFY(cache > 0);
    const trace::SeriesView* filled = snapshot->series_of(trace::CounterRole::CacheFilled);
    QVERIFY(filled != nullptr);
    QCOMPARE(filled->samples.size(), snapshot->runs.size());
    const double token = filled->samples[0].value / 3;
    QVERIFY(token > 0);
    for (size_t i = 0; i < filled->samples.size(); ++i)
      QCOMPARE(filled->samples[i].value, token * (3 + static_cast<double>(i)));
    PrepareInput in = input_of(snapshot, AxisMode::Time);
    in.pixels = 1 << 16;
    for (const OccupancyScope scope : {OccupancyScope::Classes, OccupancyScope::Kinds}) {
      const auto stack = prepare_occupancy(in, scope, {});
      QCOMPARE(static_cast<double>(stack->filled), token * static_cast<double>(2 + filled->samples.size()));
      std::vector<CurveSegment> full, rest;
      for (const auto& layer : stack->kinds) {
        const bool own = scope == OccupancyScope::Classes ? layer.memory_class == MemoryClass::Cache
                                                          : layer.kind == trace::MemoryKind::KVCache;
        if (own) (layer.unfilled ? rest : full) = layer.levels;
      }
      for (size_t i = 0; i + 1 < filled->samples.size(); ++i) {
        const double x =
            (in.axis.x_of_time(filled->samples[i].time) + in.axis.x_of_time(filled->samples[i + 1].time)) / 2;
        QCOMPARE(value_at(full, x), filled->samples[i].value);
        QCOMPARE(value_at(full, x) + value_at(rest, x), static_cast<double>(cache));
      }
    }
    QVERIFY(maximum(levels_of(*prepare_occupancy(in, OccupancyScope::Classes, {}), MemoryClass::Weights)) > 0);
  }

  // Packed weights are separate memory, count as weights, and are kept between runs.
  void packed_weights_are_kept_between_runs() {
    const QTemporaryDir folder;
    const auto snapshot = recorded(folder, {llama_file(folder, "Q4_0"), "--threads", "1"});
    QVERIFY(snapshot != nullptr);
    compare(snapshot);
    compare_lifetimes(snapshot, true);
    compare_timeline_and_graph(snapshot);
    compare_peak(snapshot);
    if (QTest::currentTestFailed()) return;
    Bytes packed = 0, weights = 0;
    const MemoryClasses classes(*snapshot);
    std::vector<std::pair<Nanoseconds, Bytes>>
        changes;  // small weights are copied out of the mapped file, which then releases them
    for (const trace::SpaceAllocation& slice : all_slices(*snapshot)) {
      const bool stays = slice.open || slice.end >= snapshot->runs[1].end;
      if (classes.of(slice) == MemoryClass::Weights) {
        changes.emplace_back(slice.begin, slice.bytes);
        if (!slice.open) changes.emplace_back(slice.end, -slice.bytes);
      }
      if (slice.kind != trace::MemoryKind::Persistent || slice.tensor.valid()) continue;
      packed += slice.bytes;
      QVERIFY(slice.begin <= snapshot->runs[0].info.begin);
      QVERIFY(stays);
    }
    QVERIFY(packed > 0);
    std::sort(changes.begin(), changes.end());
    for (Bytes now = 0; const auto& [time, bytes] : changes) weights = std::max(weights, now += bytes);
    const auto stack = prepare_occupancy(input_of(snapshot, AxisMode::Time), OccupancyScope::Classes, {});
    QCOMPARE(static_cast<Bytes>(maximum(levels_of(*stack, MemoryClass::Weights))), weights);
  }

  void training_data() {
    QTest::addColumn<QStringList>("command");
    QTest::newRow("planned") << QStringList{"run", "zoo:nano_gpt", "--training", "--threads", "1", "--repeat", "2"};
    QTest::newRow("eager") << QStringList{"run", "zoo:nano_gpt", "--training", "--threads", "1", "--memory", "eager"};
    QTest::newRow("accumulated") << QStringList{"train",   "zoo:nano_gpt", "--data",       "sort:1", "--epochs",  "1",
                                                "--batch", "1024",         "--accumulate", "4",      "--threads", "1"};
  }
  // Gradients are a separate class in any location: the drawn value is the union of their bytes.
  void training() {
    QFETCH(QStringList, command);
    const QTemporaryDir folder;
    const auto snapshot = recorded_by(folder, command);
    QVERIFY(snapshot != nullptr);
    compare(snapshot);
    compare_lifetimes(snapshot, !command.contains("eager"));
    compare_timeline_and_graph(snapshot);
    compare_peak(snapshot);
    if (QTest::currentTestFailed()) return;
    PrepareInput in = input_of(snapshot, AxisMode::Time);
    for (size_t r = 0; r < snapshot->runs.size(); ++r)  // the last training run: others only evaluate
      if (has_gradients(*snapshot->graph_of(trace::RunId(r)))) in.run = trace::RunId(r);
    in.graph = snapshot->graph_of(in.run);
    in.plan = snapshot->plan_of(in.run);
    const trace::TimeRange run = range_of_run(in);
    in.axis.range = {in.axis.x_of_time(run.begin), in.axis.x_of_time(run.end)};
    in.pixels = 1 << 20;
    const auto stack = prepare_occupancy(in, OccupancyScope::Classes, {});
    const auto gradients = levels_of(*stack, MemoryClass::Gradients);
    QVERIFY(maximum(gradients) > 0);
    // Gradients in the arena, and in memory of their own.
    std::vector<Nanoseconds> times;  // sampled, and whenever a gradient is created
    for (int i = 1; i < 100; ++i) times.push_back(run.begin + run.length() / 100 * i);
    for (const trace::SpaceAllocation& slice : snapshot->space_slices_in(run.begin, run.end, SIZE_MAX))
      if (slice.begin > run.begin && slice.begin < run.end && is_gradient(*in.graph, slice.tensor))
        times.push_back(slice.begin);
    int above = 0;
    for (const Nanoseconds t : times) {
      std::map<uint64_t, std::vector<std::pair<Bytes, Bytes>>> ranges;  // by arena
      Bytes own = 0;
      for (const trace::SpaceAllocation& slice : snapshot->space_slices_in(t, t + 1, SIZE_MAX)) {
        const trace::GraphInfo* graph = snapshot->graph(slice.graph);
        if (graph == nullptr) continue;
        if (slice.tensor.valid()) own += is_gradient(*graph, slice.tensor) ? slice.bytes : 0;
        if (slice.tensor.valid()) continue;
        for (const trace::ArenaAllocation& s : snapshot->slices_in(t, t + 1, SIZE_MAX))
          if (s.begin <= t && s.end > t && snapshot->graph_of(s.run) == graph && is_gradient(*graph, s.tensor))
            ranges[slice.address].emplace_back(s.offset, s.offset + s.bytes);
      }
      for (const auto& [arena, list] : ranges) own += united(list);
      QCOMPARE(static_cast<Bytes>(value_at(gradients, in.axis.x_of_time(t) + 0.25)), own);
      above += own > 0 ? 1 : 0;
    }
    QVERIFY(above > 20);
    if (command[0] != "train") return;
    QVERIFY(maximum(levels_of(*stack, MemoryClass::Optimizer)) > 0);
    int sums = 0;
    for (const trace::SpaceAllocation& slice : all_slices(*snapshot)) {
      const trace::TensorInfo* t = snapshot->tensor(slice.graph, slice.tensor);
      if (t != nullptr && slice.tensor.is_leaf() && MemoryClasses(*snapshot).of(slice) == MemoryClass::Gradients)
        ++sums;
    }
    QVERIFY(sums > 10);  // accumulators of gradients over the parts of a batch
  }

  // Persistent memory is kept between runs: weights always, and memory allocated in the first run is reused by the
  // others.
  void several_runs_warm_up_an_allocator() {
    const QTemporaryDir folder;
    const auto snapshot =
        recorded_by(folder, {"run", "zoo:squeezenet", "--threads", "1", "--memory", "eager", "--repeat", "4"});
    QVERIFY(snapshot != nullptr);
    QCOMPARE(snapshot->runs.size(), size_t{4});
    const auto taken = [&](const trace::Run& run) {
      Bytes sum = 0;
      for (size_t i = 0; i < snapshot->memory_events.size(); ++i) {
        const trace::Event& e = snapshot->event(snapshot->memory_events[i]);
        if (e.kind() == trace::EventKind::Reserve && e.time >= run.info.begin && e.time < run.end) sum += e.b;
      }
      return sum;
    };
    QVERIFY(taken(snapshot->runs[0]) > 0);
    for (size_t r = 1; r < 4; ++r) QVERIFY(taken(snapshot->runs[r]) <= taken(snapshot->runs[0]) / 2);
    // The map agrees: most memory of the first run exists in the others, with blocks of each run in it.
    const auto map = prepare_arena_map(input_of(snapshot, AxisMode::Time), {});
    QVERIFY(map->in_spaces);
    const auto held = [&](Nanoseconds t) {
      Bytes sum = 0;
      for (const trace::Space& space : map->spaces)
        if (space.begin <= t && (space.open || space.end > t)) sum += space.bytes;
      return sum;
    };
    for (size_t r = 1; r < 4; ++r) QVERIFY(held(snapshot->runs[r].info.begin) >= held(snapshot->runs[0].end - 1) / 2);
    QVERIFY(held(snapshot->runs[0].end - 1) > 0);
    std::set<size_t> runs;
    for (const trace::SpaceAllocation& slice : map->space_slices)
      for (size_t r = 0; r < 4; ++r)
        if (slice.begin >= snapshot->runs[r].info.begin && slice.begin < snapshot->runs[r].end) runs.insert(r);
    QCOMPARE(runs.size(), size_t{4});
    Bytes weights = 0;
    for (const trace::SpaceAllocation& slice : all_slices(*snapshot)) {
      const trace::TensorInfo* tensor = snapshot->tensor(slice.graph, slice.tensor);
      if (tensor == nullptr || (tensor->flags & (trace::kWeight | trace::kParameter)) == 0) continue;
      QVERIFY(slice.begin <= snapshot->runs[0].info.begin && (slice.open || slice.end >= snapshot->runs[3].end));
      weights += slice.bytes;
    }
    QVERIFY(weights > 0);
  }

  void lifetimes_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("eager") << QStringList{"zoo:squeezenet", "--threads", "2", "--memory", "eager"};
    QTest::newRow("opencl, images, planned")
        << QStringList{"zoo:squeezenet", "--backend", "opencl", "--backend-option", "memory=image"};
  }
  // Images are not in the plan, but tensors of its arena are.
  void lifetimes() {
    QFETCH(QStringList, arguments);
    const QTemporaryDir folder;
    const auto snapshot = recorded(folder, arguments);
    if (!snapshot) QSKIP("this machine has no such device");
    compare_lifetimes(snapshot, arguments.contains("memory=image"));
    if (QTest::currentTestFailed()) return;
    const PrepareInput in = input_of(snapshot, AxisMode::Step);
    const auto plain = prepare_lifetimes(in, {}), with_plan = prepare_lifetimes(in, {}, true);
    QCOMPARE(plain->needed, Bytes{0});
    QVERIFY(plain->ghosts->size() == 0);
    QCOMPARE(with_plan->needed, plain->in_spaces ? in.plan->arena_bytes : Bytes{0});
    QCOMPARE(with_plan->ghosts->size() > 10, plain->in_spaces && !arguments.contains("memory=image"));
  }

  void tensor_data_is_in_the_context_data() {
    QTest::addColumn<bool>("scratch");
    QTest::newRow("in the pool") << false;
    QTest::newRow("scratch buffer") << true;
  }
  // ggml's matmul with its data in the context's pool, or in a separate scratch buffer.
  void tensor_data_is_in_the_context() {
    QFETCH(bool, scratch);
    const QTemporaryDir folder;
    QStringList arguments{"zoo:mul_mat_in_pool", "--memory", "none", "--threads", "1"};
    if (scratch)
      arguments << "--dim"
                << "scratch=1";
    const auto snapshot = recorded(folder, arguments);
    QVERIFY(snapshot != nullptr);
    const trace::ContextInfo& context = *snapshot->contexts.back();
    QVERIFY(!context.no_alloc);
    QCOMPARE(context.scratch_bytes, scratch ? Bytes{1024} : Bytes{0});
    QCOMPARE(context.scratch_used, scratch ? Bytes{48} : Bytes{0});
    const auto data_of = [&](const std::string& name) {
      Bytes sum = 0;
      for (const trace::ObjectInfo& object : context.objects)
        for (const trace::ObjectPart& part : object.parts)
          if (object.name == name && part.kind == trace::ObjectPartKind::Data) sum += part.bytes;
      return sum;
    };
    QCOMPARE(data_of("a"), Bytes{32});
    QCOMPARE(data_of("b"), Bytes{24});
    QCOMPARE(data_of("result"), scratch ? Bytes{0} : Bytes{48});
    // The f32 matmul needs no work buffer: the object that ggml_new_buffer() appends is empty.
    const auto is_work = [](const trace::ObjectInfo& object) { return object.type == "work buffer"; };
    QCOMPARE(std::count_if(context.objects.begin(), context.objects.end(), is_work), 1);
    QVERIFY(is_work(context.objects.back()));
    QVERIFY(context.objects.back().size < 64);  // only padding for alignment
    // They were not allocated by an allocator.
    for (const trace::SpaceAllocation& slice : all_slices(*snapshot)) QVERIFY(!slice.tensor.valid());
  }

  // The inspector shows the storage of a tensor: its block, the number of tensors in it, and their locations.
  void the_inspector_shows_the_storage_of_a_tensor() {
    const QTemporaryDir folder;
    const auto snapshot = recorded(folder, {"zoo:squeezenet", "--threads", "2"});
    QVERIFY(snapshot != nullptr);
    const trace::RunId run(snapshot->runs.size() - 1);
    const InspectorInput in{snapshot, run, snapshot->graph_of(run), snapshot->plan_of(run)};
    const trace::GraphInfo& graph = *in.graph;
    int looked_at = 0;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const trace::TensorInfo& node = graph.nodes[i];
      if (!node.block) continue;
      ++looked_at;
      const trace::StorageBlock& block = graph.blocks[static_cast<size_t>(*node.block)];
      int holders = 0;
      for (const auto* list : {&graph.nodes, &graph.leafs})
        for (const trace::TensorInfo& other : *list) holders += other.block == node.block ? 1 : 0;
      QVERIFY(block.references >= holders);
      for (const trace::SliceInfo& slice : in.plan->slices)
        if (slice.tensor == trace::TensorRef::node(NodeId(i))) {
          QCOMPARE(block.bytes, in.plan->arena_bytes);
          QCOMPARE(node.storage_offset, slice.offset);
        }
      QStringList bars, references;
      for (const InspectorFact& fact :
           inspector_facts(in, NodeSelection{graph.id, trace::TensorRef::node(NodeId(i))})) {
        if (fact.section != "Storage") continue;
        if (fact.key == "references") references << fact.value;
        if (fact.bar) bars << fact.key;
      }
      QCOMPARE(references, QStringList{QString::number(block.references)});
      QCOMPARE(bars.size(), std::min(holders, 16));
      if (looked_at == 5) break;
    }
    QCOMPARE(looked_at, 5);
  }

  // In a run that was cut short, only observed tensors are drawn as observed.
  void a_partial_run_is_distinguished_from_its_plan() {
    auto graph = std::make_shared<trace::GraphInfo>();
    graph->id = trace::GraphId(0);
    graph->nodes.resize(4);
    auto plan = std::make_shared<trace::PlanInfo>();
    plan->id = trace::PlanId(0);
    plan->graph = graph->id;
    plan->arena_bytes = 4096;
    for (int32_t i = 0; i < 4; ++i) {
      plan->order.push_back(NodeId(i));
      trace::SliceInfo slice;
      slice.tensor = trace::TensorRef::node(NodeId(i));
      slice.offset = slice.bound_offset = 1024 * i;
      slice.size = 1024;
      slice.first = Step(i);
      slice.last = Step(std::min(i + 2, 4));
      slice.bound = true;
      plan->slices.push_back(slice);
    }
    trace::Session session;
    session.describe(trace::ThreadInfo{trace::TrackId(0), "worker", trace::TrackKind::Worker});
    session.describe(std::shared_ptr<const trace::GraphInfo>(graph));
    session.describe(std::shared_ptr<const trace::PlanInfo>(plan));
    trace::RunInfo run{trace::RunId(0), graph->id, plan->id, 100, 1, "cpu", "planned"};
    run.lead = trace::TrackId(0);
    run.steps_derived = true;
    session.describe(run);
    const trace::Event work[] = {trace::work(trace::RunId(0), NodeId(0), 100, 200),
                                 trace::work(trace::RunId(0), NodeId(1), 200, 300)};
    session.events(trace::TrackId(0), work);
    session.describe(trace::RunEnd{trace::RunId(0), 350, trace::RunStatus::Aborted});
    const auto snapshot = session.snapshot();
    for (const AxisMode mode : {AxisMode::Step, AxisMode::Time}) {
      const PrepareInput in = input_of(snapshot, mode);
      const auto p = prepare_lifetimes(in, {});
      QCOMPARE(p->slices, size_t{4});
      QCOMPARE(p->seen, size_t{2});
      size_t pale = 0;
      for (size_t i = 0; i < p->shares->size(); ++i) pale += (*p->shares)[i].style >= kSliceStyles ? 1 : 0;
      QCOMPARE(pale, size_t{2});
      const auto map = prepare_arena_map(in, {});
      size_t planned = 0;
      for (size_t i = 0; i < map->bodies->size(); ++i) planned += (*map->bodies)[i].style >= kSliceStyles ? 1 : 0;
      QCOMPARE(planned, size_t{2});
      QVERIFY(!incomplete_notes(*snapshot, trace::RunId(0)).isEmpty());
    }
  }
};

QTEST_GUILESS_MAIN(SpaceKindsTest)
#include "space_kinds_test.moc"
