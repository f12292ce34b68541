#include "core/ops/versions/write_report.h"

#include "core/io/special_file.h"
#include "core/io/text_file.h"
#include "core/store/store_location.h"

namespace strata {

Result<void> refuseReplacing(const std::filesystem::path& file) {
  std::error_code status;
  if (!std::filesystem::is_regular_file(file, status)) return {};
  return fail(ErrorCode::InvalidArgument, file.string() + ": already exists");
}

Result<void> writeReport(const std::filesystem::path& file, std::string_view bytes) {
  STRATA_TRY(refuseInsideStore(file));
  if (specialKind(file).empty() && !isOpenFile(file)) return writeTextFile(file, bytes);
  STRATA_TRY(StreamSink sink, StreamSink::open(file, {}));
  STRATA_TRY(sink.append(std::as_bytes(std::span(bytes))));
  return sink.finish();
}

}  // namespace strata
