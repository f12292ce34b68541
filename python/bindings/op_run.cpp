#include "python/bindings/op_run.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace strata::python {
namespace {

/// Between two looks at signals. News and the end of the work come at once.
constexpr std::chrono::milliseconds kBetweenLooks(50);
/// For operations to end before the interpreter does.
constexpr std::chrono::seconds kLongestEnd(20);

/// What the worker tells the thread that waits.
class News {
 public:
  void report(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    newest_ = progress;
    changed_.notify_one();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    isOver_ = true;
    changed_.notify_one();
  }

  /// Waits for a while. Answers whether the work is over, and takes the newest report.
  bool wait(std::optional<Progress>& newest) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kBetweenLooks, [this] { return isOver_ || newest_.has_value(); });
    newest = std::exchange(newest_, std::nullopt);
    return isOver_;
  }

 private:
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::optional<Progress> newest_;
  bool isOver_ = false;
};

/// The operations that are under way, of all threads. Python has one end for all of them: a daemon
/// thread that comes back from its work after that would take the process down with it.
class Running {
 public:
  /// Throws once the interpreter is about to end.
  void enter(const std::stop_source& stop) {
    {
      const std::lock_guard lock(mutex_);
      if (!isEnding_) return stops_.push_back(stop);
    }
    throwError({ErrorCode::Cancelled, "the interpreter is about to end"});
  }

  void leave(const std::stop_source& stop) {
    const std::lock_guard lock(mutex_);
    std::erase(stops_, stop);
    left_.notify_all();
  }

  /// Stops all of them, and waits for their ends, though not for callbacks that never return.
  void end() {
    std::unique_lock lock(mutex_);
    isEnding_ = true;
    for (std::stop_source& stop : stops_) stop.request_stop();
    left_.wait_for(lock, kLongestEnd, [this] { return stops_.empty(); });
  }

 private:
  std::mutex mutex_;  // guards all below
  std::condition_variable left_;
  std::vector<std::stop_source> stops_;
  bool isEnding_ = false;
};

/// Never deleted: threads may outlive what is static. A forked child, which has none of the
/// threads, gets a new one.
Running*& running() {
  static auto* one = new Running;
  return one;
}

/// While it lives, an operation is under way.
class Entered {
 public:
  explicit Entered(std::stop_source stop) : stop_(std::move(stop)) { running()->enter(stop_); }
  ~Entered() { running()->leave(stop_); }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  std::stop_source stop_;
};

/// Handles signals and tells the callback. Throws what either raises.
void attend(nb::handle callback, const std::optional<Progress>& newest) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!newest) return;
  callback(textOf(newest->phase), textOf(newest->item), newest->doneBytes, newest->totalBytes);
}

}  // namespace

void runInterruptibly(nb::handle progress,
                      const std::function<void(std::stop_token, const ProgressSink&)>& work) {
  News news;
  std::exception_ptr failure;  // of the worker, until it is joined
  std::exception_ptr interruption;
  ProgressSink sink;
  if (!progress.is_none()) sink = [&news](const Progress& report) { news.report(report); };
  std::jthread worker([&](const std::stop_token& stop) {
    try {
      work(stop, sink);
    } catch (...) {
      failure = std::current_exception();
    }
    news.end();
  });
  const Entered entered(worker.get_stop_source());
  for (bool isOver = false; !isOver;) {
    std::optional<Progress> newest;
    {
      const nb::gil_scoped_release released;
      isOver = news.wait(newest);
    }
    if (interruption) continue;
    try {
      attend(progress, newest);
    } catch (...) {
      interruption = std::current_exception();
      worker.request_stop();
    }
  }
  {
    const nb::gil_scoped_release released;
    worker.join();
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
}

void endRunning() {
  const nb::gil_scoped_release released;
  running()->end();
}

void forgetRunning() { running() = new Running; }

}  // namespace strata::python
