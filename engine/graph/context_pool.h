// SPDX-License-Identifier: MIT
// The memory behind Context, Tensor and Graph handles: the pool's bytes and the list of its objects. A pool that grows
// consists of several blocks; offsets count through all of them, and no object ever moves.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <arenascope/graph/context.h>
#include <arenascope/graph/origin.h>

namespace arenascope {

class ContextPool final : public ImplOwner {
 public:
  ContextPool(BlockPtr block, const ContextParams& params)
      : blocks_{std::move(block)},
        no_alloc_(params.no_alloc),
        grows_(params.grow),
        limit_(params.mem_limit),
        base_(static_cast<std::byte*>(blocks_[0]->data())),
        capacity_(static_cast<size_t>(blocks_[0]->bytes())) {}

  // Appends an object of `size` bytes behind its header; says what was needed and what was there.
  Result<std::byte*> append(ObjectType type, size_t size, std::string_view object_name = {});
  // Another block, where the pool grows and an object of `size` bytes does not fit; without it append() refuses.
  Status make_room(size_t size);

  // Text that all impls of the pool may refer to (KeptName), beside the pool's own bytes. Throws std::bad_alloc.
  const char* keep_text(std::string_view text);

  // What a rewrite made tensors of this pool of; most have nothing here.
  std::unordered_map<const TensorImpl*, Origins>& origins() { return origins_; }

  bool grows() const { return grows_; }
  size_t mem_size() const { return begin_ + capacity_; }
  size_t used_mem() const { return used_before_ + used_; }
  const std::byte* first_byte() const { return static_cast<const std::byte*>(blocks_[0]->data()); }
  // Where the next object goes that fits into the block that is being filled.
  const std::byte* next_object() const { return base_ + used_ + sizeof(ObjectHeader); }
  // A slice of the block that is being filled.
  Result<Storage> slice(const std::byte* first, Bytes bytes) const {
    return Storage(blocks_.back()).sub_storage(first - base_, bytes);
  }

 private:
  friend class Context;
  ~ContextPool() override;
  void destroy() override { delete this; }

  bool fits(size_t padded) const {
    return padded <= capacity_ - used_ && sizeof(ObjectHeader) <= capacity_ - used_ - padded;
  }

  std::vector<BlockPtr> blocks_;  // the last one is being filled
  bool no_alloc_, grows_;
  size_t limit_;            // of all blocks
  std::byte* base_;         // of the last block
  size_t capacity_;         // of the last block
  size_t used_ = 0;         // of the last block
  size_t begin_ = 0;        // the last block's offset
  size_t used_before_ = 0;  // of the other blocks
  size_t objects_ = 0;
  ObjectHeader* first_ = nullptr;
  ObjectHeader* last_ = nullptr;
  Scratch scratch_;
  std::vector<std::string> layers_;
  int32_t layer_ = -1;
  std::unordered_map<const TensorImpl*, Origins> origins_;
  std::vector<std::unique_ptr<char[]>> text_;
  char* text_end_ = nullptr;     // of the last piece
  size_t text_left_ = 0;         // of it
  size_t text_bytes_ = 0;        // in use
  std::vector<Tensor> foreign_;  // sources that live in other pools, kept alive
};

}  // namespace arenascope
