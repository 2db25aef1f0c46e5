// From check boxes to the regular expression of a run specification, and back.
//
// The engine searches the expression in names such as blk.10.ffn_up; the functions here use the
// same LayerPattern, so that what the tree shows is what the engine will do.
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>
#include <vector>

#include "core/model/layer_info.h"

namespace cospadi::ui {

// The shortest honest expression that selects exactly the checked layers: `typed` where the user's
// own expression does; ".*" for all; "\.(attn_q|attn_k)$" for whole kinds; "^blk\.(0|1)\." for
// whole blocks; "^blk\.(0|1)\.(attn_q|attn_k)$" for kinds within blocks; otherwise an explicit
// anchored alternation. Empty where nothing is checked.
QString selectionRegex(const std::vector<LayerInfo>& layers, const QVector<bool>& checked,
                       const QString& typed = {});

struct RegexMatch {
    QVector<bool> matched;  // one entry a layer
    QString problem;        // why the expression is not valid; then nothing matches
};

RegexMatch matchLayers(const std::vector<LayerInfo>& layers, const QString& regex);

// q, k, v, o, gate, up, down for the canonical kinds; other kinds keep their name.
QString shortKind(const QString& kind);

// The kinds that occur, in the order of the first block.
QStringList kindsOf(const std::vector<LayerInfo>& layers);

}  // namespace cospadi::ui
