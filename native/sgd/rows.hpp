// One row of a table times slopes, and added to them: dense rows side by side, and CSR.
#pragma once

#include "core/transpose.hpp"
#include "sparse/csr.hpp"

namespace suffice {

template <class T>
struct DenseRows {
    const T* data;
    std::size_t rows, cols;

    const T* row(std::size_t i) const { return data + i * cols; }

    void fetch(std::size_t i) const {
        const char* at = reinterpret_cast<const char*>(row(i));
        for (std::size_t b = 0; b < std::min<std::size_t>(cols * sizeof(T), 1024); b += 64) __builtin_prefetch(at + b);
    }

    double dot(std::size_t i, const double* slope) const {
        const T* x = row(i);
        Vec sum[2] = {};
        std::size_t j = 0;
        for (; j + 2 * kLanes <= cols; j += 2 * kLanes) {
            sum[0] += load_doubles(x + j) * load(slope + j);
            sum[1] += load_doubles(x + j + kLanes) * load(slope + j + kLanes);
        }
        for (; j + kLanes <= cols; j += kLanes) sum[0] += load_doubles(x + j) * load(slope + j);
        double total = sum_lanes(Vec(sum[0] + sum[1]));
        for (; j < cols; ++j) total += static_cast<double>(x[j]) * slope[j];
        return total;
    }

    // slope += by · row
    void add(std::size_t i, double by, double* slope) const {
        const T* x = row(i);
        const Vec all = broadcast(by);
        std::size_t j = 0;
        for (; j + kLanes <= cols; j += kLanes) store(slope + j, load(slope + j) + all * load_doubles(x + j));
        for (; j < cols; ++j) slope[j] += by * static_cast<double>(x[j]);
    }

    // body(column) of every cell that is stored
    template <class Body>
    void each(std::size_t, Body body) const {
        for (std::size_t j = 0; j < cols; ++j) body(j);
    }

    double squared(std::size_t i) const {
        const T* x = row(i);
        double total = 0;
        for (std::size_t j = 0; j < cols; ++j) total += static_cast<double>(x[j]) * static_cast<double>(x[j]);
        return total;
    }

    double cells() const { return static_cast<double>(rows) * static_cast<double>(cols); }

    // Whether to add nothing takes less time than to find out that it is nothing.
    bool is_short() const { return cols <= 16; }
};

template <class T, class I>
struct SparseRows {
    Csr<T, I> x;
    std::size_t rows, cols;

    void fetch(std::size_t i) const {
        const I begin = x.starts[i], end = x.starts[i + 1];
        for (I p = begin; p < end && p < begin + 64; p += 8) {
            __builtin_prefetch(x.data + p);
            __builtin_prefetch(x.indices + p);
        }
    }

    double dot(std::size_t i, const double* slope) const {
        double sum[4] = {};
        const I end = x.starts[i + 1];
        I p = x.starts[i];
        for (; p + 4 <= end; p += 4)
            for (I l = 0; l < 4; ++l) sum[l] += static_cast<double>(x.data[p + l]) * slope[x.indices[p + l]];
        for (; p < end; ++p) sum[0] += static_cast<double>(x.data[p]) * slope[x.indices[p]];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    void add(std::size_t i, double by, double* slope) const {
        for (I p = x.starts[i]; p < x.starts[i + 1]; ++p) slope[x.indices[p]] += by * static_cast<double>(x.data[p]);
    }

    template <class Body>
    void each(std::size_t i, Body body) const {
        for (I p = x.starts[i]; p < x.starts[i + 1]; ++p) body(static_cast<std::size_t>(x.indices[p]));
    }

    double squared(std::size_t i) const {
        double total = 0;
        for (I p = x.starts[i]; p < x.starts[i + 1]; ++p)
            total += static_cast<double>(x.data[p]) * static_cast<double>(x.data[p]);
        return total;
    }

    double cells() const { return static_cast<double>(x.starts[x.rows]); }
    bool is_short() const { return false; }
};

}  // namespace suffice
