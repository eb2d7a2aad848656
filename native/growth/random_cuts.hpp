// One cut at random of a column of codes that are numbers, none missing: from the lowest and the highest code of the node's
// rows, and one more pass over them. It is the cut that `Cutting` would choose among all.
#pragma once

#include "growth/cut.hpp"

namespace suffice {

template <class Rows>
class RandomCuts {
    using Sums = typename Rows::Sums;

  public:
    explicit RandomCuts(const Rows& rows) : left_(rows.zero()), right_(rows.zero()) {}

    // Takes the cut if it is better than the node's so far; own(i) is what row i of the node adds.
    template <class Own>
    void look(const CodedTable& table, std::size_t column, const Row* row, const Own& own, std::size_t count, const Rows& rows,
              const Sums& all, double least, double tie, Open& open) {
        const auto [low, high] = read(table.column(column), row, count);
        if (low == high) return;
        const double* value = table.values + column * kCodes;
        const double at = value[low] + uniform(open.seed) * (value[high] - value[low]);
        const auto goes_left = [&](Code code) { return code == low || (code < high && value[code] <= at); };
        add_up(goes_left, own, count, all);
        const double left = rows.weight(left_), right = rows.weight(right_);
        if (!(left >= least && right >= least)) return;
        const double score = rows.score(left_) + rows.score(right_);
        if (!(score > open.split.gain + tie)) return;
        Code last = low, next = high;
        for (std::size_t i = 0; i < count; ++i) {
            const Code code = code_[i];
            if (goes_left(code)) last = std::max(last, code);
            else next = std::min(next, code);
        }
        open.split = {score, static_cast<std::int32_t>(column), false, left > right, last, next, {}};
    }

  private:
    // The codes of the rows; the lowest and the highest of them.
    std::pair<Code, Code> read(const Code* code, const Row* row, std::size_t count) {
        if (code_.size() < count) code_.resize(count);
        Code low = kMissing, high = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Code own = code_[i] = code[row[i]];
            low = std::min(low, own), high = std::max(high, own);
        }
        return {low, high};
    }

    template <class GoesLeft, class Own>
    void add_up(const GoesLeft& goes_left, const Own& own, std::size_t count, const Sums& all) {
        if constexpr (std::is_same_v<Sums, PairSums>) {
            left_ = {};
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t kept = -static_cast<std::int64_t>(goes_left(code_[i]));  // all bits, or none
                const PairSums& adds = own(i);
                left_ += {adds.first & kept, adds.second & kept};
            }
            right_ = all - left_;
        } else {
            std::fill(left_.begin(), left_.end(), 0);
            for (std::size_t i = 0; i < count; ++i)
                if (goes_left(code_[i])) Rows::add(left_, own(i));
            for (std::size_t c = 0; c < left_.size(); ++c) right_[c] = all[c] - left_[c];
        }
    }

    Sums left_, right_;
    std::vector<Code> code_;
};

}  // namespace suffice
