// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map's data, prepared: one rectangle a tensor (address against step or time), as planned and as seen.
#pragma once
#include <views/common/plot_view.h>
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

// What the bodies are coloured by. Of spaces it is always the kind.
enum class ArenaColour : uint8_t { Kind, Op, Layer, Age, Size, Time };
inline constexpr int kArenaColours = 6;

struct ArenaMeaning {  // of a colour, for the legend
  uint32_t style = 0;
  std::string text;   // of an op or a layer; empty: several share the colour
  double amount = 0;  // bytes, steps, nanoseconds, or how many share it
};

struct ArenaItem {  // what a rectangle's tag means
  trace::TensorRef tensor;
  int32_t slice = -1;    // in the plan; -1: seen only
  int32_t seen = -1;     // in `seen`; -1: planned only
  bool differs = false;  // touched where the plan does not say so
  int32_t space = -1;    // in `space_slices`; -1: in an arena
};

// How far up what is compared with got in its run: the highest address in its arena, or the bytes of its spaces.
struct OtherMost {
  std::string id;  // of the figure there
  Bytes bytes = 0;
  bool of_spaces = false;
};

FigureText words_of(const OtherMost& most);  // "B: up to 3.2 MiB"

struct ArenaPicture : Prepared {
  std::shared_ptr<const RectSet> bodies;    // tags are items
  std::shared_ptr<const RectSet> outlines;  // tags are items
  std::shared_ptr<const RectSet> holes;     // tags mean nothing
  std::shared_ptr<const RectSet> ghosts;    // the plan before, and what is compared with: kOutlineGhost, kOutlineOther
  Bytes other_arena = 0;                    // of what is drawn of what is compared with; 0: nothing is
  OtherMost other;
  std::vector<ArenaItem> items;
  std::vector<trace::SliceRect> seen;
  trace::PlanId plan;
  Bytes top = 0;  // the highest address to show
  Bytes arena = 0;
  Bytes hole_most = 0;  // bytes in holes at the worst moment of the run
  std::string hole_id;  // of the figure
  double peak_x = 0;    // middle of the moment with most live bytes
  Bytes peak = 0;
  size_t blocks = 0, differing = 0;
  ArenaColour colour = ArenaColour::Kind;
  std::vector<ArenaMeaning> meanings;  // of the colours that occur; none where these are kinds
  bool derived = false;  // from when to when what was seen lay there is derived from the plan and the spans

  // Where spaces are shown: they (tags of `holes`), and what lay in them.
  bool in_spaces = false;
  SpaceChoice choice;
  std::vector<trace::Space> spaces;
  std::vector<trace::SpaceSlice> space_slices;
  // Each is a small map of its own: spaces that lie side by side, one allocator's, and where it is drawn.
  struct Band {
    uint32_t allocator = 0;
    double x0 = 0, x1 = 0;
    Bytes lo = 0, hi = 0;
  };
  std::vector<Band> bands;
  SpaceTotals totals;
  Bytes needed = 0;  // what the plan that the run did not use would need, among `ghosts`; 0: that is not shown
};

// `with_plan`: where spaces are shown, also what the plan would need, from address 0 on.
std::shared_ptr<const ArenaPicture> prepare_arena_map(const PrepareInput& input, const std::stop_token& stop,
                                                      ArenaShow show = ArenaShow::Auto, SpaceChoice choice = {},
                                                      bool with_plan = false, ArenaColour colour = ArenaColour::Kind);

}  // namespace arenascope::views
