#include "core/report/up_gate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/model/layer_info.h"
#include "core/model/layer_pattern.h"
#include "core/report/published_values.h"

namespace cospadi {

namespace {

constexpr std::int64_t kMostBlocks = 256;  // more than models have
constexpr const char* kRatio = "ug_cr";

// To two digits, as which the tables print some of the same numbers: 213.0 and 2.1E+02.
bool isSameNumber(double a, double b) {
    const double largest = std::max(std::abs(a), std::abs(b));
    return a == b || std::abs(a - b) <= 0.5 * std::pow(10, std::floor(std::log10(largest)) - 1);
}

// The shared values, of which there are some, are equal.
bool hasSameValues(const PublishedRow& a, const PublishedRow& b) {
    int shared = 0;
    for (const auto& [key, value] : a.values) {
        const auto other = b.values.find(key);
        if (other != b.values.end()) {
            if (!isSameNumber(value, other->second)) {
                return false;
            }
            ++shared;
        }
    }
    return shared > 0;
}

}  // namespace

bool isUpGate(const std::string& layers) {
    if (!problemOfPattern(layers).empty()) {
        return false;
    }
    const LayerPattern pattern(layers);
    for (std::int64_t block = 0; block < kMostBlocks; ++block) {
        for (const std::string_view kind : kLayerKinds) {
            const bool wanted = kind == "ffn_up" || kind == "ffn_gate";
            if (pattern.finds(layerName(block, kind)) != wanted) {
                return false;
            }
        }
    }
    return true;
}

bool isUpGate(const PublishedRow& row) { return settingOf(row, "layers") == "up/gate"; }

std::optional<double> publishedUpGateRatio(const PublishedRow& row,
                                           const std::vector<PublishedTable>& tables) {
    if (const auto own = settingOf(row, kRatio)) {
        return std::strtod(own->c_str(), nullptr);
    }
    for (const PublishedTable& table : tables) {
        for (const PublishedRow& other : table.rows) {
            const auto printed = settingOf(other, kRatio);
            if (printed && isUpGate(other) && other.method == row.method &&
                hasSameValues(row, other)) {
                return std::strtod(printed->c_str(), nullptr);
            }
        }
    }
    return std::nullopt;
}

}  // namespace cospadi
