// The equations of each row of a factorisation: sums of products over its known cells, and their solution.
#include <vector>

#include "core/binding.hpp"
#include "factors/equations.hpp"

namespace suffice {
namespace {

constexpr std::size_t kBlock = 64;  // rows of the matrix that are gathered at once
constexpr std::size_t kHigh = 4;    // rows of the products that are summed at once

// The known cells of some rows: at columns[starts[i] … starts[i + 1]).
struct Known {
    const std::int64_t *starts, *columns;
    const double *right, *weight;
    std::size_t rows;
};

// Sums of products of gathered rows (m, width) with the same rows weighted.
class Products {
  public:
    explicit Products(std::size_t p) : p_(p), width_(round_up(p, std::max<std::size_t>(kLanes, kHigh))),
          rows_(kBlock * width_), weighted_(kBlock * width_), gram_(width_ * width_), right_(width_) {}

    void row(const Known& known, std::size_t i, const double* matrix, double* gram, double* right) {
        std::fill(gram_.begin(), gram_.end(), 0.0);
        std::fill(right_.begin(), right_.end(), 0.0);
        const std::size_t end = static_cast<std::size_t>(known.starts[i + 1]);
        for (std::size_t at = static_cast<std::size_t>(known.starts[i]); at < end; at += kBlock)
            block(known, at, std::min(kBlock, end - at), matrix);
        for (std::size_t a = 0; a < p_; ++a) {
            right[a] = right_[a];
            for (std::size_t b = a; b < p_; ++b) gram[a * p_ + b] = gram[b * p_ + a] = gram_[a * width_ + b];
        }
    }

  private:
    void block(const Known& known, std::size_t at, std::size_t count, const double* matrix) {
        for (std::size_t r = 0; r < count; ++r) {
            double* own = rows_.data() + r * width_;
            std::copy_n(matrix + static_cast<std::size_t>(known.columns[at + r]) * p_, p_, own);
            const Vec b = broadcast(known.right[at + r]);
            for (std::size_t c = 0; c < width_; c += kLanes)
                store(right_.data() + c, load(right_.data() + c) + b * load(own + c));
            if (known.weight == nullptr) continue;
            const Vec w = broadcast(known.weight[at + r]);
            for (std::size_t c = 0; c < width_; c += kLanes) store(weighted_.data() + r * width_ + c, w * load(own + c));
        }
        const double* left = known.weight == nullptr ? rows_.data() : weighted_.data();
        for (std::size_t a = 0; a < p_; a += kHigh) {
            std::size_t c = a / kLanes * kLanes;
            for (; c + 4 * kLanes <= width_; c += 4 * kLanes) add<4>(left, count, a, c);
            switch ((width_ - c) / kLanes) {
                case 3: add<3>(left, count, a, c); break;
                case 2: add<2>(left, count, a, c); break;
                case 1: add<1>(left, count, a, c); break;
            }
        }
    }

    template <int W>
    void add(const double* left, std::size_t count, std::size_t a, std::size_t c) {
        Vec total[kHigh][W] = {};
        for (std::size_t r = 0; r < count; ++r) {
            Vec own[W];
            for (int w = 0; w < W; ++w) own[w] = load(rows_.data() + r * width_ + c + w * kLanes);
            for (std::size_t q = 0; q < kHigh; ++q) {
                const Vec by = broadcast(left[r * width_ + a + q]);
                for (int w = 0; w < W; ++w) total[q][w] += by * own[w];
            }
        }
        for (std::size_t q = 0; q < kHigh; ++q)
            for (int w = 0; w < W; ++w) {
                double* into = gram_.data() + (a + q) * width_ + c + w * kLanes;
                store(into, load(into) + total[q][w]);
            }
    }

    std::size_t p_, width_;
    std::vector<double> rows_, weighted_, gram_, right_;
};

void row_equations(const Known& known, const double* matrix, std::size_t p, const Runtime& runtime, double* grams,
                   double* rights) {
    const Stripes stripes(known.rows, 4);
    const double cells = static_cast<double>(known.starts[known.rows]);
    for_stripes(stripes.count(), cells * static_cast<double>(p * p), runtime, [&] { return Products(p); },
                [&](std::size_t s, Products& own) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
            own.row(known, i, matrix, grams + i * p * p, rights + i * p);
    });
}

const Register registered([](nb::module_& m) {
    m.def("row_equations", [](Full<double> matrix, Codes starts, Codes columns, Input right, Optional<Input> weight,
                              int threads, Output grams, Output rights) {
        const std::size_t p = matrix.shape(1);
        expect_csr(right, columns, starts);
        const std::size_t n = starts.size() - 1;
        expect_below("columns", columns, matrix.shape(0), 0, threads);
        expect("weight", weight, right.size());
        expect("grams", grams, n * p * p);
        expect("rights", rights, n * p);
        const Known known{starts.data(), columns.data(), right.data(), pointer(weight), n};
        const double* V = matrix.data();
        double *G = grams.data(), *b = rights.data();
        call(threads, [&](const Runtime& r) { row_equations(known, V, p, r, G, b); });
    }, nb::arg("matrix"), nb::arg("starts"), nb::arg("columns"), nb::arg("right"), nb::arg("weight").none(),
       nb::arg("threads"), nb::arg("grams"), nb::arg("rights"));
    m.def("solve_rows", [](Input grams, Full<double> rights, Input ridge, bool nonnegative, int threads, Output answers) {
        const std::size_t n = rights.shape(0), p = rights.shape(1);
        const bool common = grams.size() == p * p;  // of all rows
        if (!common) expect("grams", grams, n * p * p);
        expect("ridge", ridge, n);
        expect("answers", answers, n * p);
        const double *G = grams.data(), *b = rights.data(), *more = ridge.data();
        double* out = answers.data();
        call(threads, [&](const Runtime& r) {
            const Stripes stripes(n, 4);
            const double size = static_cast<double>(p);
            for_stripes(stripes.count(), static_cast<double>(n) * size * size * (size + 20), r, [&] { return Equations(p, common); },
                        [&](std::size_t s, Equations& own) {
                for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
                    own.solve(G + (common ? 0 : i * p * p), more[i], b + i * p, nonnegative, out + i * p);
            });
        });
    }, nb::arg("grams"), nb::arg("rights"), nb::arg("ridge"), nb::arg("nonnegative"), nb::arg("threads"),
       nb::arg("answers"));
});

}  // namespace
}  // namespace suffice
