// Means over the matrices of a kind, by ratio, for what only some of them were measured in.
#pragma once

#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>

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

// A mean at every ratio at which there was something to add.
class RatioMeans {
  public:
    void add(double cr, double value) {
        Mean& mean = m_means[cr];
        mean.sum += value;
        ++mean.count;
    }
    bool isEmpty() const { return m_means.empty(); }

    std::optional<double> at(double cr) const {
        const auto mean = m_means.find(cr);
        return mean != m_means.end() ? std::optional(mean->second.value()) : std::nullopt;
    }
    std::optional<double> between(double cr) const {
        std::map<double, double> means;
        for (const auto& [ratio, mean] : m_means) {
            means[ratio] = mean.value();
        }
        return interpolated(means, cr);
    }

  private:
    struct Mean {
        double sum = 0;
        int count = 0;
        double value() const { return sum / count; }
    };
    std::map<double, Mean> m_means;
};

// What matrices have in common: means over those of a kind, where there are none over all.
class KindMeans {
  public:
    void add(const std::string& kind, const std::map<double, double>& values) {
        for (const auto& [cr, value] : values) {
            m_kinds[kind].add(cr, value);
            m_all.add(cr, value);
        }
    }
    bool isEmpty() const { return m_all.isEmpty(); }

    std::optional<double> at(const std::string& kind, double cr) const {
        const auto own = m_kinds.find(kind);
        const auto mean = own != m_kinds.end() ? own->second.at(cr) : std::nullopt;
        return mean ? mean : m_all.at(cr);
    }
    std::optional<double> between(const std::string& kind, double cr) const {
        const auto own = m_kinds.find(kind);
        return (own != m_kinds.end() ? own->second : m_all).between(cr);
    }

  private:
    std::map<std::string, RatioMeans> m_kinds;
    RatioMeans m_all;
};

}  // namespace cospadi
