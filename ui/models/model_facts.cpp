#include "ui/models/model_facts.h"

#include <QDir>
#include <QFileInfo>

#include "core/store/source_bytes.h"
#include "ui/base/format.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

QString modelTitle(const ModelInfo& model) {
    // A path that ends in a separator has no file name.
    const QString name =
        QFileInfo(QDir::cleanPath(QString::fromStdString(model.path.string()))).fileName();
    return name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) ? name.chopped(5) : name;
}

QString modelFacts(const ModelInfo& model) {
    const ModelConfig& config = model.config;
    SourceBytes source;
    for (const LayerInfo& layer : model.layers) {
        source.add(layer.storedDtype, layer.storedBytes);
    }
    const QString dense = formatBytes(2 * static_cast<double>(model.layerParameters));
    const QString bytes = source.known()
                              ? Words::tr("Linear layers: %1 here (%2), %3 as bf16")
                                    .arg(formatBytes(static_cast<double>(source.bytes())),
                                         QString::fromStdString(source.types()), dense)
                              : Words::tr("Linear layers: %1 as bf16").arg(dense);
    return Words::tr(
               "%1 · %2 · %3 parameters · %4\n%5 blocks · width %6 · feed-forward %7 · "
               "%8 heads (%9 KV)")
               .arg(QString::fromStdString(config.architecture),
                    QString::fromStdString(model.format),
                    formatMillions(static_cast<double>(model.parameters)),
                    formatBytes(static_cast<double>(model.totalBytes)))
               .arg(config.blocks)
               .arg(formatCount(config.hiddenSize), formatCount(config.intermediateSize))
               .arg(config.heads)
               .arg(config.keyValueHeads) +
           QLatin1Char('\n') + bytes;
}

}  // namespace cospadi::ui
