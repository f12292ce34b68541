#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "cli/output.h"
#include "core/progress.h"

namespace strata::cli {

/// How progress is shown.
enum class ProgressStyle {
  None,
  Bar,     ///< one line that is drawn anew, on a terminal
  Lines,   ///< a line for each phase and one every 30 seconds
  Events,  ///< events on stdout, at most one a second and one for each phase
};

/// Chooses the style from --progress (auto, always, never), the mode and the terminal.
ProgressStyle progressStyle(const Output& output, std::string_view wish);

/// Shows where a long job stands, on stderr. The bar is wiped when the display goes away or when
/// pause() is called. Safe to report to from any thread.
class ProgressDisplay {
 public:
  ProgressDisplay(Output& output, ProgressStyle style);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// Borrows the display.
  ProgressSink sink();
  /// Another job begins: its first phase is a new one, whatever the last one was.
  void begin();
  /// Wipes the bar, before other lines are printed.
  void pause();

 private:
  using Clock = std::chrono::steady_clock;

  void show(const Progress& progress);
  void drawBar(const Progress& progress, double secondsLeft);
  void printLine(const Progress& progress, bool isNewPhase);
  void printEvent(const Progress& progress);
  double secondsLeft(const Progress& progress) const;

  Output& output_;
  ProgressStyle style_;
  std::mutex mutex_;  // guards the rest
  std::string phase_;
  Clock::time_point phaseStart_;
  Clock::time_point lastShown_;
  bool barIsDrawn_ = false;
};

}  // namespace strata::cli
