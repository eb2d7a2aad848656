// How near points of a map are to all others, cells of points that are far away taken as one (Barnes and Hut, 1986).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/binding.hpp"
#include "embedding/points.hpp"

namespace suffice {
namespace {

constexpr std::size_t kLeaf = 8;   // points that are not divided further
constexpr int kDeepest = 60;       // points nearer than that are taken as one cell

struct Cell {
    std::size_t begin, end;       // points
    std::size_t first, children;  // cells; none: a leaf
    double side;                  // the longest
    double mass;
};

// Cells of half the side in every coordinate, the largest first; points of a cell side by side.
class Tree {
  public:
    Tree(const double* rows, const double* mass, std::size_t m, std::size_t k) : k_(k), order_(m) {
        for (std::size_t i = 0; i < m; ++i) order_[i] = i;
        std::vector<double> middle(k);
        double side = 0;
        for (std::size_t c = 0; c < k; ++c) {
            double low = rows[c], high = rows[c];
            for (std::size_t i = 1; i < m; ++i) low = std::min(low, rows[i * k + c]), high = std::max(high, rows[i * k + c]);
            middle[c] = 0.5 * (low + high), side = std::max(side, high - low);
        }
        rows_ = rows, mass_ = mass;
        cells_.push_back({0, m, 0, 0, side, 0});
        middles_ = middle;
        for (std::size_t at = 0; at < cells_.size(); ++at) divide(at);
        points_.resize(m * k), weights_.resize(m);
        for (std::size_t i = 0; i < m; ++i) {
            std::copy_n(rows + order_[i] * k, k, points_.data() + i * k);
            weights_[i] = mass ? mass[order_[i]] : 1.0;
        }
        weigh();
    }

    // Adds what all points do to a place.
    void look(const double* z, double angle, std::vector<std::size_t>& open, double& value, double* slope) const {
        value = 0;
        std::fill_n(slope, k_, 0.0);
        open.assign(1, 0);
        while (!open.empty()) {
            const Cell& cell = cells_[open.back()];
            const double* mean = means_.data() + open.back() * k_;
            open.pop_back();
            if (cell.children == 0 && cell.end - cell.begin <= kLeaf) {
                for (std::size_t i = cell.begin; i < cell.end; ++i) meet(z, points_.data() + i * k_, weights_[i], value, slope);
                continue;
            }
            double squared = 0;
            for (std::size_t c = 0; c < k_; ++c) squared += (z[c] - mean[c]) * (z[c] - mean[c]);
            if (cell.children == 0 || cell.side * cell.side < angle * angle * squared)
                meet(z, mean, cell.mass, value, slope);
            else
                for (std::size_t child = cell.children; child-- > 0;) open.push_back(cell.first + child);
        }
    }

  private:
    void divide(std::size_t at) {
        const Cell cell = cells_[at];
        if (cell.end - cell.begin <= kLeaf || !(cell.side > 0) || cell.side <= cells_[0].side * std::ldexp(1.0, -kDeepest)) return;
        const std::size_t parts = std::size_t(1) << k_;
        std::vector<std::size_t> part(cell.end - cell.begin), ends(parts + 1), sorted(part.size());
        for (std::size_t i = cell.begin; i < cell.end; ++i) {
            std::size_t code = 0;
            for (std::size_t c = 0; c < k_; ++c)
                code |= std::size_t(rows_[order_[i] * k_ + c] > middles_[at * k_ + c]) << c;
            ++ends[(part[i - cell.begin] = code) + 1];
        }
        for (std::size_t p = 1; p <= parts; ++p) ends[p] += ends[p - 1];
        std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
        for (std::size_t i = cell.begin; i < cell.end; ++i) sorted[next[part[i - cell.begin]]++] = order_[i];
        std::copy(sorted.begin(), sorted.end(), order_.begin() + static_cast<std::ptrdiff_t>(cell.begin));
        cells_[at].first = cells_.size();
        for (std::size_t p = 0; p < parts; ++p) {
            if (ends[p] == ends[p + 1]) continue;
            ++cells_[at].children;
            cells_.push_back({cell.begin + ends[p], cell.begin + ends[p + 1], 0, 0, cell.side / 2, 0});
            for (std::size_t c = 0; c < k_; ++c)
                middles_.push_back(middles_[at * k_ + c] + ((p >> c) & 1 ? 0.25 : -0.25) * cell.side);
        }
    }

    void weigh() {
        means_.assign(cells_.size() * k_, 0.0);
        for (std::size_t at = cells_.size(); at-- > 0;) {
            Cell& cell = cells_[at];
            double* mean = means_.data() + at * k_;
            for (std::size_t i = cell.begin; cell.children == 0 && i < cell.end; ++i) {
                cell.mass += weights_[i];
                for (std::size_t c = 0; c < k_; ++c) mean[c] += weights_[i] * points_[i * k_ + c];
            }
            for (std::size_t child = cell.first; child < cell.first + cell.children; ++child) {
                cell.mass += cells_[child].mass;
                for (std::size_t c = 0; c < k_; ++c) mean[c] += cells_[child].mass * means_[child * k_ + c];
            }
            for (std::size_t c = 0; c < k_ && cell.mass > 0; ++c) mean[c] /= cell.mass;
        }
    }

    void meet(const double* z, const double* other, double mass, double& value, double* slope) const {
        double sum = 1;
        for (std::size_t c = 0; c < k_; ++c) sum += (z[c] - other[c]) * (z[c] - other[c]);
        const double near = 1 / sum, own = mass * near;
        value += own;
        for (std::size_t c = 0; c < k_; ++c) slope[c] -= 2 * own * near * (z[c] - other[c]);
    }

    std::size_t k_;
    const double *rows_ = nullptr, *mass_ = nullptr;
    std::vector<std::size_t> order_;
    std::vector<Cell> cells_;
    std::vector<double> middles_, means_, points_, weights_;
};

const Register registered([](nb::module_& m) {
    m.def("embedding_tree", [](Full<double> rows, Full<double> points, Optional<Input> mass, double angle, int threads,
                               Output value, Output slope) {
        const std::size_t q = rows.shape(0), k = rows.shape(1), n = points.shape(0);
        expect("points", points, n * k);
        expect("mass", mass, n);
        expect("value", value, q);
        expect("slope", slope, q * k);
        if (k < 1 || k > 3 || n < 1) throw nb::value_error("a tree is of points of 1 to 3 coordinates");
        const double *own = rows.data(), *all = points.data(), *weight = pointer(mass);
        double *values = value.data(), *slopes = slope.data();
        call(threads, [&](const Runtime& r) {
            const Tree tree(all, weight, n, k);
            const Stripes stripes(q, 16);
            using Open = std::vector<std::size_t>;
            for_stripes(stripes.count(), 2000.0 * static_cast<double>(q), r, [] { return Open(); }, [&](std::size_t s, Open& open) {
                for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i)
                    tree.look(own + i * k, angle, open, values[i], slopes + i * k);
            });
        });
    }, nb::arg("rows"), nb::arg("points"), nb::arg("mass").none(), nb::arg("angle"), nb::arg("threads"), nb::arg("value"),
       nb::arg("slope"));
});

}  // namespace
}  // namespace suffice
