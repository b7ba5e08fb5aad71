// SPDX-License-Identifier: MIT
// The object arena: one contiguous pool to which objects are appended, each preceded by a header. All are freed at once
// when the last handle (Context, Tensor or Graph) is destroyed:
//
//   ┌────────┬────────────┬───────────────────────────┬──────┬─────┬────────┬───────┬─────┬────────┬────────┐
//   │ header │ TensorImpl │ sizes … sources (kept.h)  │ data │ pad │ header │ Graph │ pad │ header │ work … │ free
//   └────────┴────────────┴───────────────────────────┴──────┴─────┴────────┴───────┴─────┴────────┴────────┘
//
// In a no_alloc context there is no data: tensors are descriptors whose memory is provided by a memory plan.
// A growing pool allocates another block when an object does not fit; existing objects never move.
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

// The header that precedes each object in the pool. Offsets are in bytes from the start of the pool.
struct ObjectHeader {
  size_t offset;  // of the object itself, which follows this header
  size_t size;    // of the object, padding included
  ObjectHeader* next;
  ObjectType type;
  uint32_t continued;  // 1: the enlarged arrays of a graph whose object precedes this one
};

struct ContextParams {
  size_t mem_size = 0;          // bytes of the pool; 0: the smallest possible pool
  void* mem_buffer = nullptr;   // memory owned by the caller, 16-byte aligned, that outlives all handles; or null
  bool no_alloc = false;        // descriptors only
  bool grow = false;            // a full pool allocates another block from the heap instead of failing
  size_t mem_limit = SIZE_MAX;  // maximum bytes of a growing pool
};

// A buffer outside the pool. While it is set, tensor data is allocated from it sequentially.
struct Scratch {
  Storage storage;
  Bytes used = 0;
};

// Memory use of a pool.
struct PoolUse {
  size_t objects = 0;
  size_t object_bytes = 0;  // of the objects, headers included
  size_t pool_bytes = 0;    // of all blocks
  size_t name_bytes = 0;    // of the tensor names, which are stored outside the pool
};

class ContextPool;

// A handle to the pool; copies share it. Not thread-safe while objects are added.
class Context {
 public:
  static constexpr size_t kObjectAlignment = 16;
  static constexpr size_t kDataAlignment = 64;

  // Errors: the pool cannot be allocated, a given buffer is not aligned or is combined with `grow`.
  static Result<Context> create(const ContextParams& params);
  Context() = default;
  Context(const Context& other);
  Context(Context&& other) noexcept;
  Context& operator=(Context other) noexcept;
  ~Context();
  bool defined() const { return pool_ != nullptr; }

  // Upper bound of the pool bytes per tensor without its data, header included, for up to `sources` sources and any
  // rank and parameters. Used to size a pool; most tensors need half of it.
  static size_t tensor_overhead(size_t sources = 4);
  // Pool bytes of a graph with `capacity` nodes and as many leafs, header included.
  static size_t graph_overhead(size_t capacity, bool grads = false);

  PoolUse use() const;
  bool grows() const;
  bool no_alloc() const;
  void set_no_alloc(bool value);
  const void* mem_buffer() const;  // the first block
  const ObjectHeader* first_object() const;
  // Keeps a tensor of another pool, or of none, alive as long as this pool. Two pools that keep each other's tensors
  // alive are never freed.
  void keep_alive(const Tensor& tensor);
  // The tensor of a header of type Tensor; null for other types.
  const TensorImpl* tensor_of(const ObjectHeader& object) const;

  // Makes `scratch` the destination of tensor data (without storage: the pool again). Returns the previous one.
  Scratch set_scratch(Scratch scratch);
  const Scratch& scratch() const;

  // A leaf tensor (op NONE). Errors: invalid sizes; "needed N, available M" when the pool is full.
  Result<Tensor> new_tensor(DType dtype, const Dims& sizes, std::string_view name = {});
  // A node that applies `op` to the sources; nothing is computed. Views share their source's bytes.
  // Errors: a wrong number of sources, an error of the op's shape rule, a full pool.
  Result<Tensor> apply(Op op, std::span<const Tensor> sources, const OpParams& params = {}, std::string_view name = {});
  // The same for sources that the caller or their pool keeps alive. It avoids counting handles, which would dominate
  // the time.
  Result<Tensor> apply(Op op, std::span<TensorImpl* const> sources, const OpParams& params = {},
                       std::string_view name = {});
  // A node from a recorded description, so that a recorded graph can be ordered and planned again. Op, type and sizes
  // are not checked against the shape rule, and `params` may be incomplete, so the node must never be computed. With
  // `view_of`, a tensor that is not a view itself, it shares that tensor's bytes. Errors: sizes out of range, an
  // undefined source, a full pool.
  Result<Tensor> restore(Op op, DType dtype, const Dims& sizes, std::span<const Tensor> sources,
                         const Tensor& view_of = {}, std::string_view name = {}, const OpParams& params = {});
  // Uninitialised bytes in the pool, for an executor's work buffer.
  Result<Storage> new_work_buffer(Bytes bytes);
  // An empty graph for up to `capacity` nodes and `capacity` leafs; in a growing pool the graph grows as needed.
  Result<Graph> new_graph(size_t capacity, bool grads = false);

  // Sets the layer of subsequently added nodes (a group that the window can collapse); empty: no layer. Layers can be
  // nested: base/layer_name.h.
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
