// SPDX-License-Identifier: MIT
// The memory behind Context, Tensor and Graph handles: the pool's bytes and the list of its objects.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <arenascope/graph/context.h>

namespace arenascope {

class ContextPool final : public ImplOwner {
 public:
  ContextPool(BlockPtr block, bool no_alloc) : block_(std::move(block)), no_alloc_(no_alloc) {}

  // Appends an object of `size` bytes behind its header; says what was needed and what was there.
  Result<std::byte*> append(ObjectType type, size_t size, std::string_view object_name = {});

  // Text that all impls of the pool may refer to (KeptName), beside the pool's own bytes. Throws std::bad_alloc.
  const char* keep_text(std::string_view text);

  std::byte* base() const { return static_cast<std::byte*>(block_->data()); }
  size_t capacity() const { return static_cast<size_t>(block_->bytes()); }
  size_t used() const { return used_; }
  const BlockPtr& block() const { return block_; }

 private:
  friend class Context;
  ~ContextPool() override;
  void destroy() override { delete this; }

  BlockPtr block_;
  bool no_alloc_;
  size_t used_ = 0;
  size_t objects_ = 0;
  ObjectHeader* first_ = nullptr;
  ObjectHeader* last_ = nullptr;
  Scratch scratch_;
  std::vector<std::string> layers_;
  int32_t layer_ = -1;
  std::vector<std::unique_ptr<char[]>> text_;
  char* text_end_ = nullptr;     // of the last piece
  size_t text_left_ = 0;         // of it
  size_t text_bytes_ = 0;        // in use
  std::vector<Tensor> foreign_;  // sources that live in other pools, kept alive
};

}  // namespace arenascope
