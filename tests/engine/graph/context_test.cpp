// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/graph.h>
#include <arenascope/memory/cpu_allocator.h>

namespace arenascope {
namespace {

Context pool_of(size_t bytes, bool no_alloc = false) {
  auto made = Context::create({bytes, nullptr, no_alloc});
  REQUIRE(made);
  return *made;
}

}  // namespace

TEST_CASE("objects are contiguous, aligned and iterable") {
  Context c = pool_of(1 << 16);
  CHECK(c.use().objects == 0);
  CHECK(c.first_object() == nullptr);
  const Tensor a = *c.new_tensor(DType::F32, {3}, "a");
  const Graph g = *c.new_graph(4);
  auto work = c.new_work_buffer(100);
  REQUIRE(work);
  const Tensor b = *c.apply(Op::Neg, std::vector{a}, {}, "b");

  std::vector<ObjectType> types;
  std::vector<std::string> names;
  size_t end = 0;
  for (const ObjectHeader* o = c.first_object(); o; o = o->next) {
    CHECK(o->offset == end + sizeof(ObjectHeader));
    CHECK(o->offset % Context::kObjectAlignment == 0);
    end = o->offset + o->size;
    types.push_back(o->type);
    if (const TensorImpl* tensor = c.tensor_of(*o)) names.push_back(tensor->name.str());
  }
  CHECK(end == c.use().object_bytes);
  CHECK(c.use().objects == 4);
  CHECK(types == std::vector{ObjectType::Tensor, ObjectType::Graph, ObjectType::WorkBuffer, ObjectType::Tensor});
  CHECK(names == std::vector<std::string>{"a", "b"});
  CHECK(reinterpret_cast<uintptr_t>(a->data()) % 64 == 0);
  CHECK(reinterpret_cast<uintptr_t>(work->data()) % 64 == 0);
  CHECK(std::string(name(ObjectType::WorkBuffer)) == "work buffer");
}

TEST_CASE("tensor_overhead and graph_overhead give the required pool size") {
  const size_t n = 50;
  Context c = pool_of(n * Context::tensor_overhead(2) + Context::graph_overhead(n, true), true);
  Tensor last = *c.new_tensor(DType::F32, {8});
  for (size_t i = 1; i < n; ++i) {
    auto next = c.apply(Op::Add, std::vector{last, last});
    REQUIRE(next);
    last = *next;
  }
  auto graph = c.new_graph(n, true);
  REQUIRE(graph);
  CHECK(graph->expand(last).ok());
  CHECK(c.use().object_bytes <= c.use().pool_bytes);
}

TEST_CASE("a full pool reports needed and free bytes and is unchanged") {
  Context c = pool_of(2048);
  const Tensor a = *c.new_tensor(DType::F32, {16}, "first");
  const size_t used = c.use().object_bytes, count = c.use().objects;
  auto large = c.new_tensor(DType::F32, {1000}, "large");
  REQUIRE_FALSE(large);
  const std::string& text = large.error().message;
  CHECK(text.find("the context's pool is full: tensor 'large' needed ") == 0);
  CHECK(text.find("available " + std::to_string(2048 - used) + " of 2048") != std::string::npos);
  CHECK(c.use().object_bytes == used);
  CHECK(c.use().objects == count);
  CHECK_FALSE(c.new_graph(100000));
  CHECK_FALSE(c.new_work_buffer(1 << 20));
  CHECK_FALSE(c.new_work_buffer(-1));
  CHECK_FALSE(c.new_work_buffer(INT64_MAX));
  CHECK(c.new_tensor(DType::F32, {4}, "small"));
}

TEST_CASE("a growing pool accepts all objects and moves none") {
  for (const bool no_alloc : {true, false}) {
    auto made = Context::create({.no_alloc = no_alloc, .grow = true});
    REQUIRE(made);
    Context& c = *made;
    CHECK(c.grows());
    std::vector<Tensor> tensors{*c.new_tensor(DType::F32, {7}, "0")};
    std::vector<const TensorImpl*> places{tensors[0].impl()};
    for (int i = 1; i < 3000; ++i) {
      tensors.push_back(*c.apply(Op::Neg, std::vector{tensors.back()}, {}, std::to_string(i)));
      places.push_back(tensors.back().impl());
      if (!no_alloc) *tensors.back()->data_as<float>() = static_cast<float>(i);
    }
    size_t count = 0, taken = 0, end = 0;
    for (const ObjectHeader* o = c.first_object(); o; o = o->next, ++count) {
      CHECK(o->offset >= end + sizeof(ObjectHeader));
      end = o->offset + o->size;
      taken += sizeof(ObjectHeader) + o->size;
      REQUIRE(c.tensor_of(*o) == places[count]);
      CHECK(c.tensor_of(*o)->name == std::to_string(count));
    }
    CHECK(count == tensors.size());
    CHECK(c.use().object_bytes == taken);
    CHECK(end <= c.use().pool_bytes);
    CHECK(c.use().pool_bytes <= 2 * c.use().object_bytes + (size_t{1} << 15));
    for (size_t i = 1; i < tensors.size(); ++i) {
      CHECK(tensors[i]->sources[0] == tensors[i - 1].impl());
      if (no_alloc) continue;
      CHECK(reinterpret_cast<uintptr_t>(tensors[i]->data()) % 64 == 0);
      CHECK(*tensors[i]->data_as<float>() == static_cast<float>(i));
    }
    // One that is larger than all before it, and a buffer that no machine has.
    auto work = c.new_work_buffer(Bytes{50} << 20);
    REQUIRE(work);
    CHECK(work->bytes() == Bytes{50} << 20);
    CHECK(reinterpret_cast<uintptr_t>(work->data()) % 64 == 0);
    CHECK_FALSE(c.new_work_buffer(INT64_MAX));
    CHECK_FALSE(c.new_work_buffer(Bytes{1} << 60));
    CHECK(c.new_tensor(DType::F32, {4}, "small"));
  }
  alignas(64) static std::byte buffer[4096];
  CHECK_FALSE(Context::create({.mem_size = sizeof buffer, .mem_buffer = buffer, .grow = true}));

  Context bounded = *Context::create({.no_alloc = true, .grow = true, .mem_limit = 100'000});
  Result<Tensor> last = bounded.new_tensor(DType::F32, {4});
  while (last) last = bounded.new_tensor(DType::F32, {4});
  CHECK(last.error().message.find("the context's pool is full: tensor needed ") == 0);
  CHECK(bounded.use().pool_bytes <= 100'000);
  CHECK(bounded.use().object_bytes > 99'000);
}

TEST_CASE("sizes beyond any pool are an error before anything is allocated") {
  Context c = pool_of(4096, true);
  CHECK_FALSE(c.new_tensor(DType::F32, {-4}));
  CHECK_FALSE(c.new_tensor(DType::F32, {INT64_MAX, 3}));
  CHECK_FALSE(c.new_tensor(DType::Q4_0, {31}));
  CHECK_FALSE(c.new_graph(size_t{1} << 40));
  CHECK(c.use().objects == 0);
  CHECK_FALSE(Context::create({SIZE_MAX, nullptr, false}));
  CHECK_FALSE(Context::create({size_t{1} << 61, nullptr, false}));
  CHECK(c.new_tensor(DType::I8, {INT64_MAX}));  // a descriptor takes no data
}

TEST_CASE("the pool may be a buffer of the caller") {
  alignas(64) static std::byte buffer[4096];
  {
    auto c = Context::create({sizeof buffer, buffer, false});
    REQUIRE(c);
    CHECK(c->mem_buffer() == buffer);
    CHECK(c->use().pool_bytes == sizeof buffer);
    const Tensor t = *c->new_tensor(DType::F32, {4});
    CHECK(t->data() >= buffer);
    CHECK(t->data() + 16 <= buffer + sizeof buffer);
  }
  CHECK_FALSE(Context::create({100, buffer + 1, false}));
  CHECK_FALSE(Context::create({8, buffer, false}));
  CHECK_FALSE(Context::create({SIZE_MAX, buffer, false}));
}

TEST_CASE("a no_alloc context holds descriptors only, and no_alloc can be switched") {
  Context c = pool_of(1 << 14, true);
  const Tensor a = *c.new_tensor(DType::F32, {1 << 20});
  CHECK(a->data() == nullptr);
  CHECK((*a).byte_count() == 4 << 20);
  c.set_no_alloc(false);
  CHECK_FALSE(c.no_alloc());
  CHECK(c.new_tensor(DType::F32, {8})->impl()->data() != nullptr);
  CHECK_FALSE(c.new_tensor(DType::F32, {1 << 20}));
}

TEST_CASE("data is allocated in the scratch buffer while one is set") {
  Context c = pool_of(1 << 14);
  auto block = MemoryBlock::allocate(std::make_shared<CpuAllocator>(), MemoryKind::Workspace, 256);
  REQUIRE(block);
  const Storage storage(*block);
  CHECK_FALSE(c.set_scratch({storage, 0}).storage.allocated());
  const Tensor a = *c.new_tensor(DType::F32, {10}, "a");
  const Tensor none = *c.new_tensor(DType::F32, {0}, "none");
  const Tensor b = *c.new_tensor(DType::F32, {10}, "b");
  CHECK(a->data() == storage.data());
  CHECK(b->data() == storage.data() + 64);
  CHECK(none->data() == nullptr);
  auto large = c.new_tensor(DType::F32, {64}, "large");
  REQUIRE_FALSE(large);
  CHECK(large.error().message == "the scratch buffer is full: tensor 'large' needed 256 bytes, available 128");
  const Scratch before = c.set_scratch({});
  CHECK(before.used == 64 + 40);
  const Tensor d = *c.new_tensor(DType::F32, {10});
  const auto* pool = static_cast<const std::byte*>(c.mem_buffer());
  CHECK(d->data() >= pool);
  CHECK(d->data() < pool + c.use().pool_bytes);
  CHECK(a->storage.kind() == MemoryKind::Workspace);
}

TEST_CASE("a full pool leaves the scratch buffer unchanged") {
  Context c = pool_of(sizeof(ObjectHeader) + TensorImpl::byte_size(1, 0, 0) + 32);
  auto block = MemoryBlock::allocate(std::make_shared<CpuAllocator>(), MemoryKind::Workspace, 1024);
  c.set_scratch({Storage(*block), 0});
  REQUIRE(c.new_tensor(DType::F32, {4}));
  CHECK_FALSE(c.new_tensor(DType::F32, {4}));
  CHECK(c.set_scratch({}).used == 16);
}

TEST_CASE("handles outlive their context") {
  Tensor t;
  Graph g;
  Storage work;
  {
    Context c = pool_of(1 << 15);
    const Tensor a = *c.new_tensor(DType::F32, {2, 2}, "a tensor whose name is longer than a short string");
    t = *c.apply(Op::Add, std::vector{a, a}, {}, "sum");
    g = *c.new_graph(8);
    REQUIRE(g.expand(t).ok());
    work = *c.new_work_buffer(64);
  }
  CHECK(t->sources[0]->name.size() > 32);
  t->data_as<float>()[3] = 2.5f;
  CHECK(g.node(NodeId(0)).data_as<float>()[3] == 2.5f);
  t = Tensor();
  CHECK(g.nodes().size() == 1);
  g = Graph();
  work.data()[63] = std::byte{1};
}

TEST_CASE("sources and graphs keep tensors of other pools, and pool-less ones, alive") {
  auto cpu = make_cpu_context();
  Context here = pool_of(1 << 14);
  Graph g;
  Tensor sum;
  {
    const Tensor alone = *Tensor::empty(*cpu, {2}, DType::F32);
    alone.data_as<float>()[1] = 4.0f;
    Context there = pool_of(1 << 14);
    const Tensor b = *there.new_tensor(DType::F32, {2}, "b");
    sum = *here.apply(Op::Add, std::vector{alone, b});
    const Tensor far = *there.apply(Op::Neg, std::vector{b}, {}, "far");
    g = *here.new_graph(4);
    REQUIRE(g.expand(far).ok());
  }
  CHECK(sum->sources[0]->data_as<float>()[1] == 4.0f);
  CHECK(sum->sources[1]->name == "b");
  CHECK(g.node(NodeId(0)).name == "far");
}

TEST_CASE("a layer groups the nodes created while it is set") {
  Context c = pool_of(1 << 15, true);
  const Tensor a = *c.new_tensor(DType::F32, {2});
  c.set_layer("encoder");
  const Tensor b = *c.apply(Op::Neg, std::vector{a});
  c.set_layer("decoder");
  const Tensor d = *c.apply(Op::Neg, std::vector{b});
  c.set_layer("encoder");
  const Tensor e = *c.apply(Op::Neg, std::vector{d});
  c.set_layer("");
  const Tensor f = *c.apply(Op::Neg, std::vector{e});
  CHECK(a->layer == -1);
  CHECK(b->layer == 0);
  CHECK(d->layer == 1);
  CHECK(e->layer == 0);
  CHECK(f->layer == -1);
  CHECK(std::vector<std::string>(c.layer_names().begin(), c.layer_names().end()) ==
        std::vector<std::string>{"encoder", "decoder"});
}

TEST_CASE("an op checks that all its sources are given and defined") {
  Context c = pool_of(1 << 14, true);
  const Tensor a = *c.new_tensor(DType::F32, {2});
  CHECK(c.apply(Op::Add, std::vector{a}, {}, "one").error().message == "ADD 'one' got 1 inputs");
  CHECK_FALSE(c.apply(Op::Neg, std::vector{a, a}));
  CHECK_FALSE(c.apply(Op::Add, std::vector{a, Tensor()}));
  CHECK_FALSE(c.apply(Op::None, std::vector<Tensor>{}));
}

}  // namespace arenascope
