// The best cut of a column of codes that are numbers, none missing, in a node of pairs of sums: the way of most nodes.
//
// Few rows are sorted by counting how many come before each, all rows at once, and cuts are scored between all neighbours.
// Of more rows, the sums of each code are made first.
#pragma once

#include "growth/cut.hpp"

namespace suffice {

// Takes the best of some cuts by their scores, if it is better than the node's so far: the first of those that tie. Cuts
// between rows of one code are none. more_left(p) says whether more weight is left of cut p.
template <class MoreLeft>
void take_best(const double* score, const std::uint16_t* place, std::size_t cuts, double tie, std::size_t column, Split& split,
               const MoreLeft& more_left) {
    std::size_t best = cuts;
    for (std::size_t p = 0; p < cuts; ++p)
        if (score[p] > split.gain + tie && place[p] != place[p + 1]) split.gain = score[p], best = p;
    if (best == cuts) return;
    split.column = static_cast<std::int32_t>(column);
    split.categorical = false;
    split.missing_left = more_left(best);
    split.last = place[best], split.next = place[best + 1];
    split.left = {};
}

class PairCuts {
  public:
    // Takes the best cut if it is better than the node's so far; own(i) is what row i of the node adds.
    template <class Own>
    void look(const Code* code, const Row* row, const Own& own, std::size_t count, const PairRows& rows,
              const PairSums& all, double least, double tie, std::size_t column, Split& split) {
        const std::size_t cuts = count <= kFew ? sort(code, row, own, count) : add_up(code, row, own, count);
        if (cuts == 0) return;
        for (std::size_t p = cuts; p % kLanes; ++p) first_[p] = second_[p] = 0;
        rows.score_cuts(first_, second_, (cuts + kLanes - 1) / kLanes * kLanes, all, least, score_);
        take_best(score_, place_, cuts, tie, column, split, [&](std::size_t p) {
            const PairSums left{first_[p], second_[p]};
            return rows.weight(left) > rows.weight(all - left);
        });
    }

  private:
    static constexpr std::size_t kFew = 32, kLanes = 8;

    // The sums left of each cut; how many cuts there are, 0 where all codes are the same.
    template <class Own>
    std::size_t sort(const Code* code, const Row* row, const Own& own, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) key_[i] = static_cast<std::uint16_t>(code[row[i]] << 5 | i);
        if (count <= 8) rank<8>(count);
        else if (count <= 16) rank<16>(count);
        else rank<kFew>(count);
        for (std::size_t i = 0; i < count; ++i) place_[rank_[i]] = key_[i] >> 5, sorted_[rank_[i]] = own(i);
        if (place_[0] == place_[count - 1]) return 0;
        PairSums left;
        for (std::size_t p = 0; p + 1 < count; ++p) put(p, left += sorted_[p]);
        return count - 1;
    }
    // How many keys are lower than each; all keys differ.
    template <std::size_t kWidth>
    void rank(std::size_t count) {
        std::uint16_t found[kWidth] = {}, key[kWidth];
        std::copy_n(key_, kWidth, key);
        for (std::size_t j = 0; j < count; ++j)
            for (std::size_t i = 0; i < kWidth; ++i) found[i] = static_cast<std::uint16_t>(found[i] + (key_[j] < key[i]));
        std::copy_n(found, kWidth, rank_);
    }
    template <class Own>
    std::size_t add_up(const Code* code, const Row* row, const Own& own, std::size_t count) {
        Codes256 seen{};
        if (count > kCodes) {
            for (std::size_t i = 0; i < count; ++i) of_code_[code[row[i]]] += own(i);
            for (std::size_t w = 0; w < 4; ++w)
                for (std::size_t b = 0; b < 64; ++b) seen[w] |= static_cast<std::uint64_t>(!of_code_[64 * w + b].empty()) << b;
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                const Code at = code[row[i]];
                of_code_[at] += own(i);
                insert(seen, at);
            }
        }
        PairSums left;
        std::size_t p = 0;
        for (std::size_t w = 0; w < 4; ++w)
            for (std::uint64_t bits = seen[w]; bits; bits &= bits - 1) {
                const std::size_t k = w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
                place_[p] = static_cast<std::uint16_t>(k);
                put(p++, left += of_code_[k]);
                of_code_[k] = {};
            }
        return p - 1;
    }
    void put(std::size_t p, const PairSums& left) { first_[p] = left.first, second_[p] = left.second; }

    std::uint16_t key_[kFew] = {}, rank_[kFew] = {};
    PairSums sorted_[kFew];
    PairSums of_code_[kCodes];  // all empty between two calls
    std::uint16_t place_[kCodes] = {};
    std::int64_t first_[kCodes] = {}, second_[kCodes] = {};
    double score_[kCodes] = {};
};

}  // namespace suffice
