#include "gui/models/layer_bits.h"

#include <QHash>
#include <QStringList>

#include "gui/models/columns/tensor_columns.h"
#include "gui/models/wording.h"

namespace strata::gui {

QString layerOf(const QString& tensor) {
  const QChar separator = tensor.contains(u'/') ? u'/' : u'.';
  const QStringList parts = tensor.split(separator, Qt::SkipEmptyParts);
  for (qsizetype i = 0; i + 1 < parts.size(); ++i) {
    bool isNumber = false;
    (void)parts[i].toInt(&isNumber);
    if (isNumber) return parts.mid(0, i + 1).join(separator);
  }
  return parts.isEmpty() ? tensor : parts.front();
}

std::vector<LayerBits> bitsByLayer(const std::vector<TensorRow>& tensors) {
  std::vector<LayerBits> layers;
  QHash<QString, std::size_t> places;
  for (const TensorRow& tensor : tensors) {
    const QString name = layerOf(text(tensor.name));
    if (!places.contains(name)) {
      places.insert(name, layers.size());
      layers.push_back({.name = name});
    }
    LayerBits& layer = layers[places.value(name)];
    layer.elements += elementsOf(tensor);
    (tensor.state == TensorState::Same      ? layer.sameBytes
     : tensor.state == TensorState::Changed ? layer.deltaBytes
                                            : layer.newBytes) += tensor.storedBytes;
  }
  return layers;
}

}  // namespace strata::gui
