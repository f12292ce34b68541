#include "core/transfer/transport.h"

#include <utility>

namespace strata {

Result<ObjectsThere> Transport::has(std::span<const RemoteObject> objects, std::stop_token stop) {
  STRATA_TRY(const ObjectSizes sizes, sizesOf(objects, stop));
  ObjectsThere there;
  for (const RemoteObject& object : objects) {
    const auto size = sizes.find(object.digest);
    if (size != sizes.end() && size->second == object.byteCount) there.kept.insert(object.digest);
  }
  there.visible = there.kept;
  return there;
}

Result<void> Transport::replace(const RemoteObject& object, const ObjectSource& /*source*/,
                                std::stop_token /*stop*/, const TransferMeter& /*meter*/) {
  return fail(ErrorCode::Unsupported,
              url() + ": takes no other bytes for object " + toHex(object.digest));
}

Result<void> Transport::checkSpace(std::uint64_t /*byteCount*/) { return {}; }

Result<PlainPlan> Transport::planPlain(const PlainSet& plain, std::stop_token /*stop*/) {
  if (plain.files.empty()) return PlainPlan{};
  return fail(ErrorCode::Unsupported, url() + ": plain files have no place there");
}

Result<void> Transport::putPlain(const PlainFile& file, const ObjectSource& /*source*/,
                                 std::stop_token /*stop*/, const TransferMeter& /*meter*/) {
  return fail(ErrorCode::Unsupported, url() + ": takes no plain files such as " + file.path);
}

Result<std::vector<StockedObject>> Transport::listObjects(std::stop_token /*stop*/) {
  return fail(ErrorCode::Unsupported, url() + ": its objects cannot be listed");
}

Result<std::size_t> Transport::clearScratch(std::int64_t /*changedBy*/, ScratchWish /*wish*/,
                                            std::stop_token /*stop*/) {
  return 0;
}

Result<Sweep> Transport::sweep(const RefListing& /*seen*/, std::span<const Digest> /*objects*/,
                               std::stop_token /*stop*/) {
  return fail(ErrorCode::Unsupported, url() + ": its objects cannot be deleted");
}

void Transport::know(const RefListing& /*listing*/) {}

Result<std::optional<RefListing>> Transport::listOf(std::uint64_t /*number*/,
                                                    std::stop_token /*stop*/) {
  return std::nullopt;
}

Result<std::optional<std::string>> Transport::listBytes(std::uint64_t /*number*/,
                                                        std::stop_token /*stop*/) {
  return std::nullopt;
}

Result<bool> Transport::stillLists(const RefListing& /*head*/, std::stop_token /*stop*/) {
  return false;
}

Result<RefListing> Transport::salvageRefs(std::stop_token stop) {
  return readRefs(std::move(stop));
}

std::optional<RefListing> Transport::written() { return std::nullopt; }

Result<void> Transport::checkList(std::stop_token /*stop*/) { return {}; }

Result<void> Transport::awaitSweep(std::stop_token /*stop*/) { return {}; }

Result<std::size_t> Transport::abandonUploads(std::stop_token /*stop*/) { return 0; }

}  // namespace strata
