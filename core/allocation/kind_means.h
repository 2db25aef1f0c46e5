// Means over the matrices of a kind, by ratio, for what only some of them were measured in.
#pragma once

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cmath>

namespace cospadi {

// Piecewise linear through known places, constant beyond; nothing where none is known.
inline std::optional<double> interpolated(const std::map<double, double>& known, double x) {
    if (known.empty()) {
        return std::nullopt;
    }
    const auto after = known.lower_bound(x);
    if (after == known.end()) {
        return std::prev(after)->second;
    }
    if (after == known.begin() || after->first == x) {
        return after->second;
    }
    const auto before = std::prev(after);
    const double share = (x - before->first) / (after->first - before->first);
    return std::lerp(before->second, after->second, share);
}

// What matrices have in common, by ratio: means over those of a kind, where there are none over
// all.
class KindMeans {
  public:
    void add(const std::string& kind, const std::map<double, double>& values) {
        for (const auto& [cr, value] : values) {
            m_kinds[kind][cr].add(value);
            m_all[cr].add(value);
        }
    }
    bool isEmpty() const { return m_all.empty(); }

    std::optional<double> at(const std::string& kind, double cr) const {
        for (const auto* ratios : of(kind)) {
            if (const auto found = ratios->find(cr); found != ratios->end()) {
                return found->second.value();
            }
        }
        return std::nullopt;
    }

    std::optional<double> between(const std::string& kind, double cr) const {
        std::map<double, double> means;
        for (const auto& [ratio, mean] : *of(kind).front()) {
            means[ratio] = mean.value();
        }
        return interpolated(means, cr);
    }

  private:
    struct Mean {
        double sum = 0;
        int count = 0;
        void add(double value) {
            sum += value;
            ++count;
        }
        double value() const { return sum / count; }
    };
    using ByRatio = std::map<double, Mean>;

    // The kind's own first, where it has any.
    std::vector<const ByRatio*> of(const std::string& kind) const {
        const auto own = m_kinds.find(kind);
        return own != m_kinds.end() ? std::vector{&own->second, &m_all} : std::vector{&m_all};
    }

    std::map<std::string, ByRatio> m_kinds;
    ByRatio m_all;
};

}  // namespace cospadi
