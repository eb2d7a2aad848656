// The best cut of a column of codes that are numbers, none missing, in a node of few rows of a tree of Newton steps.
//
// Sums stay packed in a word until they are scored: a row costs one addition, a code that is there another.
#pragma once

#include "growth/held_rows.hpp"
#include "growth/pair_cuts.hpp"

namespace suffice {

class TripleCuts {
  public:
    // Takes the best cut if it is better than the node's so far; the span has no more rows than sums fit into a word.
    void look(const Code* code, const HeldRows& held, Span span, const TripleRows& rows, const TripleSums& all, double least,
              double tie, std::size_t column, Split& split) {
        const Row* row = held.row.data();
        const std::int64_t* word = held.word.data();
        for (std::size_t i = span.begin; i < span.end; ++i) of_code_[code[row[i]]] += word[i];
        const std::size_t cuts = add_up();
        if (cuts == 0) return;
        const std::size_t padded = (cuts + kLanes - 1) / kLanes * kLanes;
        std::fill(left_ + cuts, left_ + padded, 0);
        held.packing().unpack_some(left_, padded, first_, second_, third_);
        rows.score_cuts(first_, second_, third_, padded, all, least, score_);
        take_best(score_, place_, cuts, tie, column, split, [&](std::size_t p) {
            const TripleSums left{first_[p], second_[p], third_[p]};
            return rows.weight(left) > rows.weight(all - left);
        });
    }

  private:
    // The sums left of each cut, of the codes that are there; every row weighs something, so that its word is not 0.
    std::size_t add_up() {
        std::int64_t left = 0;
        std::size_t p = 0;
        for (std::size_t w = 0; w < kCodes; w += 64) {
            std::uint64_t there = 0;
            for (std::size_t b = 0; b < 64; b += kLanes) there |= there_of(of_code_ + w + b) << b;
            for (; there; there &= there - 1) {
                const std::size_t k = w + static_cast<std::size_t>(__builtin_ctzll(there));
                place_[p] = static_cast<std::uint16_t>(k);
                left_[p++] = left += of_code_[k];
                of_code_[k] = 0;
            }
        }
        return p - 1;
    }
    // Which of some words are not 0, a bit each.
    static std::uint64_t there_of(const std::int64_t* word) {
#if defined(__AVX512F__)
        static_assert(kLanes == 8);
        const __m512i own = _mm512_loadu_si512(word);
        return _mm512_test_epi64_mask(own, own);
#else
        std::uint64_t found = 0;
        for (std::size_t l = 0; l < kLanes; ++l) found |= static_cast<std::uint64_t>(word[l] != 0) << l;
        return found;
#endif
    }

    std::int64_t of_code_[kCodes] = {};  // all 0 between two calls
    std::uint16_t place_[kCodes] = {};
    std::int64_t left_[kCodes] = {}, first_[kCodes] = {}, second_[kCodes] = {}, third_[kCodes] = {};
    double score_[kCodes] = {};
};

}  // namespace suffice
