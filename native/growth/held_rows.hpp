// The rows of a tree of gradients, curvatures and weights while it grows: those of a node side by side, with what each adds.
#pragma once

#include <cstring>

#include "core/team.hpp"
#include "growth/columns.hpp"
#include "growth/triple_rows.hpp"

namespace suffice {

constexpr std::size_t kCellSums = 3 * kCodes;  // of a column: first, second and third sums of its codes

// How many bits of a word each field has, from the lowest: third, second, first (signed).
struct Packing {
    static constexpr std::size_t kMostRows = 2048, kLeastRows = 256;
    int third = 12, second = 26;
    std::size_t rows = kMostRows;  // of a block whose sums fit; 0: no word is wide enough

    // For rows whose largest numbers are known; `same`: curvatures are weights, which need no field of their own.
    Packing(std::int64_t most_first, std::int64_t most_second, std::int64_t most_third, bool same) {
        if (same) third = 24, second = 0;
        const auto fits = [&](std::int64_t most, int bits) {
            return static_cast<std::int64_t>(rows) <= ((std::int64_t{1} << bits) - 1) / std::max<std::int64_t>(most, 1);
        };
        while (rows >= kLeastRows && !(fits(most_third, third) && (same || fits(most_second, second)) &&
                                       fits(most_first, 63 - third - second)))
            rows /= 2;
        if (rows < kLeastRows) rows = 0;
    }
    std::int64_t pack(const TripleSums& s) const {
        const std::int64_t low = s.third + (second ? s.second << third : 0);
        return s.first * (std::int64_t{1} << (third + second)) + low;
    }
    TripleSums unpacked(std::int64_t word) const {
        const std::int64_t weight = word & ((std::int64_t{1} << third) - 1);
        const std::int64_t curvature = word >> third & ((std::int64_t{1} << second) - 1);
        return {word >> (third + second), second ? curvature : weight, weight};
    }
    // Adds 256 words to wide sums.
    void unpack(const std::int64_t* word, std::int64_t* wide) const {
        const std::int64_t low = (std::int64_t{1} << third) - 1, middle = (std::int64_t{1} << second) - 1;
        std::int64_t *a = wide, *b = wide + kCodes, *c = wide + 2 * kCodes;
        for (std::size_t k = 0; k < kCodes; ++k) {
            a[k] += word[k] >> (third + second);
            b[k] += second ? word[k] >> third & middle : word[k] & low;
            c[k] += word[k] & low;
        }
    }
};

class HeldRows {
  public:
    HeldRows(const Packing& packing, Team& team) : packing_(packing), team_(team) {}

    std::size_t size() const { return row.size(); }

    // All rows of a table that count, and their sums.
    TripleSums hold(const TripleRows& rows, std::size_t n, const std::int32_t* times) {
        row.clear();
        for (std::size_t i = 0; i < n; ++i)
            if (!times || times[i] > 0) row.push_back(static_cast<Row>(i));
        const bool words = packing_.rows > 0;
        spare_row_.resize(size());
        for (auto* each : {&word, &spare_word_}) each->resize(words ? size() : 0);
        for (auto* each : {&own, &spare_own_}) each->resize(words ? 0 : size());
        TripleSums total;
        for (std::size_t i = 0; i < size(); ++i) {
            const TripleSums adds = rows.own(row[i], 1);
            total += adds;
            if (words) word[i] = packing_.pack(adds);
            else own[i] = adds;
        }
        return total;
    }

    TripleSums summed(Span span) const {
        TripleSums sums;
        for (std::size_t i = span.begin; i < span.end; ++i)
            sums += packing_.rows ? packing_.unpacked(word[i]) : own[i];
        return sums;
    }

    // The rows that go left first; both halves keep their order.
    std::size_t divide(Span span, const Split& split, const Code* code) {
        bool left_of[kCodes];
        for (std::size_t k = 0; k < kCodes; ++k) left_of[k] = split.sends_left(static_cast<Place>(k), kMissing);
        const std::size_t parts = std::clamp<std::size_t>(span.size() / kLeastPart, 1, team_.size());
        const std::size_t each = (span.size() + parts - 1) / parts;
        ends_.resize(parts);
        team_.share(parts, [&](std::size_t p, std::size_t) {
            const Span part{span.begin + p * each, std::min(span.end, span.begin + (p + 1) * each)};
            ends_[p] = {packing_.rows ? divided(part, code, left_of, word.data(), spare_word_.data())
                                      : divided(part, code, left_of, own.data(), spare_own_.data()),
                        part};
        });
        std::size_t left = ends_[0].first;
        for (std::size_t p = 1; p < parts; ++p) {
            const auto& [end, part] = ends_[p];
            bring(row, row, part.begin, left, end - part.begin);
            bring_own(word, own, part.begin, left, end - part.begin);
            left += end - part.begin;
        }
        std::size_t right = left;
        for (const auto& [end, part] : ends_) {
            bring(spare_row_, row, part.begin, right, part.end - end);
            bring_own(spare_word_, spare_own_, part.begin, right, part.end - end);
            right += part.end - end;
        }
        return left;
    }

    std::vector<Row> row;
    std::vector<std::int64_t> word;  // packed; empty where no word is wide enough
    std::vector<TripleSums> own;     // where none is

  private:
    static constexpr std::size_t kLeastPart = 8192;  // rows of a thread

    template <class T>
    std::size_t divided(Span span, const Code* code, const bool* left_of, T* adds, T* spare) {
        std::size_t left = span.begin, right = span.begin;
        Row *rows = row.data(), *spare_rows = spare_row_.data();
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const Row at = rows[i];
            const T value = adds[i];
            const bool goes_left = left_of[code[at]];
            spare_rows[right] = rows[left] = at;
            spare[right] = adds[left] = value;
            left += goes_left;
            right += !goes_left;
        }
        return left;
    }
    template <class T>
    static void bring(const std::vector<T>& source, std::vector<T>& target, std::size_t from, std::size_t to, std::size_t count) {
        std::memmove(static_cast<void*>(target.data() + to), source.data() + from, count * sizeof(T));
    }
    void bring_own(const std::vector<std::int64_t>& words, const std::vector<TripleSums>& sums, std::size_t from,
                   std::size_t to, std::size_t count) {
        if (packing_.rows) bring(words, word, from, to, count);
        else bring(sums, own, from, to, count);
    }

    const Packing& packing_;
    Team& team_;
    std::vector<Row> spare_row_;
    std::vector<std::int64_t> spare_word_;
    std::vector<TripleSums> spare_own_;
    std::vector<std::pair<std::size_t, Span>> ends_;  // of the left rows of each part
};

}  // namespace suffice
