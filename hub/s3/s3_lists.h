#pragma once

#include <memory>

#include "hub/generation_lists.h"
#include "hub/s3/s3_claims.h"
#include "hub/s3/s3_client.h"

namespace strata::hub {

/// The lists of a remote in a bucket.
class S3ListPlace : public ListPlace {
 public:
  /// How writers keep apart, once that is known; before a list is written.
  virtual void setMode(ClaimMode mode) = 0;
};

/// `client` has to outlive it.
std::unique_ptr<S3ListPlace> makeS3Lists(S3Client& client);

}  // namespace strata::hub
