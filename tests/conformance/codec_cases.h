#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/codec/exact/sized_codec.h"
#include "tests/support/part_samples.h"

namespace strata::test {

/// A codec of the registry and a kind of words.
struct CodecCase {
  CodecId codec;
  ElementType type;
};

inline std::string nameOf(const CodecCase& c) {
  return std::string(name(c.codec)) + "_" + std::string(name(c.type));
}

/// Every codec with every word format that it takes.
inline std::vector<CodecCase> everyCodecCase() {
  std::vector<CodecCase> cases;
  for (const CodecId codec : payloadCodecs()) {
    for (const ElementType type : typesOfEveryWordFormat()) {
      if (needsParent(codec) && !deltaCodable(wordFormat(type))) continue;
      if (codec == CodecId::Sized && !sizedCodable(wordFormat(type))) continue;
      cases.push_back({codec, type});
    }
  }
  return cases;
}

inline std::string caseName(const ::testing::TestParamInfo<CodecCase>& info) {
  return nameOf(info.param);
}

inline PartShape shapeOf(ElementType type, std::uint64_t rows, std::uint64_t columns) {
  return {wordFormat(type), rows, columns};
}

/// SHA-256 over the payloads of many samples: the same whatever the set of kernels.
std::string payloadDigest();

}  // namespace strata::test
