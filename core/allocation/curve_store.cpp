#include "core/allocation/curve_store.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/methods/option_key.h"
#include "core/model/model_locator.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Another one where trials, probes or the sums of either change what they come to.
constexpr const char* kCurveFormat = "cospadi-curves-2";
constexpr std::uintmax_t kLargestCurveFile = 256U << 20U;
constexpr int kDeepestCurveFile = 8;

json arrayOf(const TrialSetting& at) { return {at.cr, at.rho, at.iterations}; }

TrialSetting settingFrom(const json& entry) {
    return {entry.at(0).get<double>(), entry.at(1).get<double>(), entry.at(2).get<int>()};
}

// An error or divergence that is no number is none that was measured.
double measuredFrom(const json& entry, std::size_t place) {
    const auto value = entry.at(place).get<double>();
    if (!std::isfinite(value)) {
        throw Error("contains a measurement that is not finite", "curves", "delete the file");
    }
    return value;
}

}  // namespace

std::string probeTextKey(std::span<const std::int32_t> ids, std::int64_t length) {
    Sha256 sum;
    sum.update(fmt::format("{}\n", length));
    sum.update(std::as_bytes(ids));
    return sum.finish().substr(0, 16);
}

std::string wholeTrialKey(std::span<const std::int32_t> ids, std::int64_t length,
                          const std::vector<LayerInfo>& layers) {
    std::string names = probeTextKey(ids, length);
    for (const LayerInfo& layer : layers) {
        names += '\n' + layer.name;
    }
    return sha256OfString(names).substr(0, 16);
}

std::string jointName(const std::vector<LayerInfo>& layers) {
    std::string joined = "together: ";
    for (std::size_t i = 0; i < layers.size(); ++i) {
        joined += (i > 0 ? "+" : "") + layers[i].name;
    }
    return joined;
}

CurveStore::CurveStore(const std::string& modelSha256, const std::string& calibrationKey,
                       const MatrixOptions& options) {
    MatrixOptions own = options;
    own.cr = 0;
    own.rho = 0;
    own.iterations = 0;
    m_settings = keyOf(own);
    const std::string sums =
        sha256OfString(fmt::format("{}\n{}\n{}", kCurveFormat, modelSha256, calibrationKey));
    const fs::path folder = cacheDirectory() / "curves" / sums.substr(0, 32);
    m_file = folder / (sha256OfString(m_settings).substr(0, 32) + ".json");
    m_content = read(m_file);
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        if (entry.path() == m_file || entry.path().extension() != ".json") {
            continue;
        }
        const Content other = read(entry.path());
        for (const auto& [name, tried] : other.layers) {
            for (const auto& [key, divergence] : tried.divergences) {
                if (const auto error = tried.errors.find(key.first); error != tried.errors.end()) {
                    m_elsewhere.try_emplace(name, error->second, divergence);
                }
            }
        }
    }
}

CurveStore::Content CurveStore::read(const fs::path& file) {
    std::error_code none;
    if (!fs::exists(file, none)) {
        return {};
    }
    try {
        const json record = readBoundedJson(file, kLargestCurveFile, kDeepestCurveFile);
        Content content;
        if (record.at("format").get<std::string>() != kCurveFormat) {
            return {};
        }
        const json& layers = record.at("layers");
        for (const auto& [name, tried] : layers.items()) {
            Layer& layer = content.layers[name];
            const json& errors = tried.at("errors");
            for (const json& entry : errors) {
                layer.errors[settingFrom(entry)] = measuredFrom(entry, 3);
            }
            const json& divergences = tried.at("divergences");
            for (const json& entry : divergences) {
                layer.divergences[{settingFrom(entry), entry.at(3).get<std::string>()}] =
                    measuredFrom(entry, 4);
            }
        }
        const json& losses = record.at("whole");
        for (const json& entry : losses) {
            content.losses[{settingFrom(entry), entry.at(3).get<std::string>()}] =
                measuredFrom(entry, 4);
        }
        return content;
    } catch (const Error&) {
        return {};
    } catch (const json::exception&) {
        return {};
    }
}

std::optional<double> CurveStore::error(const std::string& layer, const TrialSetting& at) const {
    const std::scoped_lock lock(m_mutex);
    const auto tried = m_content.layers.find(layer);
    if (tried == m_content.layers.end()) {
        return std::nullopt;
    }
    const auto found = tried->second.errors.find(at);
    return found != tried->second.errors.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<double> CurveStore::divergence(const std::string& layer, const TrialSetting& at,
                                             const std::string& text) const {
    const std::scoped_lock lock(m_mutex);
    const auto tried = m_content.layers.find(layer);
    if (tried == m_content.layers.end()) {
        return std::nullopt;
    }
    const auto found = tried->second.divergences.find({at, text});
    return found != tried->second.divergences.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<double> CurveStore::wholeLoss(const TrialSetting& at, const std::string& text) const {
    const std::scoped_lock lock(m_mutex);
    const auto found = m_content.losses.find({at, text});
    return found != m_content.losses.end() ? std::optional(found->second) : std::nullopt;
}

void CurveStore::setError(const std::string& layer, const TrialSetting& at, double error) {
    const std::scoped_lock lock(m_mutex);
    m_content.layers[layer].errors[at] = error;
    m_changed = true;
}

void CurveStore::setDivergence(const std::string& layer, const TrialSetting& at,
                               const std::string& text, double divergence) {
    const std::scoped_lock lock(m_mutex);
    m_content.layers[layer].divergences[{at, text}] = divergence;
    m_changed = true;
}

void CurveStore::setWholeLoss(const TrialSetting& at, const std::string& text, double loss) {
    const std::scoped_lock lock(m_mutex);
    m_content.losses[{at, text}] = loss;
    m_changed = true;
}

CurveStore::Layer CurveStore::layer(const std::string& name) const {
    const std::scoped_lock lock(m_mutex);
    const auto found = m_content.layers.find(name);
    return found != m_content.layers.end() ? found->second : Layer();
}

std::optional<std::pair<double, double>> CurveStore::probeElsewhere(const std::string& name) const {
    const auto found = m_elsewhere.find(name);
    return found != m_elsewhere.end() ? std::optional(found->second) : std::nullopt;
}

std::string CurveStore::save() {
    const std::scoped_lock lock(m_mutex);
    if (!m_changed) {
        return "";
    }
    try {
        Content there = read(m_file);
        for (auto& [name, tried] : there.layers) {
            m_content.layers[name].errors.merge(tried.errors);
            m_content.layers[name].divergences.merge(tried.divergences);
        }
        m_content.losses.merge(there.losses);
        json layers = json::object();
        for (const auto& [name, tried] : m_content.layers) {
            json errors = json::array();
            for (const auto& [at, error] : tried.errors) {
                errors.push_back(arrayOf(at));
                errors.back().push_back(error);
            }
            json divergences = json::array();
            for (const auto& [key, divergence] : tried.divergences) {
                divergences.push_back(arrayOf(key.first));
                divergences.back().push_back(key.second);
                divergences.back().push_back(divergence);
            }
            layers[name] = {{"errors", std::move(errors)}, {"divergences", std::move(divergences)}};
        }
        json losses = json::array();
        for (const auto& [key, loss] : m_content.losses) {
            losses.push_back(arrayOf(key.first));
            losses.back().push_back(key.second);
            losses.back().push_back(loss);
        }
        const json record = {{"format", kCurveFormat},
                             {"settings", m_settings},
                             {"layers", std::move(layers)},
                             {"whole", std::move(losses)}};
        fs::create_directories(m_file.parent_path());
        writeFileAtomically(m_file, record.dump() + "\n");
        m_changed = false;
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace cospadi
