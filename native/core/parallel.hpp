// Work cut into stripes that do not depend on the number of threads, merged in order: the same bits for any
// number of threads. Threads live for one call; there is no global state, so forking is safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

namespace suffice {

struct Interrupted {};  // thrown to the caller of a kernel when the user asked to stop

struct Stripes {
    std::size_t rows;    // rows in all
    std::size_t height;  // rows of each stripe but the last

    // About 64 stripes, none smaller than `smallest` rows nor larger than 65,536.
    Stripes(std::size_t n, std::size_t smallest)
        : rows(n), height(std::clamp<std::size_t>((n + 63) / 64, smallest, std::max<std::size_t>(smallest, 65536))) {}

    std::size_t count() const { return rows == 0 ? 0 : (rows + height - 1) / height; }
    std::size_t begin(std::size_t s) const { return s * height; }
    std::size_t end(std::size_t s) const { return std::min(rows, (s + 1) * height); }
};

struct Runtime {
    int threads;             // at most this many, the caller included
    bool (*interrupted)();   // asks whether to stop; called on the calling thread only
};

// A thread costs some tens of microseconds, so it must have this many operations to do.
inline int useful_threads(const Runtime& runtime, std::size_t stripes, double operations) {
    const double worth = 1 + operations / 2e6;
    const double most = std::min<double>({static_cast<double>(runtime.threads), static_cast<double>(stripes), worth});
    return std::max(1, static_cast<int>(most));
}

// For threads that wait awake.
inline void breathe() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// For reductions whose stripes leave nothing to merge: no stripe waits for another.
struct NoMerge {};

// Calls work(s, scratch) for every stripe on several threads and merge(s, scratch) in the order of the stripes.
template <class MakeScratch, class Work, class Merge>
class StripedReduction {
  public:
    StripedReduction(std::size_t count, const Runtime& runtime, MakeScratch make, Work work, Merge merge)
        : count_(count), runtime_(runtime), make_(make), work_(work), merge_(merge) {}

    void run(int threads) {
        run_from(0, threads);
        if (error_) std::rethrow_exception(error_);
    }

  private:
    static constexpr std::size_t kTurns = 32;  // so many threads are woken one by one

    // Thread `at` starts two others before its own work: all of them run after log₂ as many starts.
    void run_from(int at, int threads) {
        std::thread helpers[2];
        try {
            for (int h = 0; h < 2 && 2 * at + 1 + h < threads; ++h)
                helpers[h] = std::thread([this, at, h, threads] { run_from(2 * at + 1 + h, threads); });
        } catch (const std::system_error&) {
            // The system gives no more threads: those that started do the work.
        }
        loop(at == 0);
        for (auto& helper : helpers)
            if (helper.joinable()) helper.join();
    }

    void loop(bool is_caller) {
        try {
            auto scratch = make_();
            for (std::size_t s = next_++; s < count_ && !stop_; s = next_++) {
                work_(s, scratch);
                if (is_caller) poll();
                if constexpr (!std::is_same_v<Merge, NoMerge>) {
                    if (!wait_for_turn(s, is_caller)) return;
                    merge_(s, scratch);
                }
                finish_turn();
            }
            if (is_caller) wait_for_turn(count_, true);
        } catch (...) {
            fail(std::current_exception());
        }
    }

    // Waits until every stripe before s is merged, awake for some microseconds, then asleep; false when the work was
    // stopped.
    bool wait_for_turn(std::size_t s, bool is_caller) {
        for (int spins = 0; spins < 400 && turn_ != s && !stop_; ++spins) breathe();
        if (turn_ == s) return !stop_;
        std::unique_lock lock(mutex_);
        ++sleeping_;
        while (turn_ != s && !stop_) {
            changed_[s % kTurns].wait_for(lock, std::chrono::milliseconds(20));
            if (is_caller) {
                lock.unlock();
                poll();
                lock.lock();
            }
        }
        --sleeping_;
        return !stop_;
    }

    void finish_turn() {
        bool wake;
        std::size_t next;
        {
            std::lock_guard lock(mutex_);
            next = ++turn_;
            wake = sleeping_ > 0;
        }
        if (wake) changed_[next % kTurns].notify_all();  // the thread whose turn it is, not all
    }

    void poll() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_poll_ < std::chrono::milliseconds(20)) return;
        last_poll_ = now;
        if (runtime_.interrupted()) throw Interrupted{};
    }

    void fail(std::exception_ptr error) {
        {
            std::lock_guard lock(mutex_);
            if (!error_) error_ = error;
            stop_ = true;
        }
        for (auto& turn : changed_) turn.notify_all();
    }

    const std::size_t count_;
    const Runtime& runtime_;
    MakeScratch make_;
    Work work_;
    Merge merge_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stop_{false};
    std::atomic<std::size_t> turn_{0};
    int sleeping_{0};
    std::exception_ptr error_;
    std::mutex mutex_;
    std::condition_variable changed_[kTurns];
    std::chrono::steady_clock::time_point last_poll_{std::chrono::steady_clock::now()};
};

template <class MakeScratch, class Work, class Merge>
void reduce_stripes(std::size_t count, double operations, const Runtime& runtime, MakeScratch make, Work work,
                    Merge merge) {
    StripedReduction<MakeScratch, Work, Merge> reduction(count, runtime, make, work, merge);
    reduction.run(useful_threads(runtime, count, operations));
}

// The same where each stripe writes what is its own.
template <class MakeScratch, class Work>
void for_stripes(std::size_t count, double operations, const Runtime& runtime, MakeScratch make, Work work) {
    reduce_stripes(count, operations, runtime, make, work, NoMerge{});
}

}  // namespace suffice
