// SPDX-License-Identifier: MIT
// The recorded description of a graph, of its tensors' bytes and of the objects in their pool.
#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/graph/builder.h>
#include <arenascope/schedule/describe.h>
#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace arenascope;
using Kind = trace::ObjectPartKind;

namespace {

std::map<Kind, Bytes> bytes_by_kind(const trace::ObjectInfo& object) {
  std::map<Kind, Bytes> sums;
  for (const trace::ObjectPart& part : object.parts) sums[part.kind] += part.bytes;
  return sums;
}

// Parts follow each other without gaps and cover the whole object.
void check_whole(const trace::ContextInfo& context) {
  for (const trace::ObjectInfo& object : context.objects) {
    Bytes reached = 0;
    for (const trace::ObjectPart& part : object.parts) {
      CHECK(part.offset == reached);
      CHECK(part.bytes > 0);
      CHECK(part.used <= part.bytes);
      reached += part.bytes;
    }
    CHECK(reached == object.size);
  }
}

}  // namespace

TEST_CASE("the fields of an object cover its bytes: fields, sources, data and padding of tensors, arrays of graphs") {
  Context context = *Context::create({.mem_size = 1 << 16, .no_alloc = false});
  const Tensor a = *context.new_tensor(DType::F32, Dims{4, 2}, "A"),
               b = *context.new_tensor(DType::F32, Dims{3, 2}, "B");
  const Tensor product = *context.apply(Op::MulMat, std::array{a, b}, {}, "product");
  const Tensor rows = *context.apply(
      Op::Reshape, std::array{product},
      [] {
        OpParams params;
        params.set(ReshapeParams{Dims{12}});
        return params;
      }(),
      "rows");
  Graph graph = *context.new_graph(8, true);
  REQUIRE(graph.expand(rows).ok());
  graph.set_grad(*product, a.impl());
  REQUIRE(context.new_work_buffer(200).ok());
  const trace::ContextInfo described = describe_context(context);
  REQUIRE(described.objects.size() == 6);
  CHECK_FALSE(described.no_alloc);
  CHECK(described.scratch_bytes == 0);
  check_whole(described);
  // Data of given and computed tensors is in the pool; a view has none.
  for (const auto& [object, elements] : {std::pair(0, 8), std::pair(1, 6), std::pair(2, 12), std::pair(3, 0)})
    CHECK(bytes_by_kind(described.objects[static_cast<size_t>(object)])[Kind::Data] == 4 * elements);
  auto of_product = bytes_by_kind(described.objects[2]), of_rows = bytes_by_kind(described.objects[3]);
  auto of_a = bytes_by_kind(described.objects[0]);
  CHECK(of_product[Kind::Sources] - of_a[Kind::Sources] == 2 * static_cast<Bytes>(sizeof(void*)));
  CHECK(of_rows[Kind::OpParams] - of_a[Kind::OpParams] == static_cast<Bytes>(rows->params.bytes().size()));
  CHECK(of_a[Kind::Sizes] - bytes_by_kind(described.objects[3])[Kind::Sizes] == 8);  // of two dimensions against one
  // The graph: capacity for 8 nodes and 8 leafs, of which 2 each exist; a gradient of one.
  std::map<Kind, trace::ObjectPart> arrays;
  for (const trace::ObjectPart& part : described.objects[4].parts) arrays[part.kind] = part;
  CHECK(arrays[Kind::Nodes].bytes == 8 * static_cast<Bytes>(sizeof(void*)));
  CHECK(arrays[Kind::Nodes].used == 2 * static_cast<Bytes>(sizeof(void*)));
  CHECK(arrays[Kind::Leafs].used == 2 * static_cast<Bytes>(sizeof(void*)));
  CHECK(arrays[Kind::Gradients].bytes == 16 * static_cast<Bytes>(sizeof(void*)));
  CHECK(arrays[Kind::Gradients].used == static_cast<Bytes>(sizeof(void*)));
  CHECK(arrays[Kind::Accumulators].used == 0);
  CHECK(arrays[Kind::UseCounts].used == 4 * 4);
  CHECK(arrays[Kind::HashSet].used == 4 * 4);
  CHECK(arrays[Kind::HashSet].bytes >= 24 * 4);
  CHECK(described.objects[5].type == "work buffer");
  CHECK(bytes_by_kind(described.objects[5])[Kind::Data] == described.objects[5].size);
}

TEST_CASE("a grown graph continues in another object, and scratch is described while it is set") {
  Context context = *Context::create({.mem_size = 1 << 12, .no_alloc = true, .grow = true});
  Graph graph = *context.new_graph(2);
  Tensor last = *context.new_tensor(DType::F32, Dims{4}, "x");
  for (int i = 0; i < 20; ++i) last = *context.apply(Op::Relu, std::array{last}, {}, "relu");
  REQUIRE(graph.expand(last).ok());
  const trace::ContextInfo described = describe_context(context);
  check_whole(described);
  Bytes nodes = 0, used = 0;
  size_t graphs = 0;
  for (const trace::ObjectInfo& object : described.objects) {
    graphs += object.type == "graph" ? 1 : 0;
    for (const trace::ObjectPart& part : object.parts)
      if (part.kind == Kind::Nodes) nodes += part.bytes, used += part.used;
  }
  CHECK(graphs > 1);
  CHECK(nodes == static_cast<Bytes>(graph.capacity() * sizeof(void*)));
  CHECK(used == 20 * static_cast<Bytes>(sizeof(void*)));
  std::vector<float> room(256);
  context.set_no_alloc(false);
  context.set_scratch({*Storage::borrow(room.data(), 1024), 0});
  REQUIRE(context.new_tensor(DType::F32, Dims{10}, "beside").ok());
  CHECK(describe_context(context).scratch_bytes == 1024);
  CHECK(describe_context(context).scratch_used == 40);
  context.set_scratch({});
  CHECK(describe_context(context).scratch_bytes == 0);
}

TEST_CASE("every op with parameters describes them and their bytes") {
  std::set<Op> without, with_parameters;
  for (const OpCase& c : op_cases()) {
    Context context = *Context::create({.mem_size = 1 << 16, .no_alloc = true, .grow = true});
    const auto built = c.build(context);
    if (!built) continue;
    Graph graph = *context.new_graph(64);
    if (!graph.expand(built->output).ok()) continue;
    const trace::GraphInfo info = describe_graph(graph);
    for (size_t i = 0; i < info.nodes.size(); ++i) {
      const TensorImpl& node = *graph.nodes()[i];
      CHECK(info.nodes[i].op_params.size() == node.params.bytes().size());
      CHECK(info.nodes[i].uses == graph.use_count(node));
      if (node.params.bytes().empty()) continue;
      (info.nodes[i].parameters.empty() ? without : with_parameters).insert(node.op);
    }
  }
  for (const Op op : without) FAIL_CHECK(name(op) << " describes none of its parameters");
  CHECK(with_parameters.size() > 30);
}

TEST_CASE("tensors describe their slice of a block and its reference count") {
  Context context = *Context::create({.mem_size = 1 << 16, .no_alloc = true});
  GraphBuilder b(context);
  const Tensor x = b.input("x", {8, 4});
  const Tensor view = b.reshape(x, {32}), out = b.op(Op::Relu, {view}, {}, "out");
  b.output(out);
  REQUIRE(b.ok());
  Graph graph = *context.new_graph(8);
  REQUIRE(graph.expand(out).ok());
  const auto memory = make_cpu_context();
  const Storage whole = *Storage::allocate(*memory, {}, MemoryKind::Workspace, 1024);
  x->storage = *whole.sub_storage(128, 128);
  view->storage = x->storage;
  const trace::GraphInfo info = describe_graph(graph);
  REQUIRE(info.blocks.size() == 1);
  CHECK(info.blocks[0].bytes == 1024);
  CHECK(info.blocks[0].kind == trace::MemoryKind::Workspace);
  CHECK(info.blocks[0].references == 3);  // `whole`, x and its view
  CHECK_FALSE(info.blocks[0].borrowed);
  CHECK(info.leafs[0].block == 0);
  CHECK(info.leafs[0].storage_offset == 128);
  CHECK(info.leafs[0].storage_bytes == 128);
  CHECK(info.nodes[0].block == 0);
  CHECK_FALSE(info.nodes[1].block.has_value());
}

TEST_CASE("a parameter lists its optimizer states") {
  Context context = *Context::create({.mem_size = 1 << 16, .no_alloc = true});
  GraphBuilder b(context);
  const Tensor w = b.weight("w", {4}), g = b.input("g", {4}), numbers = b.input("numbers", {3}),
               first = b.input("first", {4}), second = b.input("second", {4});
  w.set_flag(kFlagParameter);
  const Tensor spoilt = b.op_with(Op::Fill, {}, FillParams{{}, DType::Bool, 0, 0});
  OptimizerStepParams p{};
  p.adaptive = true;
  p.states = 2;
  const Tensor step = b.op_with(Op::OptimizerStep, {w, g, numbers, spoilt, first, second}, p);
  b.output(step);
  REQUIRE(b.ok());
  Graph graph = *context.new_graph(8);
  REQUIRE(graph.expand(step).ok());
  const trace::GraphInfo info = describe_graph(graph);
  const auto leaf_of = [&](const Tensor& tensor) { return trace::TensorRef::leaf(graph.find_leaf(*tensor)); };
  const std::vector<trace::TensorRef> expected{leaf_of(first), leaf_of(second)};
  CHECK(info.nodes[graph.find_node(*w).index()].states == expected);
  for (const trace::TensorInfo& leaf : info.leafs) CHECK(leaf.states.empty());
}
