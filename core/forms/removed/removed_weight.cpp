#include "core/forms/removed/removed_weight.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/forms/forms.h"
#include "core/forms/matrix_tensors.h"
#include "core/model/layer_info.h"

namespace cospadi {

namespace {

constexpr std::int64_t kMostEntries = std::int64_t{1} << 31;  // more than any layer has

class ZeroLayer final : public LinearLayer {
  public:
    ZeroLayer(std::int64_t d1, std::int64_t d2) : m_d1(d1), m_d2(d2) {}

    std::int64_t d1() const override { return m_d1; }
    std::int64_t d2() const override { return m_d2; }
    std::int64_t storedBytes() const override { return 0; }
    std::int64_t memoryBytes() const override { return 0; }
    void apply(ThreadPool& /*pool*/, const Eigen::Ref<const Eigen::MatrixXf>& X,
               Eigen::MatrixXf& Y) const override {
        Y.setZero(m_d2, X.cols());
    }
    std::vector<Eigen::MatrixXf> factors() const override {
        return {Eigen::MatrixXf::Zero(m_d1, m_d2)};
    }

  private:
    std::int64_t m_d1;
    std::int64_t m_d2;
};

bool isOfRemoved(const std::filesystem::path& file) {
    try {
        return isRemoved(StoredTensors(file).form());
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::unique_ptr<LinearLayer> RemovedWeight::makeLayer(std::int64_t /*storedBytes*/) const {
    return std::make_unique<ZeroLayer>(m_d1, m_d2);
}

nlohmann::json RemovedWeight::facts() const { return nlohmann::json::object(); }

bool RemovedWeight::equals(const StoredWeight& other) const {
    const auto* same = dynamic_cast<const RemovedWeight*>(&other);
    return same != nullptr && m_d1 == same->m_d1 && m_d2 == same->m_d2;
}

void RemovedWeight::write(MatrixTensors& /*tensors*/) const {}

StoredWeightPtr RemovedWeight::read(const StoredTensors& file) {
    const MatrixRecord& record = file.record();
    if (record.d1 > 0 && record.d2 > kMostEntries / record.d1) {
        file.reject("sizes in the metadata are out of range");
    }
    return std::make_shared<const RemovedWeight>(record.d1, record.d2);
}

Phrase RemovedWeight::describe(const nlohmann::json& /*facts*/) { return Phrase{"removed"}; }

std::vector<std::int64_t> leftOutBlocks(const std::filesystem::path& matrices) {
    std::vector<std::int64_t> blocks;
    std::error_code failed;
    const std::string first = std::string(".") + std::string(kLayerKinds.front());
    for (const auto& entry : std::filesystem::directory_iterator(matrices, failed)) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() != ".safetensors" || !name.ends_with(first) ||
            !isOfRemoved(entry.path())) {
            continue;
        }
        const std::int64_t block = StoredTensors(entry.path()).record().block;
        if (std::all_of(kLayerKinds.begin(), kLayerKinds.end(), [&](std::string_view kind) {
                return isOfRemoved(unitFile(matrices, layerName(block, kind)));
            })) {
            blocks.push_back(block);
        }
    }
    std::sort(blocks.begin(), blocks.end());
    return blocks;
}

}  // namespace cospadi
