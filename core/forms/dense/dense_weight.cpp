#include "core/forms/dense/dense_weight.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/bfloat16.h"
#include "core/forms/matrix_tensors.h"

namespace cospadi {

namespace {

constexpr const char* kWeight = "weight";

}  // namespace

DenseWeight::DenseWeight(Eigen::MatrixXf weight) : m_weight(std::move(weight)) {
    for (float& value : m_weight.reshaped()) {
        value = roundedToBf16(value);
    }
}

std::unique_ptr<LinearLayer> DenseWeight::makeLayer(std::int64_t storedBytes) const {
    return std::make_unique<PackedDenseLayer>(m_weight, storedBytes);
}

nlohmann::json DenseWeight::facts() const { return nlohmann::json::object(); }

bool DenseWeight::equals(const StoredWeight& other) const {
    const auto* same = dynamic_cast<const DenseWeight*>(&other);
    return same != nullptr && m_weight == same->m_weight;
}

void DenseWeight::write(MatrixTensors& tensors) const { tensors.addColumns(kWeight, m_weight, 16); }

StoredWeightPtr DenseWeight::read(const StoredTensors& file) {
    return std::make_shared<const DenseWeight>(
        file.columns(kWeight, file.record().d1, file.record().d2, 16));
}

Phrase DenseWeight::describe(const nlohmann::json& /*facts*/) { return Phrase{"dense, 16-bit"}; }

}  // namespace cospadi
