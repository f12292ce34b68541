#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "core/store/catalog/catalog.h"
#include "core/store/objects/object_folder.h"

namespace strata {

/// How closely an object is looked at.
enum class ObjectCheck {
  Size,  ///< it is there with its size
  Hash,  ///< and its bytes have the SHA-256 that it is named by
};

/// What is wrong with an object, as in "is missing"; empty if nothing is. `hashed` is told of bytes
/// as they are hashed. Fails with Cancelled only.
Result<std::string> objectProblem(const ObjectFolder& objects, const CatalogObject& object,
                                  ObjectCheck check, const std::stop_token& stop,
                                  const std::function<void(std::uint64_t)>& hashed);

/// What is wrong with an object that the catalog lists, if anything. Of one that is sound but has
/// another size than the catalog says, that size: the hash tells which of the two is wrong.
struct ObjectFinding {
  std::string problem = {};
  std::uint64_t otherBytes = 0;
};
Result<ObjectFinding> checkListed(const ObjectFolder& objects, const CatalogObject& object,
                                  ObjectCheck check, const std::stop_token& stop,
                                  const std::function<void(std::uint64_t)>& hashed);

}  // namespace strata
