// GPTQ (Frantar et al., arXiv 2210.17323): integers of a few bits as RTN has them, but inputs are
// rounded one after the other and their errors fed forward in the metric of the layer's inputs
// (error_feedback.h): A = G + damp · mean diagonal (G) · I.
//
// After the published code (IST-DASLab/gptq); what differs stands in docs/methods.md. On the host,
// one thread a layer, whatever the backend.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& gptqMethod();

}  // namespace cospadi
