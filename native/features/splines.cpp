// B-splines of columns, by the recursion of Cox and de Boor for those that are not 0.
#include <cmath>

#include "core/binding.hpp"

namespace suffice {
namespace {

constexpr std::size_t kHighest = 64;         // degree
constexpr std::size_t kStripeCells = 2048;   // at least so many in a stripe

// The splines of one degree on knots that rise, of which as many as the degree lie beyond either end.
class Basis {
  public:
    Basis(const double* knots, std::size_t count, std::size_t degree)
        : t_(knots), degree_(degree), size_(count - degree - 1), inverse_(count * degree) {
        for (std::size_t j = 1; j <= degree; ++j)
            for (std::size_t i = 0; i + j < count; ++i) inverse_[(j - 1) * count + i] = 1 / (t_[i + j] - t_[i]);
        count_ = count;
    }

    std::size_t size() const { return size_; }
    double low() const { return t_[degree_]; }
    double high() const { return t_[size_]; }

    // out (size): the splines at x; of a missing x NaN. K is the degree where it is known, else -1.
    template <int K, class T>
    void write(double x, T* out) const {
        const std::size_t k = K < 0 ? degree_ : static_cast<std::size_t>(K);
        if (std::isnan(x)) {
            std::fill_n(out, size_, static_cast<T>(x));
            return;
        }
        const double* above = std::upper_bound(t_ + k + 1, t_ + size_, x);  // x lies below it, in the interval before
        const std::size_t at = static_cast<std::size_t>(above - t_) - 1;
        double values[K < 0 ? kHighest + 1 : K + 1];
        values[0] = 1;
        for (std::size_t j = 1; j <= k; ++j) {
            double saved = 0;
            for (std::size_t r = 0; r < j; ++r) {
                const std::size_t low = at + r + 1 - j;
                const double part = values[r] * inverse_[(j - 1) * count_ + low];
                values[r] = saved + (t_[low + j] - x) * part;
                saved = (x - t_[low]) * part;
            }
            values[j] = saved;
        }
        std::fill_n(out, size_, T(0));
        for (std::size_t r = 0; r <= k; ++r) out[at - k + r] = static_cast<T>(values[r]);
    }

  private:
    const double* t_;
    std::size_t degree_, size_, count_;
    std::vector<double> inverse_;  // of the lengths of 1 to `degree` intervals from each knot
};

// out (n, width): the splines of all columns side by side; cells beyond the outer knots count as these if `within`.
template <int K, class T>
void splines(const View<T>& x, const std::vector<Basis>& bases, std::size_t width, bool within, const Runtime& runtime,
             T* out) {
    const Stripes stripes(x.rows, std::max<std::size_t>(1, kStripeCells / std::max<std::size_t>(1, width)));
    auto work = [&](std::size_t s, int&) {
        for (std::size_t i = stripes.begin(s); i < stripes.end(s); ++i) {
            T* row = out + i * width;
            for (std::size_t j = 0; j < x.cols; row += bases[j].size(), ++j) {
                double cell = static_cast<double>(x.at(i, j));
                if (within) cell = cell < bases[j].low() ? bases[j].low() : cell > bases[j].high() ? bases[j].high() : cell;
                bases[j].template write<K>(cell, row);
            }
        }
    };
    const double operations = static_cast<double>(x.rows) * static_cast<double>(width) * 8;
    for_stripes(stripes.count(), operations, runtime, [] { return 0; }, work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("splines", [](Matrix<T> x, Vector<double> knots, Codes starts, std::size_t degree, bool within, int threads,
                        Result<T> out) {
        expect_starts("starts", starts, x.shape(1), knots.size());
        if (degree > kHighest) throw nb::value_error("the degree is too high");
        std::vector<Basis> bases;
        std::size_t width = 0;
        for (std::size_t j = 0; j < x.shape(1); ++j) {
            const std::size_t first = static_cast<std::size_t>(starts.data()[j]);
            const std::size_t count = static_cast<std::size_t>(starts.data()[j + 1]) - first;
            if (count < 2 * degree + 2) throw nb::value_error("a column has too few knots for the degree");
            bases.emplace_back(knots.data() + first, count, degree);
            width += bases.back().size();
        }
        expect("out", out, x.shape(0) * width);
        call(threads, [&](const Runtime& r) {
            const auto run = degree == 3   ? &splines<3, T>
                             : degree == 2 ? &splines<2, T>
                             : degree == 1 ? &splines<1, T>
                                           : &splines<-1, T>;
            run(view<T>(x), bases, width, within, r, out.data());
        });
    }, nb::arg("x"), nb::arg("knots"), nb::arg("starts"), nb::arg("degree"), nb::arg("within"), nb::arg("threads"),
       nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
