#include "core/model/layer_pattern.h"

#include <regex>

#include "core/base/error.h"

namespace cospadi {

struct LayerPattern::Compiled {
    std::regex regex;
};

LayerPattern::LayerPattern(const std::string& expression, const std::string& field) {
    try {
        m_compiled = std::make_unique<const Compiled>(Compiled{std::regex(expression)});
    } catch (const std::regex_error& error) {
        throw Error("'" + expression + "' is not a regular expression: " + error.what(), field,
                    "e.g. ffn_(up|gate)$ or ^blk\\.[0-3]\\.");
    }
}

LayerPattern::LayerPattern(LayerPattern&&) noexcept = default;
LayerPattern::~LayerPattern() = default;

bool LayerPattern::finds(const std::string& layer) const {
    return std::regex_search(layer, m_compiled->regex);
}

std::string problemOfPattern(const std::string& expression) {
    try {
        static_cast<void>(std::regex(expression));
        return {};
    } catch (const std::regex_error& error) {
        return error.what();
    }
}

}  // namespace cospadi
