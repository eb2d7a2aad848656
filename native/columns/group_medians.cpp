// Lower weighted medians of each group of rows and each column, from the order of the rows in every column.
//
// `order` holds for each column the rows by rising value, those with NaN left out: its first `present[j]` entries.
// A column is walked to where half of the weight of every group is reached. Columns run apart.
#include <vector>

#include "core/binding.hpp"

namespace suffice {
namespace {

struct Column {
    const std::int64_t* order;
    std::size_t present;
};

// The group of each row in as few bytes as will do: they are looked up in the order of every column.
template <class G, class T>
class GroupMedians {
  public:
    GroupMedians(const View<T>& x, const std::int64_t* group, const double* weight, std::size_t groups)
        : x_(x), weight_(weight), group_(x.rows), whole_(groups) {
        for (std::size_t i = 0; i < x.rows; ++i) {
            group_[i] = static_cast<G>(group[i]);
            whole_[group_[i]] += weight ? weight[i] : 1.0;
        }
    }

    struct Scratch {
        std::vector<double> total, below;
        std::vector<std::size_t> left;
    };

    Scratch make() const {
        return {std::vector<double>(whole_.size()), std::vector<double>(whole_.size()), std::vector<std::size_t>(whole_.size())};
    }

    void find(std::size_t j, const Column& column, Scratch& s, double* medians) const {
        s.total = whole_;
        if (column.present < x_.rows) count(column, s.total);
        if (weight_)
            walk_weights(j, column, s, medians);
        else
            walk_rows(j, column, s, medians);
    }

  private:
    void count(const Column& column, std::vector<double>& total) const {
        std::fill(total.begin(), total.end(), 0.0);
        for (std::size_t i = 0; i < column.present; ++i) {
            const auto row = static_cast<std::size_t>(column.order[i]);
            total[group_[row]] += weight_ ? weight_[row] : 1.0;
        }
    }

    static std::size_t open_groups(const std::vector<double>& total) {
        std::size_t open = 0;
        for (double own : total) open += own > 0;
        return open;
    }

    // Where every row counts once it is known how many are to come: hardly a branch is taken.
    void walk_rows(std::size_t j, const Column& column, Scratch& s, double* medians) const {
        for (std::size_t g = 0; g < whole_.size(); ++g) s.left[g] = (static_cast<std::size_t>(s.total[g]) + 1) / 2;
        std::size_t open = open_groups(s.total);
        for (std::size_t i = 0; i < column.present && open > 0; ++i) {
            const auto row = static_cast<std::size_t>(column.order[i]);
            const std::size_t g = group_[row];
            if (--s.left[g] == 0) open -= found(row, j, g, medians);
        }
    }

    void walk_weights(std::size_t j, const Column& column, Scratch& s, double* medians) const {
        std::fill(s.below.begin(), s.below.end(), 0.0);
        std::size_t open = open_groups(s.total);
        for (std::size_t i = 0; i < column.present && open > 0; ++i) {
            const auto row = static_cast<std::size_t>(column.order[i]);
            const std::size_t g = group_[row];
            if (2 * s.below[g] >= s.total[g]) continue;  // found already, or nothing to find
            s.below[g] += weight_[row];
            if (2 * s.below[g] >= s.total[g]) open -= found(row, j, g, medians);
        }
    }

    std::size_t found(std::size_t row, std::size_t j, std::size_t g, double* medians) const {
        medians[g * x_.cols + j] = static_cast<double>(x_.at(row, j));
        return 1;
    }

    View<T> x_;
    const double* weight_;
    std::vector<G> group_;
    std::vector<double> whole_;  // the weight of each group
};

template <class G, class T>
void all_medians(const View<T>& x, const std::int64_t* order, const std::int64_t* present, const std::int64_t* group,
                 const double* weight, std::size_t groups, const Runtime& runtime, double* medians) {
    const GroupMedians<G, T> all(x, group, weight, groups);
    for_stripes(
        x.cols, static_cast<double>(x.rows) * static_cast<double>(x.cols) * 4, runtime, [&] { return all.make(); },
        [&](std::size_t j, auto& scratch) {
            all.find(j, {order + j * x.rows, static_cast<std::size_t>(present[j])}, scratch, medians);
        });
}

template <class T>
void bind(nb::module_& m) {
    m.def("group_medians", [](Matrix<T> x, Codes order, Codes present, Codes group, Optional<Input> weight,
                              std::size_t groups, int threads, Output medians) {
        expect("order", order, x.shape(0) * x.shape(1));
        expect("present", present, x.shape(1));
        expect("group", group, x.shape(0));
        expect_below("present", present, x.shape(0) + 1);
        expect_below("group", group, groups);
        expect("weight", weight, x.shape(0));
        expect("medians", medians, groups * x.shape(1));
        const View<T> v = view<T>(x);
        const double* w = pointer(weight);
        const std::int64_t *rows = order.data(), *counts = present.data(), *label = group.data();
        double* out = medians.data();
        auto* kernel = groups <= 256 ? &all_medians<std::uint8_t, T> : &all_medians<std::uint32_t, T>;
        call(threads, [&](const Runtime& r) { kernel(v, rows, counts, label, w, groups, r, out); });
    }, nb::arg("x"), nb::arg("order"), nb::arg("present"),
       nb::arg("group"), nb::arg("weight").none(), nb::arg("groups"), nb::arg("threads"),
       nb::arg("medians"));
}

const Register registered([](nb::module_& m) {
    bind<double>(m);
    bind<float>(m);
});

}  // namespace
}  // namespace suffice
