// The runs of an ablation by its axes: each with its values of x, of y and of the settings that
// curves and plots are told apart by, and with what else has to be equal for a line.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/report/ablation.h"
#include "core/report/measured_value.h"
#include "core/report/run_kinds.h"

namespace cospadi {

using AblationValue = std::optional<ReportCell>;  // empty: the run has no such setting

struct AblationEntry {
    const RunRow* run;
    AblationValue x, curve, facet;
    RunSettings rest;  // what must be equal for a line
    std::string label;
    std::string seed;
    double xNumber;  // or the place among words()
    double y;
};

class AblationEntries {
  public:
    // Only finished runs that have y, and x. runs and axes must outlive it. Throws Error as
    // ablation() does.
    AblationEntries(const std::vector<RunRow>& runs, const AblationAxes& axes);

    const AblationAxes& axes() const { return m_axes; }
    const std::vector<AblationEntry>& all() const { return m_entries; }  // the newest first
    const std::vector<std::string>& words() const { return m_words; }  // of x; empty: it is numbers
    const MeasuredValue& y() const { return m_y; }
    bool isMeasuredX() const { return m_isMeasured; }
    // Settings that axes, curves and plots tell, and what follows from the method's label.
    const std::set<std::string>& told() const { return m_told; }
    bool hasWhitened() const { return m_hasWhitened; }
    bool hasPlain() const { return m_hasPlain; }
    std::int64_t withoutX() const { return m_withoutX; }  // runs that were left out for it

  private:
    void add(const RunRow& run);
    void placeOnX();

    const AblationAxes& m_axes;
    bool m_isMeasured;
    MeasuredValue m_y;
    std::optional<MeasuredValue> m_x;
    std::set<std::string> m_told;
    std::set<std::string> m_besideLabels;  // no label has these
    std::vector<AblationEntry> m_entries;
    std::vector<std::string> m_words;
    bool m_hasPlain = false;
    bool m_hasWhitened = false;
    std::int64_t m_withoutX = 0;
};

}  // namespace cospadi
