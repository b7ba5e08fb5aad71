// SPDX-License-Identifier: MIT
// The implementation of Context: the pool's memory and the list of its objects, shared by Context, Tensor and Graph
// handles. A growing pool consists of several blocks; offsets continue across blocks, and objects never move.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <arenascope/graph/context.h>
#include <arenascope/graph/provenance.h>

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

  // Appends a header and an object of `size` bytes. The error states needed and available bytes.
  Result<std::byte*> append(ObjectType type, size_t size, std::string_view object_name = {});
  // Adds a block if the pool may grow and an object of `size` bytes does not fit; otherwise append() fails.
  Status make_room(size_t size);

  // Stores text to which impls of the pool may refer (KeptName), outside the pool's blocks. Throws std::bad_alloc.
  const char* keep_text(std::string_view text);

  // Provenance of tensors of this pool that were created by rewrites; most tensors have no entry.
  std::unordered_map<const TensorImpl*, Origins>& origins() { return origins_; }
  std::unordered_map<const TensorImpl*, FileNodes>& file_nodes() { return file_nodes_; }

  bool grows() const { return grows_; }
  size_t mem_size() const { return begin_ + capacity_; }
  size_t used_mem() const { return used_before_ + used_; }
  const std::byte* first_byte() const { return static_cast<const std::byte*>(blocks_[0]->data()); }
  // Address of the next object in the current block.
  const std::byte* next_object() const { return base_ + used_ + sizeof(ObjectHeader); }
  // A slice of the current block.
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

  std::vector<BlockPtr> blocks_;  // the last one is the current block
  bool no_alloc_, grows_;
  size_t limit_;            // limit of all blocks
  std::byte* base_;         // begin of the last block
  size_t capacity_;         // size of the last block
  size_t used_ = 0;         // used bytes of the last block
  size_t begin_ = 0;        // the last block's offset
  size_t used_before_ = 0;  // used bytes of the other blocks
  size_t objects_ = 0;
  ObjectHeader* first_ = nullptr;
  ObjectHeader* last_ = nullptr;
  Scratch scratch_;
  std::vector<std::string> layers_;
  int32_t layer_ = -1;
  std::unordered_map<const TensorImpl*, Origins> origins_;
  std::unordered_map<const TensorImpl*, FileNodes> file_nodes_;
  std::vector<std::unique_ptr<char[]>> text_;
  char* text_end_ = nullptr;     // end of the text in the last piece
  size_t text_left_ = 0;         // free bytes of the last piece
  size_t text_bytes_ = 0;        // in use
  std::vector<Tensor> foreign_;  // inputs in other pools, kept alive
};

}  // namespace arenascope
