// The layers of a model as a tree, blocks → layers, with tri-state check boxes: which layers the
// next run compresses. Columns: layer, shape (d1 × d2), stored type, stored bytes.
#pragma once

#include <QAbstractItemModel>
#include <QVector>
#include <vector>

#include "core/model/layer_info.h"

namespace cospadi::ui {

class LayerTreeModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column { LayerColumn, ShapeColumn, TypeColumn, SizeColumn, ColumnCount };

    explicit LayerTreeModel(QObject* parent = nullptr);

    void setLayers(std::vector<LayerInfo> layers);  // forward order; all are checked
    const std::vector<LayerInfo>& layers() const { return m_layers; }

    const QVector<bool>& checked() const { return m_checked; }
    void setChecked(const QVector<bool>& checked);  // one entry a layer
    int checkedCount() const;

    // The layer of an index, or the first of a block's; nullptr for an invalid index.
    const LayerInfo* layerAt(const QModelIndex& index) const;
    QModelIndex indexOf(const QString& layerName) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  signals:
    void selectionChanged();  // some check box changed

  private:
    struct Block {
        std::int64_t number = 0;
        int first = 0;  // index into m_layers
        int count = 0;
    };
    // internalId: 0 for blocks, 1 + block row for layers.
    static bool isBlock(const QModelIndex& index) { return index.internalId() == 0; }
    int layerOf(const QModelIndex& index) const;
    Qt::CheckState blockState(const Block& block) const;
    QVariant blockData(const Block& block, int column, int role) const;
    QVariant layerData(int layer, int column, int role) const;

    std::vector<LayerInfo> m_layers;
    QVector<bool> m_checked;
    std::vector<Block> m_blocks;
};

}  // namespace cospadi::ui
