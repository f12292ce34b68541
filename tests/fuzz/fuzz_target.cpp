#include "tests/fuzz/fuzz_target.h"

#include <array>

namespace strata::test {

std::span<const NamedTarget> fuzzTargets() {
  static constexpr std::array kTargets{
      NamedTarget{"answer", &makeAnswerTarget},
      NamedTarget{"archive", &makeArchiveTarget},
      NamedTarget{"bundle", &makeBundleTarget},
      NamedTarget{"catalog", &makeCatalogTarget},
      NamedTarget{"checkpoint", &makeCheckpointTarget},
      NamedTarget{"evaluator", &makeEvaluatorTarget},
      NamedTarget{"external", &makeExternalTarget},
      NamedTarget{"folder", &makeFolderTarget},
      NamedTarget{"hub", &makeHubTarget},
      NamedTarget{"lfs", &makeLfsTarget},
      NamedTarget{"manifest", &makeManifestTarget},
      NamedTarget{"model", &makeModelTarget},
      NamedTarget{"oci", &makeOciTarget},
      NamedTarget{"pack", &makePackTarget},
      NamedTarget{"payload", &makePayloadTarget},
      NamedTarget{"ref", &makeRefTarget},
      NamedTarget{"request", &makeRequestTarget},
      NamedTarget{"s3", &makeS3Target},
      NamedTarget{"settings", &makeSettingsTarget},
  };
  return kTargets;
}

std::string brokenBy(const Error& error) {
  return error.code == ErrorCode::Internal ? "an internal error: " + error.message : std::string();
}

}  // namespace strata::test
