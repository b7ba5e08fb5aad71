// SPDX-License-Identifier: GPL-3.0-or-later
// Prepared data of the arena map: one rectangle per tensor (address against step or time), planned and observed.
#pragma once
#include <views/common/prepared.h>
#include <views/common/rect_set.h>
#include <views/common/slice_style.h>
#include <views/common/slices.h>
#include <views/common/spaces.h>
#include <views/common/sweep.h>

namespace arenascope::views {

enum ArenaOutline : uint32_t {
  kOutlinePlan,
  kOutlineNew,
  kOutlineChainPart,
  kOutlineDiffers,
  kOutlineGhost,
  kOutlineOther,
  kOutlineWaste,
  kOutlineStyles
};

// The property that determines the colour. For spaces it is always the kind.
enum class ArenaColour : uint8_t { Kind, Op, Layer, Age, Size, Time };
inline constexpr int kArenaColours = 6;

struct ArenaMeaning {  // the meaning of a colour, for the legend
  uint32_t style = 0;
  std::string text;   // name of the op or layer; empty: several share the colour
  double amount = 0;  // bytes, steps, nanoseconds, or the number that share it
};

struct ArenaItem {  // the item that a rectangle's tag refers to
  trace::TensorRef tensor;
  int32_t slice = -1;    // index in the plan; -1: observed only
  int32_t seen = -1;     // index in `seen`; -1: planned only
  bool differs = false;  // accessed bytes outside its planned range
  int32_t space = -1;    // index in `space_slices`; -1: in an arena
};

// The highest address that the other side of the comparison reached in its arena, or the bytes of its spaces.
struct ComparisonPeak {
  std::string id;  // figure id on the other side
  Bytes bytes = 0;
  bool of_spaces = false;
};

FigureText peak_text(const ComparisonPeak& most);  // "B: up to 3.2 MiB"

struct ArenaPicture : Prepared {
  std::shared_ptr<const RectSet> bodies;    // tags are items
  std::shared_ptr<const RectSet> outlines;  // tags are items
  std::shared_ptr<const RectSet> holes;     // tags are unused
  std::shared_ptr<const RectSet>
      ghosts;             // the previous plan (kOutlineGhost) and the other side of the comparison (kOutlineOther)
  Bytes other_arena = 0;  // arena size of the other side; 0: not shown
  ComparisonPeak other;
  std::vector<ArenaItem> items;
  std::vector<trace::ArenaAllocation> seen;
  trace::PlanId plan;
  Bytes top = 0;  // the highest address to display
  Bytes arena = 0;
  Bytes max_hole_bytes = 0;  // maximum bytes in holes at the same time in the run
  std::string hole_id;       // figure id
  double peak_x = 0;         // middle of the interval with the most live bytes
  Bytes peak = 0;
  size_t blocks = 0, differing = 0;
  ArenaColour colour = ArenaColour::Kind;
  std::vector<ArenaMeaning> meanings;  // meanings of the colours that occur; empty if the colours are kinds
  bool derived = false;                // begin and end of the observed slices are derived from the plan and the spans

  // If spaces are shown: the spaces (tags of `holes`), and the allocations in them.
  bool in_spaces = false;
  SpaceChoice choice;
  std::vector<trace::Space> spaces;
  std::vector<trace::SpaceAllocation> space_slices;
  std::shared_ptr<const CallSites> call_sites;  // call sites of these, for their labels
  // Each band is a map of its own: adjacent spaces of one allocator, and where they are drawn.
  struct Band {
    uint32_t allocator = 0;
    double x0 = 0, x1 = 0;
    Bytes lo = 0, hi = 0;
  };
  std::vector<Band> bands;
  SpaceTotals totals;
  Bytes needed = 0;  // memory requirement of the plan that the run did not use, drawn in `ghosts`; 0: not shown
};

// `with_plan`: if spaces are shown, also draw the requirement of the plan, from address 0.
std::shared_ptr<const ArenaPicture> prepare_arena_map(const PrepareInput& input, const std::stop_token& stop,
                                                      ArenaMode show = ArenaMode::Auto, SpaceChoice choice = {},
                                                      bool with_plan = false, ArenaColour colour = ArenaColour::Kind);

}  // namespace arenascope::views
