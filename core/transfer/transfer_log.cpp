#include "core/transfer/transfer_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/store/objects/object_hold.h"
#include "core/text/command_words.h"
#include "core/text/json_text.h"
#include "core/transfer/detail/claim_file.h"
#include "core/transfer/detail/transfer_row.h"
#include "core/transfer/remote_config.h"

namespace strata {
namespace {

using nlohmann::json;
using Direction = TransferRequest::Direction;
using State = TransferEntry::State;

constexpr std::array kStates{State::Waiting, State::Running, State::Interrupted, State::Failed};

bool flag(const json& options, const char* key) {
  const auto found = options.find(key);
  return found != options.end() && found->is_boolean() && found->get<bool>();
}

/// Nothing for a row of a kind that this program does not know.
std::optional<TransferEntry> entryOf(const TransferRow& row) {
  const auto references = parseJson(row.references, "a transfer");
  const auto options = parseJson(row.options, "a transfer");
  const auto state = std::find_if(kStates.begin(), kStates.end(),
                                  [&](State one) { return stateWord(one) == row.state; });
  const bool isKnown = row.direction == "push" || row.direction == "pull";
  if (!references || !references->is_array() || !options || !options->is_object() || !isKnown ||
      state == kStates.end()) {
    return std::nullopt;
  }
  TransferEntry entry{.id = row.id,
                      .request = {},
                      .state = *state,
                      .problem = row.problem,
                      .processId = row.processId,
                      .doneBytes = row.doneBytes,
                      .totalBytes = row.totalBytes,
                      .begunAt = row.begunAt,
                      .changedAt = row.changedAt};
  TransferRequest& request = entry.request;
  request.direction = row.direction == "push" ? Direction::Push : Direction::Pull;
  request.remote = row.remote;
  for (const json& reference : *references) {
    if (!reference.is_string()) return std::nullopt;
    request.references.push_back(reference.get<std::string>());
  }
  request.withBase = !flag(*options, "no_base");
  request.tags = !flag(*options, "no_tags");
  request.forceTags = flag(*options, "force_tags");
  request.renumber = flag(*options, "renumber");
  request.plain = flag(*options, "plain");
  request.makePublic = flag(*options, "public");
  request.message = textMember(*options, "message").value_or("");
  request.latest = static_cast<std::uint32_t>(countMember(*options, "latest").value_or(0));
  request.lazy = flag(*options, "lazy");
  request.packsOnly = flag(*options, "packs_only");
  return entry;
}

}  // namespace

std::string_view stateWord(State state) noexcept {
  switch (state) {
    case State::Waiting:
      return "waiting";
    case State::Running:
      return "running";
    case State::Failed:
      return "failed";
    case State::Interrupted:
      break;
  }
  return "interrupted";
}

StoreStatement statementOfTransfers(const std::string& url) {
  return StoreStatement::make("transfers with " + url, url, url);
}

TransferRow rowOf(const TransferRequest& request) {
  json options = json::object();
  const auto put = [&](const char* key, bool isOn) {
    if (isOn) options[key] = true;
  };
  put("no_base", !request.withBase);
  put("no_tags", !request.tags);
  put("force_tags", request.forceTags);
  put("renumber", request.renumber);
  put("plain", request.plain);
  put("public", request.makePublic);
  put("lazy", request.lazy);
  put("packs_only", request.packsOnly);
  if (!request.message.empty()) options["message"] = request.message;
  if (request.latest != 0) options["latest"] = request.latest;
  // Words of the command line need not be UTF-8.
  const auto text = [](const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  TransferRow row;
  row.direction = request.direction == Direction::Push ? "push" : "pull";
  row.remote = request.remote;
  row.references = text(json(request.references));
  row.options = text(options);
  return row;
}

Result<std::vector<TransferEntry>> listTransfers(const Store& store) {
  STRATA_TRY(const auto table, TransferTable::open(store.folder(), TransferTable::Access::Read));
  STRATA_TRY(const std::vector<TransferRow> rows, table->rows());
  const ClaimFile claims = ClaimFile::open(store, ClaimFile::Access::Read);
  std::vector<TransferEntry> entries;
  for (const TransferRow& row : rows) {
    std::optional<TransferEntry> entry = entryOf(row);
    if (!entry) continue;
    if (entry->isLive() && !claims.isTaken(row.id)) entry->state = State::Interrupted;
    entry->isConfirmed = isConfirmed(store, entry->request);
    entries.push_back(*std::move(entry));
  }
  return entries;
}

bool isConfirmed(const Store& store, const TransferRequest& request) {
  if (!isRemoteUrl(request.remote)) return true;
  const auto trusted = trustOf(store.folder());
  return trusted && trusted->confirms(statementOfTransfers(request.remote));
}

Result<void> checkConfirmed(const TransferEntry& entry) {
  if (entry.isConfirmed) return {};
  const bool isPush = entry.request.direction == Direction::Push;
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("transfer {}: only this store's catalog says that it goes {} {}, not you; "
                  "\"strata {} {}\" does",
                  entry.id, isPush ? "to" : "from", entry.request.remote, isPush ? "push" : "pull",
                  shellWord(entry.request.remote)));
}

Result<void> forgetTransfers(const Store& store, const std::vector<std::int64_t>& ids) {
  STRATA_TRY(const auto table, TransferTable::open(store.folder(), TransferTable::Access::Write));
  const ClaimFile claims = ClaimFile::open(store, ClaimFile::Access::Read);
  for (const std::int64_t id : ids) {
    if (!claims.isTaken(id)) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("transfer {} is running; stop it first", id));
  }
  STRATA_TRY(table->transact(kEndWaitMs, [&]() -> Result<void> {
    for (const std::int64_t id : ids) STRATA_TRY(table->erase(id));
    return {};
  }));
  for (const std::int64_t id : ids) ObjectHold::drop(store.folder(), id);
  return {};
}

}  // namespace strata
