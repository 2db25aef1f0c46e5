// What is to be done on a cluster: runs as a list of specifications in JSON, without their
// evaluation.
#pragma once

#include <QByteArray>
#include <QString>

#include "ui/engine/after_run.h"

namespace cospadi::ui {

struct ClusterPlan {
    QByteArray runs;  // a JSON array; empty: there are none
    QString model;    // of all of them, as it is called here
    int count = 0;
    QString problem;  // why there are none
    int perplexityTokens = 8192;
    AfterRun after = {};  // as the plan says it; nothing: the perplexity
};

}  // namespace cospadi::ui
