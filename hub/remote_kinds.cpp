#include "hub/remote_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hub/folder/open_folder.h"
#include "hub/huggingface/open_hf.h"
#include "hub/oci/open_oci.h"
#include "hub/s3/open_s3.h"

namespace strata::hub {
namespace {

constexpr std::array kKinds{RemoteKind{"hf://", "hf://ORG/REPO", openHfTransport},
                            RemoteKind{"oci://", "oci://HOST/REPO", openOci},
                            RemoteKind{"s3://", "s3://BUCKET/PREFIX", openS3},
                            RemoteKind{"file://", "file:///FOLDER", openFolder}};

/// "A, B or C"
std::string examples() {
  std::string text;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (i > 0) text += i + 1 < kKinds.size() ? ", " : " or ";
    text += kKinds[i].example;
  }
  return text;
}

}  // namespace

Result<const RemoteKind*> kindOfRemote(std::string_view url) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const RemoteKind& kind) {
    return url.starts_with(kind.scheme) && url.size() > kind.scheme.size();
  });
  if (found != kKinds.end()) return &*found;
  return fail(ErrorCode::InvalidArgument, fmt::format("{}: expected {}", url, examples()));
}

}  // namespace strata::hub
