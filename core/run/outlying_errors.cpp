#include "core/run/outlying_errors.h"

#include <algorithm>
#include <map>

namespace cospadi {

namespace {

constexpr double kTimesTheMedian = 4;
constexpr double kLeastError = 0.02;
constexpr std::size_t kLeastCount = 5;

}  // namespace

std::vector<OutlyingError> outlyingErrors(const std::vector<MatrixRecord>& records) {
    std::map<std::string, std::vector<double>> kinds;
    for (const MatrixRecord& record : records) {
        kinds[record.kind].push_back(record.relativeError);
    }
    for (auto& [kind, errors] : kinds) {
        std::sort(errors.begin(), errors.end());
    }
    std::vector<OutlyingError> outlying;
    for (const MatrixRecord& record : records) {
        const std::vector<double>& errors = kinds.at(record.kind);
        const double median = errors[errors.size() / 2];
        if (errors.size() >= kLeastCount && record.relativeError >= kLeastError &&
            record.relativeError > kTimesTheMedian * median) {
            outlying.push_back({record.name, record.relativeError, median});
        }
    }
    return outlying;
}

}  // namespace cospadi
