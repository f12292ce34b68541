#include "cli/views/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/text/wording.h"

namespace strata::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kLinePause = 30s;
constexpr auto kEventPause = 1s;
constexpr std::size_t kBarCells = 20;

double share(const Progress& progress) noexcept {
  if (progress.totalBytes == 0) return 0;
  return std::min(
      1.0, static_cast<double>(progress.doneBytes) / static_cast<double>(progress.totalBytes));
}

/// "encoding" as a title: "Encoding".
std::string title(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string barText(double done) {
  const auto full = static_cast<std::size_t>(done * static_cast<double>(kBarCells));
  return "[" + std::string(full, '#') + std::string(kBarCells - full, '-') + "]";
}

}  // namespace

ProgressStyle progressStyle(const Output& output, std::string_view wish) {
  if (wish == "never" || output.mode() == OutputMode::Quiet) return ProgressStyle::None;
  if (output.isJson()) return ProgressStyle::Events;
  return output.err().isTty || wish == "always" ? ProgressStyle::Bar : ProgressStyle::Lines;
}

ProgressDisplay::ProgressDisplay(Output& output, ProgressStyle style)
    : output_(output), style_(style) {}

ProgressDisplay::~ProgressDisplay() { pause(); }

ProgressSink ProgressDisplay::sink() {
  if (style_ == ProgressStyle::None) return {};
  return [this](const Progress& progress) { show(progress); };
}

void ProgressDisplay::begin() {
  const std::lock_guard lock(mutex_);
  phase_.clear();
}

void ProgressDisplay::pause() {
  const std::lock_guard lock(mutex_);
  if (!barIsDrawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  barIsDrawn_ = false;
}

void ProgressDisplay::show(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const bool isNewPhase = progress.phase != phase_;
  if (isNewPhase) {
    phase_ = progress.phase;
    phaseStart_ = now;
  }
  if (style_ == ProgressStyle::Bar) {
    drawBar(progress, secondsLeft(progress));
    return;
  }
  const auto pause = style_ == ProgressStyle::Events ? Clock::duration(kEventPause) : kLinePause;
  if (!isNewPhase && now - lastShown_ < pause) return;
  lastShown_ = now;
  style_ == ProgressStyle::Events ? printEvent(progress) : printLine(progress, isNewPhase);
}

double ProgressDisplay::secondsLeft(const Progress& progress) const {
  const double done = share(progress);
  const double spent = std::chrono::duration<double>(Clock::now() - phaseStart_).count();
  if (done <= 0 || spent < 1) return 0;
  return spent * (1 - done) / done;
}

void ProgressDisplay::drawBar(const Progress& progress, double secondsLeft) {
  const double done = share(progress);
  std::string left;
  if (secondsLeft >= 1) left = "  " + wordDuration(secondsLeft) + " left";
  std::string text =
      fmt::format("{:<9} {} {:3.0f} %", title(progress.phase), barText(done), done * 100);
  const std::size_t width = output_.err().width == 0 ? 80 : output_.err().width;
  const std::size_t used = text.size() + left.size() + 3;
  if (used + 8 < width) text += "  " + elided(printable(progress.item), width - used);
  text += left;
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  std::fflush(stderr);
  barIsDrawn_ = true;
}

void ProgressDisplay::printLine(const Progress& progress, bool isNewPhase) {
  std::string text = title(progress.phase) + "  ";
  if (isNewPhase) {
    text += wordBytes(progress.totalBytes);
  } else {
    text += fmt::format("{:.0f} %  {}", share(progress) * 100, printable(progress.item));
  }
  std::fprintf(stderr, "%s\n", text.c_str());
}

void ProgressDisplay::printEvent(const Progress& progress) {
  output_.event("progress", {{"item", progress.item},
                             {"phase", progress.phase},
                             {"done", progress.doneBytes},
                             {"total", progress.totalBytes}});
}

}  // namespace strata::cli
