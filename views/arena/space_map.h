// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map where tensors lie in allocators' spaces: what lies side by side in an allocator's addresses is a band, as
// high as its bytes, with what was handed out in it where it lay. Bands that were never there together may lie at the
// same height.
#pragma once
#include <views/arena/arena_picture.h>
#include <views/common/spaces.h>

namespace arenascope::views {

struct SpaceBand {
  uint32_t allocator = 0;
  trace::DeviceId device;
  uint64_t begin = 0, end = 0;  // addresses
  Nanoseconds from = 0, to = 0;
  Bytes lo = 0;  // where it is drawn: the lowest place that is free for as long as it is there
};

// By allocator, device and address.
class SpaceBands {
 public:
  explicit SpaceBands(const std::vector<trace::Space>& spaces);
  // Where an address is drawn; -1: nowhere.
  Bytes at(uint32_t allocator, trace::DeviceId device, uint64_t address) const;
  const std::vector<SpaceBand>& bands() const { return bands_; }

 private:
  std::vector<SpaceBand> bands_;
};

// What is compared with, where it lay on our axis: in its spaces or its arena, or as planned where it was not run.
std::vector<Rect> other_rects(const PrepareInput& other, const SpaceChoice& choice);
// How far up it got in its run, whatever is visible: what its spaces took, or where the highest tensor in its arena ended.
OtherMost most_of_other(const PrepareInput& other, const SpaceChoice& choice);

// What the plan would need, under the spaces that are there in its place.
void add_plan_ghost(const PrepareInput& input, ArenaPicture& picture);

// Fills a picture with what lay in the chosen spaces of the run, or of all that is known without one.
void prepare_space_map(const PrepareInput& input, const SpaceChoice& choice, ArenaPicture& picture,
                       const std::stop_token& stop);

}  // namespace arenascope::views
