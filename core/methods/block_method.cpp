#include "core/methods/block_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/forms/dense/dense_weight.h"

namespace cospadi {

std::int64_t BlockMethod::firstLeftOut(const std::vector<double>& distances) const {
    return 1 + (std::min_element(distances.begin(), distances.end()) - distances.begin());
}

const char* BlockMethod::form() const { return DenseWeight::kForm; }

StoragePlan BlockMethod::plan(const MatrixOptions& /*options*/, std::int64_t d1,
                              std::int64_t d2) const {
    return {nlohmann::json::object(), {{"dense", 2.0 * static_cast<double>(d1 * d2)}}};
}

double BlockMethod::work(const MatrixOptions& /*options*/, std::int64_t d1, std::int64_t d2) const {
    return 10 * static_cast<double>(d1) * static_cast<double>(d2);  // rounded, written, read back
}

WorkRate BlockMethod::workRate(const MatrixOptions& /*options*/) const { return {"copying", 2e9}; }

CompressedMatrix BlockMethod::solve(const MatrixProblem& /*problem*/,
                                    const IterationCallback& /*callback*/,
                                    const std::stop_token& /*stop*/) const {
    requireLayerMethod(*this);
    return {};
}

double hiddenError(const RowSums& sums, const Eigen::MatrixXd& transform) {
    const Eigen::MatrixXd change =
        transform - Eigen::MatrixXd::Identity(transform.rows(), transform.cols());
    const double squared = sums.change - 2 * change.cwiseProduct(sums.cross).sum() +
                           change.cwiseProduct(sums.outputs * change).sum();
    return sums.after > 0 ? std::sqrt(std::max(0.0, squared) / sums.after) : 0;
}

Eigen::MatrixXf withTransform(const Eigen::MatrixXf& w, const Eigen::MatrixXd& transform) {
    return (w.cast<double>() * transform).cast<float>();
}

void requireLayerMethod(const Method& method) {
    if (method.asBlockMethod() != nullptr) {
        throw Error(
            fmt::format(
                "method {} removes whole blocks from a model and cannot compress a single layer",
                method.name()),
            "method", "compress a whole model with it, or use another method");
    }
}

}  // namespace cospadi
