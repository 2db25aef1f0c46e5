// What the Model page shows of one matrix (ui/engine/explore_trace.h, MatrixPortraitData): its
// spectrum as curves, and its figures in words. Pure functions.
#pragma once

#include <QList>
#include <QString>

#include "core/model/layer_info.h"
#include "core/store/run_specification.h"
#include "ui/engine/explore_trace.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

// The rank that a low-rank method would have at the CR of the specification; 0 where none fits.
qint64 lowRankAt(const MatrixPortraitData& portrait, const RunSpecification& specification);

// σᵢ/σ₁ over i from 1: of W, whitened where the model has been calibrated (dashed), and a point at
// `rank` where that is one of them. cr stands in the name of that point.
QList<Curve> spectrumCurves(const MatrixPortraitData& portrait, qint64 rank, double cr);

// Rich text, a line or two: name, shape, storage, mean, deviation and range; with a rank, the share
// of ‖W‖² in as many leading singular values (whitened ones where there are) and the relative error
// of keeping no others.
QString portraitFacts(const MatrixPortraitData& portrait, const LayerInfo& layer, qint64 rank);

}  // namespace cospadi::ui
