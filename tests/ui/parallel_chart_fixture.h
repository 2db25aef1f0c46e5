// What the tests of parallel coordinates share: three axes, four lines, one of which has a gap, and
// a chart that shows them.
#pragma once

#include <QList>
#include <QtTest>
#include <limits>
#include <memory>

#include "ui/charts/parallel_coordinates.h"

namespace cospadi::ui {

class ParallelChartFixture {
  protected:
    static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

    static QList<ParallelAxis> someAxes() {
        return {{"method", {"svd", "cospadi"}, false}, {"error", {}, false}, {"bytes", {}, true}};
    }

    static QList<ParallelLine> someLines() {
        return {{"a", "run a", {0, 0.1, 1e3}},
                {"b", "run b", {1, 0.3, 1e4}},
                {"c", "run c", {1, 0.5, 1e6}},
                {"d", "run d", {1, kNaN, 1e5}}};
    }

    void showChart() {
        m_chart = std::make_unique<ParallelCoordinates>();
        m_chart->resize(600, 300);
        m_chart->setData(someAxes(), someLines());
        m_chart->show();
    }

    std::unique_ptr<ParallelCoordinates> m_chart;
};

}  // namespace cospadi::ui
