#include "core/transfer/signature_pack.h"

#include <utility>
#include <vector>

namespace strata {
namespace {

/// Some thirty signatures of small models.
constexpr std::size_t kFullPackBytes = std::size_t{256} << 10U;

class Packing {
 public:
  void add(RemoteVersion& version) {
    std::string& signature = version.ref.signature;
    if (signature.empty() || signature.size() > kMaxSignaturePackBytes) return;
    if (!bytes_.empty() && bytes_.size() + signature.size() > kFullPackBytes) end();
    version.signature = {{}, bytes_.size(), signature.size()};
    bytes_ += std::exchange(signature, {});
    members_.push_back(&version);
  }

  SignaturePacks take() {
    if (!bytes_.empty()) end();
    return std::move(packs_);
  }

 private:
  void end() {
    const RemoteObject object{sha256(std::as_bytes(std::span(bytes_))), bytes_.size(),
                              RemoteObject::Kind::Signatures};
    for (RemoteVersion* const member : members_) member->signature->object = object;
    packs_.emplace(object.digest, std::exchange(bytes_, {}));
    members_.clear();
  }

  std::string bytes_;
  std::vector<RemoteVersion*> members_;  ///< whose signatures are in `bytes_`
  SignaturePacks packs_;
};

}  // namespace

SignaturePacks packSignatures(std::span<RemoteVersion* const> versions) {
  Packing packing;
  for (RemoteVersion* const version : versions) packing.add(*version);
  return packing.take();
}

}  // namespace strata
