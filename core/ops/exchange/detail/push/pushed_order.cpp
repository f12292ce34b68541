#include "core/ops/exchange/detail/push/pushed_order.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/ops/exchange/detail/kept/remote_file.h"
#include "core/store/asked_remotes.h"
#include "core/store/store_writer.h"
#include "core/transfer/transfer_log.h"

namespace strata {

void PushedOrder::place(const VersionEntry& version, std::uint32_t number) {
  placed_.try_emplace(version.contentDigest, Placed{version.name, version.number, number});
}

const PushedOrder::Placed* PushedOrder::parentAbove(const RemoteVersion& version,
                                                    std::uint32_t numberHere) const {
  if (!version.parentDigest || version.ref.isUnlisted) return nullptr;
  const auto parent = placed_.find(*version.parentDigest);
  if (parent == placed_.end() || parent->second.name != version.ref.name) return nullptr;
  const Placed& one = parent->second;
  return one.here < numberHere && one.there > version.ref.number ? &one : nullptr;
}

bool PushedOrder::isBelowParent(const PlannedPush& item) const {
  return parentAbove(item.version, item.entry.number) != nullptr;
}

std::vector<PushReport::Turned> PushedOrder::turned(const std::vector<PlannedPush>& items,
                                                    const RemoteLibrary& library,
                                                    const VersionMatching& matching) const {
  std::vector<PushReport::Turned> turned;
  const auto note = [&](const RemoteVersion& version, std::uint32_t numberHere) {
    const Placed* const parent = parentAbove(version, numberHere);
    if (parent == nullptr) return;
    turned.push_back({version.ref.label(), fmt::format("{}:v{}", parent->name, parent->there)});
  };
  std::set<Digest> going;
  for (const PlannedPush& item : items) {
    note(item.version, item.entry.number);
    if (!item.version.ref.isUnlisted) going.insert(item.entry.contentDigest);
  }
  for (const RemoteVersion& version : library.versions) {
    const bool getsParent = version.parentDigest && going.contains(*version.parentDigest);
    const VersionEntry* const here = getsParent ? matching.here(version) : nullptr;
    if (here != nullptr) note(version, here->number);
  }
  return turned;
}

namespace {

/// What becomes of a version that has another number there; nothing where it keeps its number.
Result<std::optional<StoreWriter::Renumbering>> renumberingOf(const StoreWriter& writer,
                                                              const AskedRemotes& asked,
                                                              const std::string& place,
                                                              const PushReport::Renumbered& one) {
  const VersionEntry& version = one.version;
  const NumberStep step{version.name, version.contentDigest, version.number, one.remoteNumber};
  STRATA_TRY(const auto now, writer.catalog().version(step.name, step.from));
  const bool isIt = now && now->contentDigest == step.contentDigest;
  if (!isIt || asked.isElsewhere(place, step.name, step.from, step.contentDigest)) {
    return std::nullopt;
  }
  STRATA_TRY(const bool mayTake, writer.mayTake(step));
  if (!mayTake) return std::nullopt;
  return StoreWriter::Renumbering{step, one.other};
}

/// What pushes that are not over go on by: by a number that a version left, they would find none,
/// or what a pull brought under it.
Result<std::set<std::string>> wordsOfPushes(const Store& store) {
  STRATA_TRY(const std::vector<TransferEntry> transfers, listTransfers(store));
  std::set<std::string> words;
  for (const TransferEntry& one : transfers) {
    const TransferRequest& request = one.request;
    if (request.direction != TransferRequest::Direction::Push) continue;
    words.insert(request.references.begin(), request.references.end());
  }
  return words;
}

Result<void> takeNumbers(StoreWriter& writer, const std::string& place,
                         std::vector<PushReport::Renumbered>& all) {
  STRATA_TRY(const std::set<std::string> named, wordsOfPushes(writer.store()));
  STRATA_TRY(const AskedRemotes asked, AskedRemotes::load(writer.store().folder()));
  std::vector<StoreWriter::Renumbering> taken;
  std::vector<PushReport::Renumbered*> said;
  for (PushReport::Renumbered& one : all) {
    if (named.contains(one.version.label())) continue;
    STRATA_TRY(auto renumbering, renumberingOf(writer, asked, place, one));
    if (!renumbering) continue;
    taken.push_back(*std::move(renumbering));
    said.push_back(&one);
  }
  if (taken.empty()) return {};
  STRATA_TRY(writer.renumberVersions(taken));
  for (PushReport::Renumbered* const one : said) one->isHereToo = true;
  return {};
}

}  // namespace

void takeNumbers(Store& store, const std::string& keptAs, PushReport& report,
                 const std::stop_token& stop) {
  if (report.renumbered.empty()) return;
  const auto take = [&]() -> Result<void> {
    STRATA_TRY(const std::unique_ptr<StoreWriter> writer, store.lock("push", stop));
    return takeNumbers(*writer, placeOf(store.folder(), keptAs), report.renumbered);
  };
  const Result<void> taken = take();
  if (taken) return;
  report.failed.push_back(
      {"the new numbers", taken.error().within("they are not taken here"), true});
}

}  // namespace strata
