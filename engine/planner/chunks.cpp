// SPDX-License-Identifier: MIT
#include "engine/planner/chunks.h"
#include "engine/planner/blocks.h"
#include "engine/planner/chunk.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <thread>

namespace arenascope::planner {
namespace {

constexpr size_t kInChunk = 8000;  // items, about
constexpr size_t kWave = 4;        // chunks that are tried again at a time

// Steps with few live bytes, about one per so many items.
std::vector<int64_t> choose_cuts(const Items& items, const Loads& loads, const Deadline& deadline) {
  std::vector<int64_t> lowers(items.items.size());
  for (size_t i = 0; i < lowers.size(); ++i) lowers[i] = items.items[i].lower;
  if (!std::is_sorted(lowers.begin(), lowers.end())) std::sort(lowers.begin(), lowers.end());
  std::vector<int64_t> cuts;
  for (size_t at = kInChunk; at + kInChunk / 2 < lowers.size() && !deadline.stopped(); at += kInChunk) {
    // The last quarter of a chunk is where it may end.
    const int64_t cut = loads.min_load_step(lowers[at - kInChunk / 4], lowers[at] + 1);
    if (cuts.empty() || cut > cuts.back()) cuts.push_back(cut);
  }
  return cuts;
}

class Chunks {
 public:
  Chunks(const Items& items, int threads, Incumbent& best)
      : items_(items), threads_(static_cast<size_t>(std::max(threads, 1))), best_(best) {}

  void run() {
    // As much time is kept as the quick way needs that works without chunks, should there be too little for them.
    const Deadline& deadline = best_.deadline();
    const double quick_seconds = 0.7e-6 * static_cast<double>(items_.items.size());
    if (lay_all(deadline.ending_at(deadline.seconds() + deadline.left() - quick_seconds))) {
      offer();
      improve();
    } else if (!deadline.stopped()) {
      best_.offer(place_online_best_fit(items_, deadline.stop_check()).offsets);
    }
  }

 private:
  bool lay_all(const Deadline& deadline) {
    const Loads loads(items_, deadline.stop_check());
    const std::vector<int64_t> cuts = choose_cuts(items_, loads, deadline);
    if (cuts.empty() || deadline.over() || !split(cuts)) return false;
    return in_parallel(chunks_.size(),
                       [&](size_t c) { return chunks_[c].improve(items_, offsets_, 0, best_.bound(), deadline); });
  }

  void improve() {
    const Deadline& deadline = best_.deadline();
    while (!best_.done()) {
      // The highest chunks: all above the target.
      std::vector<size_t> worst(chunks_.size());
      std::iota(worst.begin(), worst.end(), size_t{0});
      const size_t count = std::min(kWave, worst.size());
      std::partial_sort(worst.begin(), worst.begin() + static_cast<std::ptrdiff_t>(count), worst.end(),
                        [&](size_t a, size_t b) {
                          return chunks_[a].end() != chunks_[b].end() ? chunks_[a].end() > chunks_[b].end() : a < b;
                        });
      if (chunks_[worst[0]].exhausted()) return;
      const Bytes highest = chunks_[worst[0]].end();
      // Halfway to the lower bound is sufficient while other chunks are higher.
      const Bytes floor = best_.capacity() ? std::max(*best_.capacity(), best_.bound()) : best_.bound();
      const Bytes goal = std::max(floor, std::min(highest - (highest - floor) / 2, highest - 1));
      const bool whole = in_parallel(count, [&](size_t k) {
        Chunk& chunk = chunks_[worst[k]];
        return chunk.end() <= goal || chunk.exhausted() ||
               chunk.improve(items_, offsets_, goal, best_.bound(), deadline);
      });
      offer();
      if (!whole) return;
    }
  }

  // Places items that cross a cut and assigns the rest to chunks. False: time is up, or too many cross.
  bool split(const std::vector<int64_t>& cuts) {
    const size_t n = items_.items.size();
    std::vector<std::vector<int32_t>> inner(cuts.size() + 1), crossing(cuts.size() + 1);
    Items across;
    std::vector<int32_t> index;
    for (size_t i = 0; i < n; ++i) {
      const Item& v = items_.items[i];
      const auto first = static_cast<size_t>(std::upper_bound(cuts.begin(), cuts.end(), v.lower) - cuts.begin());
      const auto last = static_cast<size_t>(std::lower_bound(cuts.begin(), cuts.end(), v.upper) - cuts.begin());
      if (first == last) {
        inner[first].push_back(static_cast<int32_t>(i));
        continue;
      }
      for (size_t c = first; c <= last; ++c) crossing[c].push_back(static_cast<int32_t>(i));
      Item copy = v;
      copy.first = static_cast<int32_t>(across.pieces.size());
      copy.last = copy.first + 1;
      across.pieces.push_back(items_.pieces[v.first]);
      across.items.push_back(copy);
      index.push_back(static_cast<int32_t>(i));
      if ((i & 4095) == 0 && best_.deadline().stopped()) return false;
    }
    if (index.size() * 4 > n) return false;
    const std::optional<std::vector<Bytes>> laid = FitAllocator(across).place_all(
        order_by(across, Key::size), Fit::first, [&] { return best_.deadline().over(); });
    if (!laid) return false;
    offsets_.assign(n, 0);
    for (size_t k = 0; k < index.size(); ++k) {
      offsets_[index[k]] = (*laid)[k];
      across_end_ = std::max(across_end_, (*laid)[k] + across.items[k].size);
    }
    chunks_.resize(inner.size());
    for (size_t c = 0; c < inner.size(); ++c) chunks_[c].set(std::move(inner[c]), std::move(crossing[c]));
    return !best_.deadline().over();
  }

  void offer() {
    for (const Chunk& chunk : chunks_) chunk.write(offsets_);
    Bytes arena = across_end_;
    for (const Chunk& chunk : chunks_) arena = std::max(arena, chunk.end());
    if (best_.offsets().empty() || arena < best_.arena()) best_.offer(offsets_, arena);
  }

  // False if one of them returns false, or memory is exhausted.
  bool in_parallel(size_t count, const std::function<bool(size_t)>& work) {
    std::atomic<size_t> next{0};
    std::atomic<bool> whole{true};
    const auto loop = [&] {
      try {
        for (size_t k = next++; k < count && whole; k = next++)
          if (!work(k)) whole = false;
      } catch (const std::bad_alloc&) {
        whole = false;
      } catch (const Interrupted&) {
        whole = false;
      }
    };
    {
      std::vector<std::jthread> others;
      for (size_t t = 1; t < std::min(threads_, count); ++t) others.emplace_back(loop);
      loop();
    }
    return whole;
  }

  const Items& items_;
  const size_t threads_;
  Incumbent& best_;
  std::vector<Bytes> offsets_;
  std::vector<Chunk> chunks_;
  Bytes across_end_ = 0;
};

}  // namespace

void try_chunks(const Items& items, int threads, Incumbent& best) {
  if (items.simple && !items.any_fixed && !best.done()) Chunks(items, threads, best).run();
}

}  // namespace arenascope::planner
