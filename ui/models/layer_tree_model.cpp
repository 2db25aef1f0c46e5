#include "ui/models/layer_tree_model.h"

#include <QFont>
#include <algorithm>

#include "ui/base/format.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

LayerTreeModel::LayerTreeModel(QObject* parent) : QAbstractItemModel(parent) {}

void LayerTreeModel::setLayers(std::vector<LayerInfo> layers) {
    beginResetModel();
    m_layers = std::move(layers);
    m_checked = QVector<bool>(static_cast<int>(m_layers.size()), true);
    m_blocks.clear();
    for (int i = 0; i < static_cast<int>(m_layers.size()); ++i) {
        const std::int64_t number = m_layers[static_cast<std::size_t>(i)].block;
        if (m_blocks.empty() || m_blocks.back().number != number) {
            m_blocks.push_back({number, i, 0});
        }
        ++m_blocks.back().count;
    }
    endResetModel();
    emit selectionChanged();
}

void LayerTreeModel::setChecked(const QVector<bool>& checked) {
    if (checked.size() != m_checked.size() || checked == m_checked) {
        return;
    }
    m_checked = checked;
    const int blocks = static_cast<int>(m_blocks.size());
    for (int row = 0; row < blocks; ++row) {
        const QModelIndex block = index(row, 0);
        emit dataChanged(index(0, 0, block), index(rowCount(block) - 1, 0, block),
                         {Qt::CheckStateRole});
    }
    emit dataChanged(index(0, 0), index(blocks - 1, 0), {Qt::CheckStateRole});
    emit selectionChanged();
}

int LayerTreeModel::checkedCount() const {
    return static_cast<int>(std::count(m_checked.begin(), m_checked.end(), true));
}

int LayerTreeModel::layerOf(const QModelIndex& index) const {
    return m_blocks[index.internalId() - 1].first + index.row();
}

const LayerInfo* LayerTreeModel::layerAt(const QModelIndex& index) const {
    if (!index.isValid()) {
        return nullptr;
    }
    const int layer =
        isBlock(index) ? m_blocks[static_cast<std::size_t>(index.row())].first : layerOf(index);
    return &m_layers[static_cast<std::size_t>(layer)];
}

QModelIndex LayerTreeModel::indexOf(const QString& layerName) const {
    for (int row = 0; row < static_cast<int>(m_blocks.size()); ++row) {
        const Block& block = m_blocks[static_cast<std::size_t>(row)];
        for (int i = 0; i < block.count; ++i) {
            if (m_layers[static_cast<std::size_t>(block.first) + static_cast<std::size_t>(i)]
                    .name == layerName.toStdString()) {
                return index(i, 0, index(row, 0));
            }
        }
    }
    return {};
}

QModelIndex LayerTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    return createIndex(row, column,
                       parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex LayerTreeModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || isBlock(index)) {
        return {};
    }
    return createIndex(static_cast<int>(index.internalId()) - 1, 0, quintptr{0});
}

int LayerTreeModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) {
        return static_cast<int>(m_blocks.size());
    }
    if (!isBlock(parent) || parent.column() != 0) {
        return 0;
    }
    return m_blocks[static_cast<std::size_t>(parent.row())].count;
}

int LayerTreeModel::columnCount(const QModelIndex& /*parent*/) const { return ColumnCount; }

Qt::CheckState LayerTreeModel::blockState(const Block& block) const {
    const auto begin = m_checked.begin() + block.first;
    const auto count = std::count(begin, begin + block.count, true);
    return count == 0 ? Qt::Unchecked : count == block.count ? Qt::Checked : Qt::PartiallyChecked;
}

QVariant LayerTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole && index.column() != LayerColumn) {
        return int(index.column() == TypeColumn ? Qt::AlignCenter
                                                : Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role == Qt::ForegroundRole && index.column() != LayerColumn) {
        return theme().muted;
    }
    return isBlock(index)
               ? blockData(m_blocks[static_cast<std::size_t>(index.row())], index.column(), role)
               : layerData(layerOf(index), index.column(), role);
}

QVariant LayerTreeModel::blockData(const Block& block, int column, int role) const {
    if (role == Qt::CheckStateRole && column == LayerColumn) {
        return blockState(block);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    if (column == LayerColumn) {
        return block.number < 0 ? tr("Outside the blocks") : tr("Block %1").arg(block.number);
    }
    if (column == ShapeColumn) {
        return tr("%n layer(s)", nullptr, static_cast<int>(block.count));
    }
    if (column == SizeColumn) {
        double bytes = 0;
        for (int i = 0; i < block.count; ++i) {
            bytes += static_cast<double>(
                m_layers[static_cast<std::size_t>(block.first) + static_cast<std::size_t>(i)]
                    .storedBytes);
        }
        return formatBytes(bytes);
    }
    return {};
}

QVariant LayerTreeModel::layerData(int layer, int column, int role) const {
    const LayerInfo& info = m_layers[static_cast<std::size_t>(layer)];
    if (role == Qt::CheckStateRole && column == LayerColumn) {
        return m_checked[layer] ? Qt::Checked : Qt::Unchecked;
    }
    if (role == Qt::ToolTipRole) {
        return tr("%1: %2 input × %3 output features, stored as %4 in %5")
            .arg(QString::fromStdString(info.name))
            .arg(info.d1)
            .arg(info.d2)
            .arg(QString::fromStdString(info.storedDtype),
                 formatBytes(static_cast<double>(info.storedBytes)));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
        case LayerColumn:
            return QString::fromStdString(info.kind);
        case ShapeColumn:
            return QStringLiteral("%1 × %2").arg(formatCount(info.d1), formatCount(info.d2));
        case TypeColumn:
            return QString::fromStdString(info.storedDtype);
        case SizeColumn:
            return formatBytes(static_cast<double>(info.storedBytes));
        default:
            return {};
    }
}

bool LayerTreeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole || index.column() != LayerColumn) {
        return false;
    }
    const bool on = value.toInt() != Qt::Unchecked;
    if (isBlock(index)) {
        const Block& block = m_blocks[static_cast<std::size_t>(index.row())];
        std::fill_n(m_checked.begin() + block.first, block.count, on);
        emit dataChanged(this->index(0, 0, index), this->index(block.count - 1, 0, index), {role});
        emit dataChanged(index, index, {role});
    } else {
        m_checked[layerOf(index)] = on;
        emit dataChanged(index, index, {role});
        emit dataChanged(index.parent(), index.parent(), {role});
    }
    emit selectionChanged();
    return true;
}

Qt::ItemFlags LayerTreeModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) {
        return Qt::NoItemFlags;
    }
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == LayerColumn) {
        flags |= Qt::ItemIsUserCheckable;
    }
    return isBlock(index) ? flags : flags | Qt::ItemNeverHasChildren;
}

QVariant LayerTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return {};
    }
    const QString titles[] = {tr("Layer"), tr("d₁ × d₂"), tr("Stored as"), tr("Size")};
    const QString tips[] = {tr("Linear layers by block; ticked ones are compressed"),
                            tr("Input features × output features: W is (d₁, d₂), Y = X W"),
                            tr("Number format in the model's file; the engine widens it to float"),
                            tr("Bytes in the model's file")};
    if (role == Qt::DisplayRole) {
        return titles[section];
    }
    if (role == Qt::ToolTipRole) {
        return tips[section];
    }
    if (role == Qt::TextAlignmentRole) {
        return int(section == LayerColumn  ? Qt::AlignLeft | Qt::AlignVCenter
                   : section == TypeColumn ? Qt::AlignCenter
                                           : Qt::AlignRight | Qt::AlignVCenter);
    }
    return {};
}

}  // namespace cospadi::ui
