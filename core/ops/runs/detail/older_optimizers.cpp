#include "core/ops/runs/detail/older_optimizers.h"

#include <utility>

namespace strata {

void OlderOptimizers::leaveOut(const std::stop_token& stop, const ProgressSink& progress) {
  isSettled_ = true;
  if (!store_.catalog().newest(options_.run).value_or(std::nullopt)) return;
  const auto done = dropOptimizer(store_, options_, stop, progress);
  if (done) say(*done);
  const Error* const why = !done ? &done.error() : done->ended ? &*done->ended : nullptr;
  isSettled_ = why == nullptr;
  const bool isOver = why != nullptr && why->code == ErrorCode::Cancelled;
  isLeftOut_ = (isSettled_ || isOver) && !isAnyKept_;
  if (isSettled_) notes_.forget("optimizer");
  if (isSettled_ || isOver) return;
  notes_.sayOnce("optimizer", {.text = "older snapshots keep their optimizer: " + why->message});
}

void OlderOptimizers::say(const DropOptimizerReport& report) {
  options_.known.insert(report.passed.begin(), report.passed.end());
  for (const auto& one : report.dropped) {
    notes_.say({.kind = WatchEvent::Kind::Dropped, .dropped = &one});
  }
  for (const auto& one : report.kept) {
    isAnyKept_ = true;
    notes_.sayOnce("optimizer of " + one.label,
                   {.text = one.label + ": keeps its optimizer: " + one.why});
  }
}

}  // namespace strata
