// SPDX-License-Identifier: MIT
#include "reference_beam_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace arenascope::test {
namespace {

struct Row {
  Ints words;
  float score;
  int64_t sum;  // sum of its cache
};
struct Ended {
  Ints words;
  float score;
};
struct Candidate {
  float score;
  size_t row;
  int64_t word;
};

class ReferenceSearch {
 public:
  ReferenceSearch(const Beams& b, const Scorer& scorer) : b_(b), s_(b.search), scorer_(scorer) {
    for (const Ints& prompt : s_.prompts)
      for (size_t i = 0; i < b_.beams; ++i) {
        const int64_t sum = std::accumulate(prompt.begin(), prompt.end(), int64_t{0});
        rows_.push_back({prompt, i == 0 ? 0.0F : -1e9F, sum});
      }
    done_.resize(s_.prompts.size());
    ended_.resize(s_.prompts.size());
  }

  Written write() {
    for (int64_t iteration = 0; std::ssize(rows_[0].words) < s_.most; ++iteration) {
      iterate(iteration);
      const bool may_end = iteration > 0 || !scorer_.first_by_encoder;
      if (may_end && std::find(done_.begin(), done_.end(), false) == done_.end()) break;
    }
    for (size_t who = 0; who < done_.size(); ++who) {
      if (!done_[who])
        for (size_t i = 0; i < b_.beams; ++i)
          add(who, rows_[who * b_.beams + i].words, rows_[who * b_.beams + i].score);
      for (size_t i = 0; i < b_.results; ++i) {
        Ints words = ended_[who][i].words;
        words.resize(static_cast<size_t>(s_.most), s_.pad);
        out_.words.insert(out_.words.end(), words.begin(), words.end());
        out_.scores.push_back(static_cast<double>(ended_[who][i].score));
      }
    }
    return out_;
  }

 private:
  float worth(float score, size_t length) const {
    return score / static_cast<float>(std::pow(static_cast<double>(length), b_.length_penalty));
  }

  void add(size_t who, const Ints& words, float score) {
    std::vector<Ended>& all = ended_[who];
    const float worth_it = worth(score, words.size());
    const auto at = std::find_if(all.begin(), all.end(), [&](const Ended& e) { return worth_it > e.score; });
    all.insert(at, {words, worth_it});
    if (all.size() > b_.beams) all.pop_back();
  }

  std::vector<float> scores_of_row(size_t row, int64_t iteration) const {
    const Row& r = rows_[row];
    std::vector<double> x = scorer_.scores(row / b_.beams, r.words.back(), iteration, r.sum);
    const double most = *std::max_element(x.begin(), x.end());
    double sum = 0;
    for (const double v : x) sum += std::exp(v - most);
    for (double& v : x) v -= most + std::log(sum);
    weigh(s_, r.words, row / b_.beams, iteration, x, static_cast<double>(std::numeric_limits<float>::lowest()));
    if (scorer_.also) scorer_.also(r.words, x);
    std::vector<float> out;
    for (const double v : x) out.push_back(static_cast<float>(v) + r.score);
    return out;
  }

  void iterate(int64_t iteration) {
    std::vector<std::vector<Candidate>> best(done_.size());
    std::vector<float> heads;  // of each half of all texts' best ones
    std::vector<double>& all_scores = out_.iteration_scores.emplace_back();
    for (size_t row = 0; row < rows_.size(); ++row) {
      const std::vector<float> scores = scores_of_row(row, iteration);
      for (int64_t v = 0; v < kWords; ++v) best[row / b_.beams].push_back({scores[static_cast<size_t>(v)], row, v});
      all_scores.insert(all_scores.end(), scores.begin(), scores.end());
    }
    for (std::vector<Candidate>& all : best) {
      std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
      heads.push_back(all[0].score);
      heads.push_back(all[b_.beams].score);
    }
    std::vector<Row> next;
    std::vector<size_t> from;
    const auto go_on = [&](float score, size_t row, int64_t word) {
      next.push_back({rows_[row].words, score, 0});
      next.back().words.push_back(word);
      from.push_back(row);
    };
    for (size_t who = 0; who < best.size(); ++who) {
      if (done_[who]) {
        for (size_t i = 0; i < b_.beams; ++i) go_on(0, 0, s_.pad);
        continue;
      }
      const size_t expected = next.size() + b_.beams;
      const auto length = rows_[0].words.size();
      for (size_t j = 0; next.size() < expected; ++j) {
        const Candidate& c = best[who][j];
        if (c.word != s_.end)
          go_on(c.score, c.row, c.word);
        else if (j < b_.beams)
          add(who, rows_[c.row].words, c.score);
      }
      const float can_be = worth(std::max(heads[who], heads[who + 1]), length);
      done_[who] = ended_[who].size() == b_.beams && (b_.early || !(ended_[who].back().score < can_be));
    }
    // With one beam, caches are not reordered.
    const bool stay = b_.beams == 1 || (iteration == 0 && scorer_.first_by_encoder);
    for (size_t row = 0; row < next.size(); ++row)
      next[row].sum = rows_[stay ? row : from[row]].sum + next[row].words.back();
    rows_ = std::move(next);
  }

  const Beams& b_;
  const Search& s_;
  const Scorer& scorer_;
  std::vector<Row> rows_;
  std::vector<bool> done_;
  std::vector<std::vector<Ended>> ended_;
  Written out_;
};

}  // namespace

Written search_reference(const Beams& b, const Scorer& scorer) { return ReferenceSearch(b, scorer).write(); }

}  // namespace arenascope::test
