// From what a user asked for to what a run does: absolute paths, hashes, the layers that are meant.
#pragma once

#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/methods/compress_matrix.h"
#include "core/model/layer_info.h"
#include "core/store/run_specification.h"

namespace cospadi {

// Layers whose name the regex finds, in forward order. Throws Error, naming some that exist, where
// none is found.
std::vector<LayerInfo> selectLayers(const std::vector<LayerInfo>& layers, const std::string& regex);

// The layers that a specification means, of its model's headers; none where it is dense. Throws
// Error for a model that cannot be read, or as selectLayers() does.
std::vector<LayerInfo> layersOf(const RunSpecification& specification);

// Fills in what a specification leaves to the program: absolute model path and its hash, the
// shipped calibration text and its hash; and sets what does not count to its default: idle settings
// (run_settings.h), and the seed where the solver draws nothing for the chosen layers' shapes.
// Needed before it is stored or compared.
RunSpecification resolved(RunSpecification specification);

// Throws Error for what a run of a resolved specification would fail of: no layer of that name, one
// that has no form at its ratio or shares with layers that it cannot share with, a calibration text
// that is too short. Reads headers and the text only.
void requireRunnable(const RunSpecification& specification);
// Its halves: of the layers, some milliseconds; of the texts, which many runs share.
void requireLayers(const RunSpecification& specification);
void requireTexts(const RunSpecification& specification);

// What the specification means for the sums over its calibration text; no text means the one that
// ships.
CalibrationOptions calibrationOptionsOf(const RunSpecification& specification);
// How many blocks of the model there are up to the last of which one of these layers is.
std::int64_t blocksUpTo(const std::vector<LayerInfo>& layers);
// The same for sums up to the last block of which a layer is compressed. allLayers: of the model.
CalibrationOptions calibrationOptionsOf(const RunSpecification& specification,
                                        const std::vector<LayerInfo>& allLayers);

}  // namespace cospadi
