#include "core/quantize/exact_types.h"

#include "core/codec/lossy/lossy_codec.h"

namespace strata {

bool canQuantize(ElementType type) noexcept {
  return isQuantizable(wordFormat(type)) && type != ElementType::C64;
}

void ExactTypes::add(ElementType type) {
  if (canQuantize(type)) return;
  ++tensorCount;
  names.emplace(name(type));
}

}  // namespace strata
