// One pass of k-modes row by row: a row goes where the cost falls most, with the modes of both clusters.
//
// The cost is Σ over clusters and columns of the weight that does not have the most frequent category, so that a move
// changes it by what the own maxima lose less what the other's gain.
#include <limits>
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

class Moves {
  public:
    Moves(const std::int64_t* offsets, std::size_t d, std::size_t k, double* counts)
        : offsets_(offsets), d_(d), k_(k), width_(static_cast<std::size_t>(offsets[d])), counts_(counts), most_(k * d) {
        for (std::size_t g = 0; g < k; ++g)
            for (std::size_t j = 0; j < d; ++j) most_[g * d + j] = largest(g, j, width_, 0);
    }

    // Where a row of such codes (-1: missing) and weight should go from cluster `own`, if the cost falls by more than
    // `least`; the first of equals.
    std::size_t target(const std::int64_t* row, double weight, std::size_t own, double least) {
        double lost = 0;
        for (std::size_t j = 0; j < d_; ++j)
            if (row[j] >= 0) lost += most_[own * d_ + j] - largest(own, j, place(j, row[j]), weight);
        std::size_t best = own;
        double gain = least;
        for (std::size_t g = 0; g < k_; ++g) {
            if (g == own) continue;
            double won = -lost;
            for (std::size_t j = 0; j < d_; ++j)
                if (row[j] >= 0) won += std::max(0.0, count(g, place(j, row[j])) + weight - most_[g * d_ + j]);
            if (won > gain) {
                gain = won;
                best = g;
            }
        }
        return best;
    }

    void move(const std::int64_t* row, double weight, std::size_t from, std::size_t to) {
        for (std::size_t j = 0; j < d_; ++j) {
            if (row[j] < 0) continue;
            const std::size_t at = place(j, row[j]);
            counts_[from * width_ + at] -= weight;
            counts_[to * width_ + at] += weight;
            most_[from * d_ + j] = largest(from, j, width_, 0);
            most_[to * d_ + j] = std::max(most_[to * d_ + j], count(to, at));
        }
    }

  private:
    std::size_t place(std::size_t j, std::int64_t code) const {
        return static_cast<std::size_t>(offsets_[j]) + static_cast<std::size_t>(code);
    }

    double count(std::size_t g, std::size_t at) const { return counts_[g * width_ + at]; }

    // The largest count of a column, with `less` taken from the one at `at`.
    double largest(std::size_t g, std::size_t j, std::size_t at, double less) const {
        double most = 0;
        for (auto c = static_cast<std::size_t>(offsets_[j]); c < static_cast<std::size_t>(offsets_[j + 1]); ++c)
            most = std::max(most, count(g, c) - (c == at ? less : 0));
        return most;
    }

    const std::int64_t* offsets_;
    std::size_t d_, k_, width_;
    double* counts_;            // (k, C)
    std::vector<double> most_;  // (k, d)
};

void check(const std::int64_t* codes, std::size_t rows, std::size_t d, const std::int64_t* offsets) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < d; ++j)
            if (codes[i * d + j] >= offsets[j + 1] - offsets[j]) throw nb::value_error("a code has no category");
}

const Register registered([](nb::module_& m) {
    m.def("mode_moves", [](Full<std::int64_t> codes, Input weight, Codes offsets, double least,
                           Result<std::int64_t> label, Output counts) {
        const std::size_t n = codes.shape(0), d = codes.shape(1);
        expect("weight", weight, n);
        expect("offsets", offsets, d + 1);
        expect("label", label, n);
        const auto width = static_cast<std::size_t>(std::max<std::int64_t>(offsets.data()[d], 0));
        expect_starts("offsets", offsets, d, width);
        const std::size_t k = width ? counts.size() / width : 0;
        expect("counts", counts, k * width);
        expect_below("label", label, k);
        const std::int64_t* cells = codes.data();
        const double* w = weight.data();
        std::int64_t* labels = label.data();
        check(cells, n, d, offsets.data());
        return call(1, [&](const Runtime& runtime) {
            Moves moves(offsets.data(), d, k, counts.data());
            std::int64_t moved = 0;
            for (std::size_t i = 0; i < n; ++i) {
                if (i % 4096 == 4095 && runtime.interrupted()) throw Interrupted{};
                const auto own = static_cast<std::size_t>(labels[i]);
                const std::size_t to = moves.target(cells + i * d, w[i], own, least * w[i]);
                if (to == own) continue;
                moves.move(cells + i * d, w[i], own, to);
                labels[i] = static_cast<std::int64_t>(to);
                ++moved;
            }
            return moved;
        });
    }, nb::arg("codes"), nb::arg("weight"), nb::arg("offsets"), nb::arg("least"), nb::arg("label"), nb::arg("counts"));
});

}  // namespace
}  // namespace suffice
