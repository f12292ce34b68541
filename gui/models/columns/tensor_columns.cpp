#include "gui/models/columns/tensor_columns.h"

#include <QCoreApplication>

#include "core/archive/word_values.h"
#include "core/text/wording.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::TensorTable)
};

using Row = const TensorRow&;

QString stateText(TensorState state) {
  switch (state) {
    case TensorState::Same:
      return Words::tr("same");
    case TensorState::Changed:
      return Words::tr("delta");
    case TensorState::New:
      return Words::tr("new");
  }
  return {};
}

QString ratioCell(Row row) {
  return row.state == TensorState::Same ? QStringLiteral("-") : ratioText(row.ratio());
}

}  // namespace

std::uint64_t elementsOf(const TensorRow& row) noexcept {
  std::uint64_t count = 1;
  for (const std::uint64_t side : row.shape) count *= side;
  return count;
}

double bitsOf(const TensorRow& row) noexcept {
  const auto count = static_cast<double>(elementsOf(row));
  return count == 0 ? 0 : 8.0 * static_cast<double>(row.storedBytes) / count;
}

TensorTable* makeTensorTable(QObject* parent) {
  auto* table = new TensorTable(
      {{Words::tr("Tensor"),
        {},
        false,
        [](Row row) { return text(row.name); },
        {},
        [](Row row) {
          return row.parentName.empty() || row.parentName == row.name
                     ? text(row.name)
                     : Words::tr("%1\nagainst %2").arg(text(row.name), text(row.parentName));
        }},
       {Words::tr("Type"), {}, false, [](Row row) { return text(name(row.type)); }},
       {Words::tr("Shape"),
        {},
        true,
        [](Row row) { return text(wordShape(row.shape)); },
        [](Row row) { return QVariant(static_cast<qulonglong>(elementsOf(row))); }},
       {Words::tr("Role"), Words::tr("The part the tensor plays, from the graph or its name"),
        false, [](Row row) { return text(name(row.kind)); }},
       {Words::tr("State"),
        Words::tr("Whether it is a difference to the parent's tensor, the "
                  "same, or new"),
        false, [](Row row) { return stateText(row.state); }},
       {Words::tr("Codec"), {}, false, [](Row row) { return text(row.codec); }},
       {Words::tr("Original"), Words::tr("Bytes in the model's file"), true,
        [](Row row) { return bytesText(row.originalBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.originalBytes)); },
        [](Row row) { return exactBytesText(row.originalBytes); }},
       {Words::tr("Stored"), Words::tr("Bytes in packs; the manifest's share is not counted"), true,
        [](Row row) { return bytesText(row.storedBytes); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.storedBytes)); },
        [](Row row) { return exactBytesText(row.storedBytes); }},
       {Words::tr("Bits"),
        Words::tr("Stored bits for each element: a mean after entropy coding, so it may be a "
                  "fraction"),
        true, [](Row row) { return decimalText(bitsOf(row), bitsOf(row) < 10 ? 2 : 1); },
        [](Row row) { return QVariant(bitsOf(row)); }},
       {Words::tr("Ratio"), Words::tr("Original / stored"), true, ratioCell,
        [](Row row) { return QVariant(row.ratio()); }},
       {Words::tr("Changed"),
        Words::tr("Share of elements that differ from the parent's"),
        true,
        [](Row row) {
          return row.state == TensorState::New ? QStringLiteral("-") : shareText(row.changedShare);
        },
        [](Row row) { return QVariant(row.changedShare); },
        {},
        [](Row row) { return row.state == TensorState::New ? 0.0 : row.changedShare; }},
       {Words::tr("Change"),
        Words::tr("L2 norm of the difference, relative to the parent's tensor; - for new tensors "
                  "and for integers and packed types"),
        true,
        [](Row row) {
          return row.state == TensorState::New || !hasDistance(row.type)
                     ? QStringLiteral("-")
                     : errorText(row.relativeChange);
        },
        [](Row row) { return QVariant(row.relativeChange); }}},
      parent);
  table->setFilterText([](Row row) {
    return text(row.name) + u' ' + text(name(row.kind)) + u' ' + stateText(row.state) + u' ' +
           text(row.codec);
  });
  return table;
}

}  // namespace strata::gui
