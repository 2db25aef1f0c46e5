// What trials of a model's matrices came to, kept on disk: errors at a ratio, ρ and number of
// iterations; what one of them costs the predictions on a text; what all of them together do. The
// knapsack (allocation.h) and the view of the whole model (curve_measurement.h) write and read the
// same files, so that neither measures what the other has. Only what was measured in exactly this
// way is found: numbers come back to the bit, and a rule that finds all of its trials here decides
// as if it had made them.
//
// <cache directory>/curves/<model and calibration>/<settings>.json: a file for every method and
// storage under which matrices were tried (docs/formats.md). It can be deleted at any time; one
// that is damaged or of another version counts as absent. Thread-safe. Several processes may write
// at a time: each adds what it has to what is there, and at worst something is measured twice.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

struct TrialSetting {
    double cr = 0;
    double rho = 0;
    int iterations = 0;  // 0: the solver's own
    auto operator<=>(const TrialSetting&) const = default;
};

// A text that was run through the model, by its tokens.
std::string probeTextKey(std::span<const std::int32_t> ids, std::int64_t length);

// The same for a whole model of which these layers were compressed.
std::string wholeTrialKey(std::span<const std::int32_t> ids, std::int64_t length,
                          const std::vector<LayerInfo>& layers);

// The name under which layers that are changed at once have divergences: "together: a+b".
std::string jointName(const std::vector<LayerInfo>& layers);

class CurveStore {
  public:
    struct Layer {
        std::map<TrialSetting, double> errors;
        // Nats a token with this trial in the layer's place, by text.
        std::map<std::pair<TrialSetting, std::string>, double> divergences;
    };

    // calibrationKey: GramSet::cacheKey; empty without a Gram; with that of OutputGrams behind it
    // where trials are in a metric of the outputs. Of the options all count but ratio,
    // ρ and iterations. Reads what is there.
    CurveStore(const std::string& modelSha256, const std::string& calibrationKey,
               const MatrixOptions& options);

    const std::filesystem::path& file() const { return m_file; }

    std::optional<double> error(const std::string& layer, const TrialSetting& at) const;
    std::optional<double> divergence(const std::string& layer, const TrialSetting& at,
                                     const std::string& text) const;
    // Nats a token by which the loss on the text rises with every layer at this setting.
    std::optional<double> wholeLoss(const TrialSetting& at, const std::string& text) const;
    void setError(const std::string& layer, const TrialSetting& at, double error);
    void setDivergence(const std::string& layer, const TrialSetting& at, const std::string& text,
                       double divergence);
    void setWholeLoss(const TrialSetting& at, const std::string& text, double loss);

    // All that is known of a layer; empty of one that was never tried.
    Layer layer(const std::string& name) const;
    // One pair (error, nats a token) of the layer under any method or storage: what an error costs
    // depends little on who left it. Nothing where it was never probed.
    std::optional<std::pair<double, double>> probeElsewhere(const std::string& name) const;

    // Atomic. Returns why it could not be written, which is no reason to stop; empty where it was.
    std::string save();

  private:
    using WholeLosses = std::map<std::pair<TrialSetting, std::string>, double>;
    struct Content {
        std::map<std::string, Layer> layers;
        WholeLosses losses;
    };

    static Content read(const std::filesystem::path& file);

    std::filesystem::path m_file;
    std::string m_settings;  // as text, for whoever looks into the file
    mutable std::mutex m_mutex;
    Content m_content;
    bool m_changed = false;
    std::map<std::string, std::pair<double, double>> m_elsewhere;
};

}  // namespace cospadi
