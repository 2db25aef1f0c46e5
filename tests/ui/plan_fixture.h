// What the tests of the Plan page share: layers, and a panel in which they are chosen.
#pragma once

#include <QVector>
#include <vector>

#include "core/model/layer_info.h"
#include "ui/pages/plan/plan_panel.h"

namespace cospadi::ui {

// Of a small model, three a block.
inline std::vector<LayerInfo> plannedLayers(int blocks = 2) {
    std::vector<LayerInfo> layers;
    for (int block = 0; block < blocks; ++block) {
        for (const char* kind : {"attn_q", "attn_k", "ffn_up"}) {
            LayerInfo layer;
            layer.block = block;
            layer.kind = kind;
            layer.name = layerName(block, kind);
            layer.gramKey = layer.name;
            layer.d1 = 576;
            layer.d2 = 1536;
            layers.push_back(layer);
        }
    }
    return layers;
}

inline void chooseAllLayers(PlanPanel& panel) {
    const std::vector<LayerInfo> layers = plannedLayers();
    panel.setSelection(layers, QVector<bool>(static_cast<qsizetype>(layers.size()), true), nullptr,
                       1e6);
}

}  // namespace cospadi::ui
