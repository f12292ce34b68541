#pragma once

#include <QString>
#include <vector>

#include "core/ops/inspect/show_version.h"

namespace strata::gui {

/// What the tensors of one layer take in the store.
struct LayerBits {
  QString name;  ///< "layer.3", or the first parts of the names
  std::uint64_t elements = 0;
  std::uint64_t sameBytes = 0;   ///< stored for tensors equal to the parent's
  std::uint64_t deltaBytes = 0;  ///< for differences
  std::uint64_t newBytes = 0;    ///< for new tensors

  std::uint64_t storedBytes() const noexcept { return sameBytes + deltaBytes + newBytes; }
  /// Mean stored bits for each element.
  double bits() const noexcept {
    return elements == 0 ? 0
                         : 8.0 * static_cast<double>(storedBytes()) / static_cast<double>(elements);
  }
};

/// Tensors by layer, in the order of the file. A layer is the name up to and with its first number
/// ("encoder.layer.3"), or its first part where there is none.
std::vector<LayerBits> bitsByLayer(const std::vector<TensorRow>& tensors);

/// The layer that a tensor's name belongs to.
QString layerOf(const QString& tensor);

}  // namespace strata::gui
