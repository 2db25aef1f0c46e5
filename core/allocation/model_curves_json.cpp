#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "core/allocation/model_curves.h"
#include "core/base/error.h"

namespace cospadi {

namespace {

const nlohmann::json& member(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    if (!object.is_object() || found == object.end()) {
        throw Error(fmt::format("there is no \"{}\"", field), "curves",
                    "measure them again with this program");
    }
    return *found;
}

template <class Value>
Value numberOf(const nlohmann::json& object, const char* field) {
    const nlohmann::json& value = member(object, field);
    try {
        return value.get<Value>();
    } catch (const nlohmann::json::exception&) {
        throw Error(fmt::format("\"{}\" is of the wrong type: {}", field, value.dump()), "curves",
                    "measure them again with this program");
    }
}

}  // namespace

nlohmann::json toJson(const ModelCurves& curves) {
    nlohmann::json layers = nlohmann::json::array();
    for (const LayerCurve& layer : curves.layers) {
        nlohmann::json points = nlohmann::json::array();
        for (const LayerPoint& point : layer.points) {
            points.push_back({point.cr, point.error, point.cost});
        }
        layers.push_back({{"name", layer.name},
                          {"kind", layer.kind},
                          {"block", layer.block},
                          {"d1", layer.d1},
                          {"d2", layer.d2},
                          {"points", std::move(points)},
                          {"tried", layer.isTried},
                          {"probed", layer.isProbed}});
    }
    nlohmann::json anchors = nlohmann::json::array();
    for (const CurveAnchor& anchor : curves.anchors) {
        anchors.push_back({{"divergence", anchor.divergence}, {"loss", anchor.loss}});
    }
    return {{"layers", std::move(layers)},
            {"anchors", std::move(anchors)},
            {"complete", curves.isComplete},
            {"settled", curves.isSettled},
            {"dense_perplexity", curves.densePerplexity},
            {"dense_perplexity_text", curves.densePerplexityText},
            {"dense_perplexity_tokens", curves.densePerplexityTokens},
            {"other_bytes", curves.otherBytes}};
}

ModelCurves modelCurvesFromJson(const nlohmann::json& object) {
    ModelCurves curves;
    const nlohmann::json& layers = member(object, "layers");
    for (const nlohmann::json& entry : layers) {
        LayerCurve layer;
        layer.name = numberOf<std::string>(entry, "name");
        layer.kind = numberOf<std::string>(entry, "kind");
        layer.block = numberOf<std::int64_t>(entry, "block");
        layer.d1 = numberOf<std::int64_t>(entry, "d1");
        layer.d2 = numberOf<std::int64_t>(entry, "d2");
        layer.isTried = numberOf<bool>(entry, "tried");
        layer.isProbed = numberOf<bool>(entry, "probed");
        for (const auto& [cr, error, cost] :
             numberOf<std::vector<std::tuple<double, double, double>>>(entry, "points")) {
            layer.points.push_back({cr, error, cost});
        }
        if (layer.points.empty() || layer.d1 <= 0 || layer.d2 <= 0) {
            throw Error("a layer lacks points or a size", "curves, " + layer.name,
                        "measure them again with this program");
        }
        curves.layers.push_back(std::move(layer));
    }
    const nlohmann::json& anchors = member(object, "anchors");
    for (const nlohmann::json& entry : anchors) {
        curves.anchors.push_back(
            {numberOf<double>(entry, "divergence"), numberOf<double>(entry, "loss")});
    }
    curves.isComplete = numberOf<bool>(object, "complete");
    curves.isSettled = numberOf<bool>(object, "settled");
    curves.densePerplexity = numberOf<double>(object, "dense_perplexity");
    curves.densePerplexityText = numberOf<std::string>(object, "dense_perplexity_text");
    curves.densePerplexityTokens = numberOf<std::int64_t>(object, "dense_perplexity_tokens");
    curves.otherBytes = numberOf<double>(object, "other_bytes");
    return curves;
}

}  // namespace cospadi
