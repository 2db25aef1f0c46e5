// Layers that share the first factor of what they store, a dictionary or a left factor: the paper's
// grouped CoSpaDi, Basis Sharing (arXiv 2410.03765). A unit of m layers is solved as one wide layer
//
//   W_G = [W_1 … W_m]  (d1, Σ d2),   in the metric of  G = (1/m) Σ G_l,
//
// so that its budget (eq 9–11), its work and its form are those of a layer of that shape, and the
// second factor falls into the layers' own columns. Layers whose inputs differ, but which write
// into the same space, share a dictionary over their outputs: the same of their transposes,
//
//   W_Gᵀ = [W_1ᵀ … W_mᵀ]  (d2, Σ d1),
//
// where each layer's columns stay in the metric of its own inputs and weigh as its relative error
// does. A layer of its own is a unit of one.
#pragma once

#include <string>
#include <vector>

#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

struct LayerUnit {
    std::vector<LayerInfo> layers;  // not empty, in forward order
    bool overOutputs = false;       // what is shared spans the outputs: all of one d2; else one d1

    bool isShared() const { return layers.size() > 1; }
    // Whether all read the same inputs, so that one Gram is that of each.
    bool hasOneInput() const;
    // The layer's name; of a shared one the first layer's and how many follow: "blk.0.attn_q+1".
    std::string id() const;
    // The unit as a layer: its id as name, d2 summed, or d1 where outputs share, and so the bytes.
    LayerInfo shape() const;
    // Columns of the second factor that are each layer's own: d2, or d1.
    std::vector<std::int64_t> widths() const;
};

// Whether a unit of this id is shared.
bool isSharedUnit(const std::string& id);

// What one of these methods' options says of groups: none; pairs, or a number of neighbouring
// blocks, kind by kind, attn_output and ffn_down alone, as Basis Sharing has it; kind; inputs (q, k
// and v; gate and up of a block), or inputs-N, those of N neighbouring blocks; all-N, these and
// attn_output with ffn_down, over their outputs; or the groups themselves,
// "blk.0.attn_q+blk.1.attn_q;…", over the outputs where widths of inputs differ.
// In a list by itself: the own options of a method that has no other. Or adaptive: pairs that a run
// finds before its first matrix (allocation/shared_pairs.h).
const std::vector<Option>& groupOptions();
// Names of options: of this one, and of that by which a method lets one choose in what metric they
// share; and its word for weighing layers as probes say.
inline constexpr const char* kGroups = "groups";
inline constexpr const char* kGroupMetric = "group_metric";
inline constexpr const char* kProbed = "probed";
bool groupsLayers(const MatrixOptions& options);
bool choosesGroups(const MatrixOptions& options);      // adaptive
bool sharesOverOutputs(const MatrixOptions& options);  // all-N, whatever layers are chosen
// With groups by name, each of two layers or more; none: no layer shares.
MatrixOptions withGroups(MatrixOptions options,
                         const std::vector<std::vector<std::string>>& groups);
// Whether pairs of blocks are made of such layers: not of attn_output and ffn_down, as published.
bool sharesBetweenBlocks(const LayerInfo& layer);
// For a layer that is a unit of one: where shapes or sides depend on it, as without groups.
MatrixOptions withoutGroups(MatrixOptions options);

// In forward order of their first layers. Throws Error naming the layers where a group has neither
// inputs nor outputs of one width, or outputs where the method shares over inputs alone, or more
// layers than the method can share between, and where a list names a
// layer that is not there, or one twice. Where groups are to be chosen, those of neighbouring
// blocks stand for them: shapes, and so bytes and work, are the same of any pairs.
std::vector<LayerUnit> unitsOf(const MatrixOptions& options, const std::vector<LayerInfo>& layers);
// What the unit is solved with: the options, without groups where the layer is alone, and with the
// side that it shares over.
MatrixOptions optionsOfUnit(const MatrixOptions& options, const LayerUnit& unit);

}  // namespace cospadi
