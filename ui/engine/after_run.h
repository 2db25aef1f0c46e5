// What is measured of a run once it is finished.
#pragma once

#include <QString>
#include <QStringList>

namespace cospadi::ui {

struct AfterRun {
    bool perplexity = false;  // as PerplexityMeasurement measures it
    QStringList tasks;        // by lm-eval's names; empty: none
    QString data;             // of the tasks, as TaskJob has it
    double limit = 0;         // likewise

    bool isNothing() const { return !perplexity && tasks.isEmpty(); }
    bool operator==(const AfterRun&) const = default;
};

}  // namespace cospadi::ui
