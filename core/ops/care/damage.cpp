#include "core/ops/care/damage.h"

namespace strata {

std::string_view name(Damage::Kind kind) noexcept {
  switch (kind) {
    case Damage::Kind::Pack:
      return "pack";
    case Damage::Kind::ManifestObject:
      return "manifest";
    case Damage::Kind::Ref:
      return "ref";
    case Damage::Kind::Catalog:
      return "catalog";
    case Damage::Kind::Version:
      return "version";
    case Damage::Kind::Parent:
      return "parent";
    case Damage::Kind::Place:
      return "place";
    case Damage::Kind::Folder:
      return "folder";
    case Damage::Kind::Remote:
      return "remote";
    case Damage::Kind::Parity:
      return "parity";
  }
  return "object";
}

}  // namespace strata
