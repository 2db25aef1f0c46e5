// A layer's weight W (d1, d2) in the form that is stored: what every method yields, what matrix
// files hold and what the forward pass applies. One class a form (core/forms/forms.h lists them);
// its values are those of the file, rounded, so that what is measured is what is stored.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/forms/number_formats.h"
#include "core/model/linear_layer.h"

namespace cospadi {

class MatrixTensors;

// W̃ = left · right, (d1, r) (r, d2).
struct WeightProduct {
    Eigen::MatrixXf left;
    Eigen::MatrixXf right;
};

// Immutable, so thread-safe.
class StoredWeight {
  public:
    StoredWeight() = default;
    virtual ~StoredWeight() = default;
    StoredWeight(const StoredWeight&) = delete;
    StoredWeight& operator=(const StoredWeight&) = delete;

    // The form's name, as files have it.
    virtual const char* form() const = 0;
    virtual Eigen::MatrixXf recomposed() const = 0;  // W̃ (d1, d2)
    // Its factors; nullptr where it has none.
    virtual std::unique_ptr<WeightProduct> product() const = 0;
    // The layer that computes with it as it is. storedBytes: that the layer says it takes, e.g.
    // those of its file.
    virtual std::unique_ptr<LinearLayer> makeLayer(std::int64_t storedBytes) const = 0;
    // Sizes that tell this weight from others of the form: k, s, rank, bits, …
    virtual nlohmann::json facts() const = 0;
    // That a token's product with the weight takes in this form, as the paper counts them (appendix
    // "Low-rank and CoSpaDi Inference Complexity", N = 1): multiplications of inputs and of inner
    // products alone, none that only decode numbers. What a kernel does may be more.
    virtual std::int64_t multiplications() const = 0;
    // Whether all numbers are the same.
    virtual bool equals(const StoredWeight& other) const = 0;
    // The same with coefficients that keep `bits` (9 to 15) of a bfloat16, its mantissa shortened;
    // the first factor is as it was. Throws Error for a form without coefficients.
    virtual std::shared_ptr<const StoredWeight> requantized(int bits,
                                                            CoefficientRounding rounding) const;
    // The same form and sizes with other numbers in its factors (d1, r) and (r, n), rounded as it
    // stores them; what is zero in them stays zero. n may differ from d2. Throws Error for a form
    // without factors.
    virtual std::shared_ptr<const StoredWeight> withFactors(WeightProduct factors) const;
    // The weights of layers that it is side by side, of these widths (Σ = d2): the first factor is
    // theirs in common, the second falls into its columns. A dictionary over the outputs is common
    // to layers one below the other: widths are those of their inputs (Σ = d1). Throws Error for a
    // form without.
    virtual std::vector<std::shared_ptr<const StoredWeight>> split(
        const std::vector<std::int64_t>& widths) const;
    // Adds its tensors and what the form needs to read them back.
    virtual void write(MatrixTensors& tensors) const = 0;
};

// Throws Error where factors are integers (a run of them has entries): rounding them once more,
// entry by entry, would lose what they were fitted to.
void requireNoIntegers(std::int64_t integerRun);

using StoredWeightPtr = std::shared_ptr<const StoredWeight>;

}  // namespace cospadi
