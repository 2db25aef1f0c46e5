// Which runs stand in which row of a table: in every place those of one kind (run_kinds.h), which
// differ in their seeds alone. Where several kinds share a place they are not mixed: shown is the
// kind that fills most places, and a note says what was left out.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/report/run_kinds.h"

namespace cospadi {

struct RunPlace {
    std::vector<const RunRow*> runs;  // newest first
    RunSettings kind;
};

class RunPlaces {
  public:
    // runs: newest first; they outlive this. told: the settings that the table shows, which
    // `placeOf` puts into the name of the place.
    RunPlaces(const std::vector<RunRow>& runs,
              const std::function<std::string(const RunRow&)>& placeOf, std::set<std::string> told);

    // In the order of their newest runs.
    const std::vector<RunPlace>& places() const { return m_places; }
    // The mean over the seeds of a place's runs that have the value; empty where none has.
    ReportCell mean(const RunPlace& place, const std::function<double(const RunRow&)>& value,
                    const std::function<double(const RunRow&)>& standardError = {});
    // What was left out, what else the places differ in, what counted once.
    std::vector<std::string> notes() const;

  private:
    std::set<std::string> m_told;
    std::vector<RunPlace> m_places;
    std::set<std::string> m_mixed;
    std::set<const RunRow*> m_repetitions;
    std::int64_t m_leftOut = 0;
};

inline constexpr const char* kRepetitionsNote = "seeds with identical results count once in n";
// "3 runs are left out: they share a row with others and differ in rho".
std::string leftOutNote(std::int64_t runs, const std::string& place,
                        const std::set<std::string>& fields);
std::string differencesNote(const std::string& places, const std::set<std::string>& fields);

}  // namespace cospadi
