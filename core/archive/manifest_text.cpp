#include <google/protobuf/stubs/common.h>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/manifest.h"
#include "core/archive/manifest.pb.h"

namespace strata {

std::string manifestText(const Manifest& manifest) {
  archive::Manifest message;
  const auto bytes = encodeMessage(manifest, Offsets::AsTheyAre);
  if (!bytes || !message.ParseFromString(*bytes)) return {};
  return message.Utf8DebugString();
}

std::string protobufVersion() {
  return google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
}

}  // namespace strata
