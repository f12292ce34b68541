#pragma once

#include <array>
#include <string_view>

namespace strata {

/// What names of model files end in: the longer before the shorter that they end in, too.
inline constexpr std::array<std::string_view, 9> kModelEndings{".safetensors.index.json",
                                                               ".bin.index.json",
                                                               ".safetensors",
                                                               ".onnx",
                                                               ".pt",
                                                               ".pth",
                                                               ".bin",
                                                               ".ckpt",
                                                               ".npz"};

/// A file's name without the one of them that it ends in.
constexpr std::string_view withoutModelEnding(std::string_view name) noexcept {
  for (const std::string_view end : kModelEndings) {
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  }
  return name;
}

}  // namespace strata
