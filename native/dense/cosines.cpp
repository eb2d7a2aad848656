// factor · cos(x) of every cell: what random Fourier features are.
#include <cmath>
#include <numbers>
#include <vector>

#include "core/binding.hpp"
#include "core/vector_math.hpp"

namespace suffice {
namespace {

constexpr std::size_t kCells = 512;          // cells worked on at once
constexpr std::size_t kStripeCells = 8192;   // at least so many in a stripe
constexpr double kFar = 1e6;                 // beyond, one cell at a time

// cos(x) for |x| <= kFar. With r = x − m π/2 for the nearest odd m = 2k + 1 it is ±sin(r), so that zeros keep their digits.
inline Vec cos_near(Vec x) {
    const Vec shifted = (x * std::numbers::inv_pi - 0.5) + kMagic;
    const Vec m = 2.0 * (shifted - kMagic) + 1.0;
    const Vec r = ((x - m * 0x1.921fb54400000p+0) - m * 0x1.0b4611a600000p-34) - m * 0x1.3198a2e037073p-69;
    // The series of sin to the 21st power; |r| is at most π/2.
    constexpr double inverse_factorial[] = {
        1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0,
        1.0 / 355687428096000.0, -1.0 / 121645100408832000.0, 1.0 / 51090942171709440000.0};
    const Vec z = r * r;
    Vec sum = broadcast(inverse_factorial[10]);
    for (int power = 9; power >= 0; --power) sum = sum * z + inverse_factorial[power];
    return as_doubles(as_bits(sum * r) ^ ((as_bits(shifted) ^ 1) << 63));  // minus for even k
}

// cells[count] = factor · cos(cells[count]); there is room up to a whole number of vectors.
void cos_cells(double* cells, std::size_t count, double factor) {
    for (std::size_t j = 0; j < count; j += kLanes) {
        const Vec x = load(cells + j);
        Vec found = cos_near(x);
        for (int lane = 0; lane < kLanes; ++lane)
            if (!(std::abs(x[lane]) <= kFar)) found[lane] = std::cos(x[lane]);
        store(cells + j, factor * found);
    }
}

// out (n, d) of x (n, d), row by row.
template <class T>
void cosines(const View<T>& x, double factor, const Runtime& runtime, T* out) {
    const std::size_t d = x.cols;
    const Stripes stripes(x.rows, std::max<std::size_t>(1, kStripeCells / std::max<std::size_t>(1, d)));
    auto work = [&](std::size_t k, std::vector<double>& cells) {
        for (std::size_t i = stripes.begin(k); i < stripes.end(k); ++i)
            for (std::size_t first = 0; first < d; first += kCells) {
                const std::size_t count = std::min(kCells, d - first);
                for (std::size_t j = 0; j < count; ++j) cells[j] = static_cast<double>(x.at(i, first + j));
                cos_cells(cells.data(), count, factor);
                for (std::size_t j = 0; j < count; ++j) out[i * d + first + j] = static_cast<T>(cells[j]);
            }
    };
    const double operations = 8 * static_cast<double>(x.rows) * static_cast<double>(d);
    for_stripes(stripes.count(), operations, runtime, [] { return std::vector<double>(kCells); }, work);
}

template <class T>
void bind(nb::module_& m) {
    m.def("cosines", [](Matrix<T> x, double factor, int threads, Result<T> out) {
        expect("out", out, x.shape(0) * x.shape(1));
        call(threads, [&](const Runtime& r) { cosines<T>(view<T>(x), factor, r, out.data()); });
    }, nb::arg("x"), nb::arg("factor"), nb::arg("threads"), nb::arg("out"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
