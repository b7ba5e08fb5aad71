// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map of allocator spaces. Adjacent spaces of an allocator form a band, as high as its bytes, with the
// allocations at their addresses. Bands that never existed at the same time may be drawn at the same height.
#pragma once
#include <views/arena/arena_picture.h>
#include <views/common/spaces.h>

namespace arenascope::views {

struct SpaceBand {
  uint32_t allocator = 0;
  trace::DeviceId device;
  uint64_t begin = 0, end = 0;  // addresses
  Nanoseconds from = 0, to = 0;
  Bytes lo = 0;  // drawn at the lowest position that is free during its whole lifetime
};

// Bands sorted by allocator, device and address.
class SpaceBands {
 public:
  explicit SpaceBands(const std::vector<trace::Space>& spaces);
  // The y coordinate of an address; -1: not drawn.
  Bytes at(uint32_t allocator, trace::DeviceId device, uint64_t address) const;
  const std::vector<SpaceBand>& bands() const { return bands_; }

 private:
  std::vector<SpaceBand> bands_;
};

// Rectangles of the other side of the comparison on our axis: its spaces or its arena, or the plan if it was not run.
std::vector<Rect> other_rects(const PrepareInput& other, const SpaceChoice& choice);
// The peak of its whole run: the size of its spaces, or the end of the highest tensor in its arena.
ComparisonPeak comparison_peak(const PrepareInput& other, const SpaceChoice& choice);

// Draws the memory requirement of the plan under the spaces.
void add_plan_ghost(const PrepareInput& input, ArenaPicture& picture);

// Fills a picture with the allocations in the chosen spaces of the run, or of the whole recording if there is no run.
void prepare_space_map(const PrepareInput& input, const SpaceChoice& choice, ArenaPicture& picture,
                       const std::stop_token& stop);

}  // namespace arenascope::views
