#include "ui/pages/model/layer_tree.h"

#include <QHeaderView>
#include <algorithm>

#include "ui/base/font_units.h"
#include "ui/models/layer_tree_model.h"

namespace cospadi::ui {

LayerTree::LayerTree(LayerTreeModel* layers, QWidget* parent)
    : QTreeView(parent), m_layers(layers) {
    setObjectName(QStringLiteral("layerTree"));
    setAccessibleName(tr("Layers of the model"));
    setModel(layers);
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(charactersWide(font(), 6.5));
    connect(this, &QTreeView::expanded, this, &LayerTree::evenNumbers);
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this,
            &LayerTree::highlightChanged);
}

void LayerTree::startOver() {
    header()->setSectionResizeMode(LayerTreeModel::LayerColumn, QHeaderView::Stretch);
    header()->setSectionResizeMode(LayerTreeModel::TypeColumn, QHeaderView::ResizeToContents);
    expand(m_layers->index(0, 0));
    evenNumbers();
    setCurrentIndex(m_layers->index(0, 0, m_layers->index(0, 0)));
}

// Numbers share one width, that of the broadest which is unfolded.
void LayerTree::evenNumbers() {
    constexpr int kAround = 10;  // pixels
    int widest = 0;
    for (const int column : {LayerTreeModel::ShapeColumn, LayerTreeModel::SizeColumn}) {
        widest = std::max({widest, sizeHintForColumn(column), header()->sectionSizeHint(column)});
    }
    for (const int column : {LayerTreeModel::ShapeColumn, LayerTreeModel::SizeColumn}) {
        header()->setSectionResizeMode(column, QHeaderView::Fixed);
        header()->resizeSection(column, widest + kAround);
    }
}

void LayerTree::highlight(const QString& layer) {
    const QModelIndex place = m_layers->indexOf(layer);
    if (place.isValid()) {
        expand(place.parent());
        setCurrentIndex(place);
        scrollTo(place);
    }
}

}  // namespace cospadi::ui
