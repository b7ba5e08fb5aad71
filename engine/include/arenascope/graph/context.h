// SPDX-License-Identifier: MIT
// The object arena. One contiguous pool in which objects are appended one behind the other, each behind a
// header, and freed all at once when the last handle (Context, Tensor or Graph) is let go:
//
//   ┌────────┬────────────┬───────────────────────────┬──────┬─────┬────────┬───────┬─────┬────────┬────────┐
//   │ header │ TensorImpl │ sizes … sources (kept.h)  │ data │ pad │ header │ Graph │ pad │ header │ work … │ free
//   └────────┴────────────┴───────────────────────────┴──────┴─────┴────────┴───────┴─────┴────────┴────────┘
//
// In a no_alloc context the data part is missing: tensors are descriptors whose memory a plan provides.
// A pool that was made to grow takes another block where an object does not fit; objects stay where they are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/tensor/tensor.h>

namespace arenascope {

class Graph;

enum class ObjectType : uint32_t { Tensor, Graph, WorkBuffer };
const char* name(ObjectType type);

// What stands in front of each object in the pool. Offsets count from the pool's first byte.
struct ObjectHeader {
  size_t offset;  // of the object itself, behind this header
  size_t size;    // of the object, padding included
  ObjectHeader* next;
  ObjectType type;
  uint32_t continued;  // 1: arrays in which a graph of an earlier object goes on
};

struct ContextParams {
  size_t mem_size = 0;          // bytes of the pool; 0 makes the smallest one
  void* mem_buffer = nullptr;   // a pool of the caller's, 16-byte aligned, which must outlive all handles; or null
  bool no_alloc = false;        // descriptors only
  bool grow = false;            // a full pool takes another block from the heap instead of refusing
  size_t mem_limit = SIZE_MAX;  // bytes that a pool which grows may have
};

// A buffer beside the pool into which tensor data goes while it is set, one behind the other.
struct Scratch {
  Storage storage;
  Bytes used = 0;
};

// What a pool holds.
struct PoolUse {
  size_t objects = 0;
  size_t object_bytes = 0;  // that they take, their headers included
  size_t pool_bytes = 0;    // of all blocks
  size_t name_bytes = 0;    // of the tensors' names, which lie beside the pool
};

class ContextPool;

// A handle on the pool; copies share it. Not for use by several threads at once while objects are added.
class Context {
 public:
  static constexpr size_t kObjectAlignment = 16;
  static constexpr size_t kDataAlignment = 64;

  // Errors: the pool cannot be allocated, a given buffer is not aligned or is to grow.
  static Result<Context> create(const ContextParams& params);
  Context() = default;
  Context(const Context& other);
  Context(Context&& other) noexcept;
  Context& operator=(Context other) noexcept;
  ~Context();
  bool defined() const { return pool_ != nullptr; }

  // Pool bytes that a tensor takes beside its data, its header included, for up to `sources` sources and any rank and
  // parameters: what to make a pool of. Most take half of it.
  static size_t tensor_overhead(size_t sources = 4);
  // Pool bytes that a graph of `capacity` nodes and as many leafs takes, its header included.
  static size_t graph_overhead(size_t capacity, bool grads = false);

  PoolUse use() const;
  bool grows() const;
  bool no_alloc() const;
  void set_no_alloc(bool value);
  const void* mem_buffer() const;  // the first block
  const ObjectHeader* first_object() const;
  // Keeps a tensor that lies in another pool, or in none, alive as long as this pool. (Two pools that keep each
  // other's tensors keep each other for good.)
  void keep_alive(const Tensor& tensor);
  // The tensor behind a header of type Tensor, else null.
  const TensorImpl* tensor_of(const ObjectHeader& object) const;

  // From now on tensor data goes into `scratch` (no storage: into the pool again). Returns the one before.
  Scratch set_scratch(Scratch scratch);
  const Scratch& scratch() const;

  // A given tensor (op NONE). Errors: bad sizes; "needed N, available M" when the pool is full.
  Result<Tensor> new_tensor(DType dtype, const Dims& sizes, std::string_view name = {});
  // A node: what `op` makes of the sources, described and not computed. Views share their source's bytes.
  // Errors: the number of sources, the op's shape rule, a full pool.
  Result<Tensor> apply(Op op, std::span<const Tensor> sources, const OpParams& params = {}, std::string_view name = {});
  // The same where the caller, or their pool, keeps the sources alive: counting handles takes longer than all the rest.
  Result<Tensor> apply(Op op, std::span<TensorImpl* const> sources, const OpParams& params = {},
                       std::string_view name = {});
  // A node as somebody described it: op, type and sizes are believed and no shape rule is asked, so that a graph that
  // was recorded can be ordered and planned again. It is never to be computed: `params` are what is known of them. With
  // `view_of` it shares that tensor's bytes, which is itself no view. Errors: sizes out of range, an undefined source, a
  // full pool.
  Result<Tensor> restore(Op op, DType dtype, const Dims& sizes, std::span<const Tensor> sources,
                         const Tensor& view_of = {}, std::string_view name = {}, const OpParams& params = {});
  // Uninitialised bytes in the pool, for an executor's work buffer.
  Result<Storage> new_work_buffer(Bytes bytes);
  // An empty graph for up to `capacity` nodes and `capacity` leafs; in a pool that grows it makes room for more itself.
  Result<Graph> new_graph(size_t capacity, bool grads = false);

  // Nodes made from now on belong to this layer (a group that the window collapses); empty: to none. One may lie
  // within another: base/layer_name.h.
  void set_layer(std::string_view name);
  std::span<const std::string> layer_names() const;

 private:
  friend class Graph;
  explicit Context(ContextPool* pool);
  Result<Tensor> try_apply(Op op, std::span<TensorImpl* const> sources, const OpParams& params, std::string_view name);
  struct Description;
  Result<std::byte*> append_graph(size_t bytes);
  Result<Tensor> place_tensor(const Description& what, std::string_view name, bool with_data, Op op = {});
  ContextPool* pool_ = nullptr;
};

}  // namespace arenascope
