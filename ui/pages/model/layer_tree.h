// The layers of the model as a tree that can be folded, with a cursor. What is in it, and which are
// ticked, is LayerTreeModel's.
#pragma once

#include <QTreeView>

namespace cospadi::ui {

class LayerTreeModel;

class LayerTree : public QTreeView {
    Q_OBJECT

  public:
    explicit LayerTree(LayerTreeModel* layers, QWidget* parent = nullptr);  // outlives it

    void startOver();  // the model has other layers: the first block is unfolded
    // The cursor onto this layer, where there is one of that name.
    void highlight(const QString& layer);

  signals:
    void highlightChanged();

  private:
    void evenNumbers();

    LayerTreeModel* m_layers;
};

}  // namespace cospadi::ui
