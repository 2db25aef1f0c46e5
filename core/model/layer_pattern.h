// A regular expression (ECMAScript's) that is searched in the names of layers: "ffn_(up|gate)$"
// finds blk.3.ffn_up.
#pragma once

#include <memory>
#include <string>

namespace cospadi {

class LayerPattern {
  public:
    // Throws Error naming the field for what is no regular expression.
    explicit LayerPattern(const std::string& expression, const std::string& field = "layers");
    LayerPattern(LayerPattern&&) noexcept;
    ~LayerPattern();

    bool finds(const std::string& layer) const;

  private:
    struct Compiled;
    std::unique_ptr<const Compiled> m_compiled;
};

// What keeps text from being a regular expression; empty where it is one.
std::string problemOfPattern(const std::string& expression);

}  // namespace cospadi
