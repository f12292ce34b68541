#include "core/transfer/transport.h"

namespace strata {

Result<void> Transport::checkSpace(std::uint64_t /*byteCount*/) { return {}; }

Result<PlainPlan> Transport::planPlain(const PlainSet& plain, std::stop_token /*stop*/) {
  if (plain.files.empty()) return PlainPlan{};
  return fail(ErrorCode::Unsupported, url() + ": plain files have no place there");
}

Result<void> Transport::putPlain(const PlainFile& file, const ObjectSource& /*source*/,
                                 std::stop_token /*stop*/, const TransferMeter& /*meter*/) {
  return fail(ErrorCode::Unsupported, url() + ": takes no plain files such as " + file.path);
}

Result<std::size_t> Transport::abandonUploads(std::stop_token /*stop*/) { return 0; }

}  // namespace strata
