// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/tensor/ggml_shape.h>
#include <arenascope/tensor/tensor.h>

namespace arenascope {

TEST_CASE("a new tensor is contiguous memory of the context") {
  auto context = make_cpu_context();
  auto t = Tensor::empty(*context, {2, 3}, DType::F32, {}, MemoryKind::Workspace);
  REQUIRE(t);
  CHECK(t->sizes() == Dims{2, 3});
  CHECK(t->strides() == Dims{3, 1});
  CHECK((*t)->byte_count() == 24);
  CHECK((*t)->byte_span() == 24);
  CHECK((*t)->contiguous());
  CHECK(t->memory_kind() == MemoryKind::Workspace);
  for (int i = 0; i < 6; ++i) t->data_as<float>()[i] = static_cast<float>(i);
  const Tensor copy = *t;
  CHECK(copy == *t);
  CHECK(copy.data_as<float>()[5] == 5.0f);
  CHECK(context->stats({}, MemoryKind::Workspace).active == 24);
}

TEST_CASE("invalid sizes, devices and kinds are errors") {
  auto context = make_cpu_context();
  CHECK_FALSE(Tensor::empty(*context, {-1}, DType::F32));
  CHECK_FALSE(Tensor::empty(*context, {INT64_MAX, 4}, DType::F32));
  CHECK_FALSE(Tensor::empty(*context, {INT64_MAX / 2}, DType::F32));
  CHECK_FALSE(Tensor::empty(*context, {int64_t{1} << 60}, DType::I8));  // no machine has that
  CHECK_FALSE(Tensor::empty(*context, {4}, DType::F32, Device{DeviceType::Cuda, 0}));
  CHECK_FALSE(Tensor::empty(*context, {4}, DType::F32, Device{DeviceType::Cuda, 0}, MemoryKind::HostPinned));
  CHECK_FALSE(Tensor::empty(*context, {4}, DType::Q4_0));
}

TEST_CASE("a tensor without elements has no memory and a device") {
  auto context = make_cpu_context();
  auto here = Tensor::empty(*context, {0}, DType::F32);
  REQUIRE(here);
  CHECK(here->device() == Device{});
  CHECK(context->stats(Device{}).active == 0);
  const Device cuda{DeviceType::Cuda, 1};
  auto t = Tensor::wrap(Storage(cuda), {3, 0, 2}, DType::F32);
  REQUIRE(t);
  CHECK(t->device() == cuda);
  CHECK_FALSE((*t)->storage.allocated());
  CHECK((*t)->data() == nullptr);
  CHECK((*t)->byte_count() == 0);
  CHECK((*t)->byte_span() == 0);
  CHECK((*t)->contiguous());
}

TEST_CASE("wrapping checks that all elements are inside the storage") {
  std::array<float, 12> values{};
  auto storage = Storage::borrow(values.data(), sizeof values);
  REQUIRE(storage);
  auto all = Tensor::wrap(*storage, {3, 4}, DType::F32);
  REQUIRE(all);
  auto row = Tensor::wrap(*storage, {4}, DType::F32, 8);
  REQUIRE(row);
  CHECK(row->data_as<float>() == values.data() + 8);
  CHECK_FALSE(Tensor::wrap(*storage, {4}, DType::F32, 9));
  CHECK_FALSE(Tensor::wrap(*storage, {4}, DType::F32, -1));
  CHECK_FALSE(Tensor::wrap(*storage, {1}, DType::F32, INT64_MAX));
  CHECK_FALSE(Tensor::wrap(*storage, {13}, DType::F32));
  CHECK(Tensor::wrap(*storage, {0}, DType::F32, 12));
  CHECK_FALSE(Tensor::wrap(*storage, {0}, DType::F32, 13));
  CHECK_FALSE(Tensor::wrap(*storage, {32}, DType::Q4_0, 16));  // within a block
}

TEST_CASE("ne and nb start at the innermost dimension, nb in bytes") {
  auto context = make_cpu_context();
  auto t = Tensor::empty(*context, {2, 3, 4}, DType::F32);
  REQUIRE(t);
  CHECK(ggml_shape(**t).ne == std::array<int64_t, 8>{4, 3, 2, 1, 1, 1, 1, 1});
  CHECK(ggml_shape(**t).nb == std::array<int64_t, 8>{4, 16, 48, 96, 96, 96, 96, 96});

  auto q = Tensor::empty(*context, {2, 64}, DType::Q4_0);
  REQUIRE(q);
  CHECK(ggml_shape(**q).ne[0] == 64);
  CHECK(ggml_shape(**q).nb[0] == 18);  // a block
  CHECK(ggml_shape(**q).nb[1] == 36);
  CHECK(ggml_shape(**q).nb[2] == 72);

  auto scalar = Tensor::empty(*context, {}, DType::I64);
  REQUIRE(scalar);
  CHECK(ggml_shape(**scalar).ne[0] == 1);
  CHECK(ggml_shape(**scalar).nb[0] == 8);
}

TEST_CASE("negative strides extend the span of a tensor") {
  auto context = make_cpu_context();
  Tensor t = *Tensor::empty(*context, {3, 4}, DType::F32);
  t->strides.set(Dims{4, -1}.span());
  CHECK(t->byte_span() == 48);
  t->strides.set(Dims{-8, 1}.span());
  CHECK(t->byte_span() == (16 + 3 + 1) * 4);
}

TEST_CASE("op parameters are stored byte by byte") {
  struct Numbers {
    int64_t a;
    float b[4];
  };
  OpParams params, same, other;
  params.set(Numbers{3, {1, 2, 3, 4}});
  same.set(Numbers{3, {1, 2, 3, 4}});
  other.set(Numbers{4, {1, 2, 3, 4}});
  CHECK(params.get<Numbers>().b[3] == 4.0f);
  CHECK(params == same);
  CHECK_FALSE(params == other);
}

TEST_CASE("no byte of parameters is padding") {
  struct Padded {
    int64_t a;
    bool b;
  };
  struct Filled {
    double a;
    ZeroPadded<bool, 8> b;
  };
  struct Between {
    ZeroPadded<int32_t, 8> a;
    int64_t b;
  };
  static_assert(!WithoutPadding<Padded> && WithoutPadding<Filled> && WithoutPadding<Between> && WithoutPadding<Dims>);
  static_assert(sizeof(Padded) == sizeof(Filled) && sizeof(Between) == 16);
  // Equal values have equal bytes, whatever their memory held before.
  OpParams first, second;
  for (OpParams* params : {&first, &second}) {
    alignas(Filled) std::byte memory[sizeof(Filled)];
    std::memset(memory, params == &first ? 0x55 : 0xaa, sizeof memory);
    params->set(*new (memory) Filled{1.5, true});
  }
  CHECK(first == second);
  CHECK(std::equal(first.bytes().begin(), first.bytes().end(), second.bytes().begin()));
  CHECK(first.significant().size() == sizeof(double) + 1);
  CHECK(first.get<Filled>().b);
  Dims shorter{1, 2, 3};
  shorter.resize(2);
  first.set(shorter);
  second.set(Dims{1, 2});
  CHECK(first == second);
}

TEST_CASE("handles can be moved, copied and assigned; a defined one is true") {
  auto context = make_cpu_context();
  Tensor none;
  CHECK_FALSE(none);
  Tensor a = *Tensor::empty(*context, {1}, DType::F32);
  a.set_name("a").set_flag(kFlagOutput);
  CHECK(a.name() == "a");
  CHECK(a->has(kFlagOutput));
  Tensor b = std::move(a);
  CHECK_FALSE(a.defined());
  a = b;
  CHECK(a == b);
  a = a;
  CHECK(a->references.load() == 2);
  b = Tensor();
  CHECK(a->references.load() == 1);
}

TEST_CASE("several threads may copy a handle") {
  auto context = make_cpu_context();
  const Tensor t = *Tensor::empty(*context, {8}, DType::F32);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&t] {
      for (int k = 0; k < 10000; ++k) Tensor copy = t;
    });
  for (auto& thread : threads) thread.join();
  CHECK(t->references.load() == 1);
}

}  // namespace arenascope
