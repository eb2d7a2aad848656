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
    // Writes so many words as three sums each.
    void unpack_some(const std::int64_t* word, std::size_t count, std::int64_t* a, std::int64_t* b, std::int64_t* c) const {
        const std::int64_t low = (std::int64_t{1} << third) - 1, middle = second ? (std::int64_t{1} << second) - 1 : low;
        const int shift = second ? third : 0;
        for (std::size_t k = 0; k < count; ++k) {
            a[k] = word[k] >> (third + second);
            b[k] = word[k] >> shift & middle;
            c[k] = word[k] & low;
        }
    }
    // Writes 256 words as wide sums, or adds them to those of blocks before.
    void unpack(const std::int64_t* word, std::int64_t* wide, bool is_first) const {
        const std::int64_t low = (std::int64_t{1} << third) - 1, middle = (std::int64_t{1} << second) - 1;
        const std::int64_t before = is_first ? 0 : -1;
        std::int64_t *a = wide, *b = wide + kCodes, *c = wide + 2 * kCodes;
        for (std::size_t k = 0; k < kCodes; ++k) {
            a[k] = (a[k] & before) + (word[k] >> (third + second));
            b[k] = (b[k] & before) + (second ? word[k] >> third & middle : word[k] & low);
            c[k] = (c[k] & before) + (word[k] & low);
        }
    }
};

class HeldRows {
  public:
    explicit HeldRows(Team& team) : team_(team) {}

    std::size_t size() const { return row.size(); }
    const Packing& packing() const { return packing_; }

    // The n rows of a table that count, what each adds, adds(row), and their sums.
    template <class Adds>
    TripleSums hold(const Packing& packing, std::size_t n, const std::int32_t* times, const Adds& adds) {
        packing_ = packing;
        const std::size_t parts = part_count(n), each = (n + parts - 1) / parts;
        parts_.assign(parts, {});
        team_.share(times ? parts : 0, [&](std::size_t p, std::size_t) {
            for (std::size_t i = p * each; i < std::min(n, (p + 1) * each); ++i) parts_[p].left += times[i] > 0;
        });
        std::size_t count = times ? 0 : n;
        for (std::size_t p = 0; p < parts; ++p) {
            parts_[p].begin = times ? count : p * each;
            count += parts_[p].left;
        }
        resize(count);
        team_.share(parts, [&](std::size_t p, std::size_t) {
            std::size_t at = parts_[p].begin;
            TripleSums sums;
            for (std::size_t i = p * each; i < std::min(n, (p + 1) * each); ++i) {
                if (times && times[i] <= 0) continue;
                const TripleSums own_sums = adds(i);
                sums += own_sums;
                row[at] = static_cast<Row>(i);
                if (packing_.rows) word[at++] = packing_.pack(own_sums);
                else own[at++] = own_sums;
            }
            parts_[p].sums = sums;
        });
        return summed_parts();
    }

    // The rows that go left first, both halves in their order; where the right ones begin, and the sums of the left ones.
    std::pair<std::size_t, TripleSums> divide(Span span, const Split& split, const Code* code) {
        bool left_of[kCodes];
        for (std::size_t k = 0; k < kCodes; ++k) left_of[k] = split.sends_left(static_cast<Place>(k), kMissing);
        return packing_.rows ? divided(span, code, left_of, word.data(), spare_word_.data())
                             : divided(span, code, left_of, own.data(), spare_own_.data());
    }

    std::vector<Row> row;
    std::vector<std::int64_t> word;  // packed; empty where no word is wide enough
    std::vector<TripleSums> own;     // where none is, and one more behind them, so that four words can be read

  private:
    static constexpr std::size_t kLeast = 4096, kLeastPart = 1024;  // rows that are worth threads, and those of each
    struct alignas(64) Part {
        std::size_t begin = 0, left = 0, right = 0;  // its first row, and how many go left and right
        TripleSums sums;                             // of those that go left
    };

    std::size_t part_count(std::size_t rows) const { return rows < kLeast ? 1 : std::min(rows / kLeastPart, team_.size()); }
    void resize(std::size_t count) {
        for (auto* each : {&row, &spare_row_}) each->resize(count);
        for (auto* each : {&word, &spare_word_}) each->resize(packing_.rows ? count : 0);
        for (auto* each : {&own, &spare_own_}) each->resize(packing_.rows ? 0 : count + 1);
    }
    TripleSums summed_parts() const {
        TripleSums total;
        for (const Part& part : parts_) total += part.sums;
        return total;
    }

    template <class T>
    std::pair<std::size_t, TripleSums> divided(Span span, const Code* code, const bool* left_of, T* adds, T* spare) {
        const std::size_t parts = part_count(span.size()), each = (span.size() + parts - 1) / parts;
        parts_.assign(parts, {});
        if (parts == 1) {
            const std::size_t left = divide_at(span, code, left_of, adds, adds + span.begin, row.data() + span.begin,
                                               spare + span.begin, spare_row_.data() + span.begin, 1, parts_[0]);
            const std::size_t rest = span.size() - left;
            std::copy_n(spare_row_.data() + span.begin, rest, row.data() + span.begin + left);
            std::copy_n(spare + span.begin, rest, adds + span.begin + left);
            return {span.begin + left, parts_[0].sums};
        }
        // Each part divides its rows aside, the right ones backwards from its end; then all are brought to their place.
        team_.share(parts, [&](std::size_t p, std::size_t) {
            const Span own_span{span.begin + p * each, std::min(span.end, span.begin + (p + 1) * each)};
            parts_[p].begin = own_span.begin;
            parts_[p].left = divide_at(own_span, code, left_of, adds, spare + own_span.begin, spare_row_.data() + own_span.begin,
                                       spare + own_span.end - 1, spare_row_.data() + own_span.end - 1, -1, parts_[p]);
            parts_[p].right = own_span.size() - parts_[p].left;
        });
        std::size_t middle = span.begin;
        for (const Part& part : parts_) middle += part.left;
        team_.share(parts, [&](std::size_t p, std::size_t) {
            std::size_t left = span.begin, right = middle;
            for (std::size_t q = 0; q < p; ++q) left += parts_[q].left, right += parts_[q].right;
            const Part& part = parts_[p];
            std::copy_n(spare_row_.data() + part.begin, part.left, row.data() + left);
            std::copy_n(spare + part.begin, part.left, adds + left);
            const std::size_t end = part.begin + part.left + part.right;
            std::reverse_copy(spare_row_.data() + end - part.right, spare_row_.data() + end, row.data() + right);
            std::reverse_copy(spare + end - part.right, spare + end, adds + right);
        });
        return {middle, summed_parts()};
    }

    // Writes the rows that go left from one place on, the others from another, by steps of 1 or −1; how many go left.
    template <class T>
    std::size_t divide_at(Span span, const Code* code, const bool* left_of, const T* adds, T* left_adds, Row* left_row,
                          T* right_adds, Row* right_row, std::ptrdiff_t step, Part& part) const {
        const Row* rows = row.data();
        std::size_t left = 0;
        std::ptrdiff_t right = 0;
        for (std::size_t begin = span.begin; begin < span.end; begin += Packing::kLeastRows) {
            T sums{};  // a few rows fit into a word
            for (std::size_t i = begin; i < std::min(span.end, begin + Packing::kLeastRows); ++i) {
                const Row at = rows[i];
                const T value = adds[i];
                const bool goes_left = left_of[code[at]];
                right_row[right] = left_row[left] = at;
                right_adds[right] = left_adds[left] = value;
                left += goes_left;
                right += goes_left ? 0 : step;
                if (goes_left) sums += value;
            }
            part.sums += wide(sums);
        }
        return left;
    }
    TripleSums wide(std::int64_t packed) const { return packing_.unpacked(packed); }
    static TripleSums wide(const TripleSums& sums) { return sums; }

    Packing packing_{0, 0, 0, true};
    Team& team_;
    std::vector<Row> spare_row_;
    std::vector<std::int64_t> spare_word_;
    std::vector<TripleSums> spare_own_;
    std::vector<Part> parts_;
};

}  // namespace suffice
