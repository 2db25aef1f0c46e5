// What a run without propagation asks of its units: weights as the model has them, in the metrics
// of a calibration of the whole model.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/methods/layer_groups.h"
#include "core/model/model.h"
#include "core/run/layer_problem.h"
#include "core/run/shared_whitenings.h"

namespace cospadi {

class UnitProblems {
  public:
    // model and grams, null where the method is not calibrated, must outlive it. units: those that
    // will be asked for, once each. sharesFactors: layers of one Gram have its factor together,
    // which those of backends with devices of their own cannot.
    UnitProblems(const Model& model, const GramSet* grams, const std::vector<LayerUnit>& units,
                 const MatrixOptions& options, bool sharesFactors);

    // Thread-safe. Errors as Whitening's, and as Model::weight().
    UnitProblem of(const LayerUnit& unit, Backend& backend);

  private:
    std::optional<Whitening> metric(GramShare share, const LayerInfo& layer, Backend& backend);
    // Of a unit of several layers: that of their one input, or of the mean of their Grams.
    std::optional<Whitening> common(GramShare share, const LayerUnit& unit,
                                    const std::optional<Whitening>& first, Backend& backend);

    const Model& m_model;
    const GramSet* m_grams;
    bool m_alike;  // Method::weighsPartsAlike()
    std::map<GramShare, SharedWhitenings> m_shared;
    std::map<GramShare, WhiteningsByKey> m_means;  // by the Grams of a unit of several
};

}  // namespace cospadi
