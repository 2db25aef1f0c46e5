#include "core/run/block_removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/calibration/block_statistics.h"
#include "core/forms/dense/dense_weight.h"
#include "core/forms/removed/removed_weight.h"
#include "core/run/resolve_specification.h"
#include "core/store/json_field.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

constexpr const char* kMadeAgain = "delete it; the run makes it again";

}  // namespace

BlockRemoval::BlockRemoval(const RunSpecification& specification, const Model& model,
                           const std::filesystem::path& run)
    : m_specification(specification),
      m_method(*methodOf(specification).asBlockMethod()),
      m_model(model),
      m_file(run / "blocks.json") {}

std::string BlockRemoval::lastLayer() const { return layerName(m_row.first - 1, "ffn_down"); }

bool BlockRemoval::prepare(const std::vector<LayerInfo>& missing, ThreadPool& pool,
                           DeviceProducts* products, const ProgressCallback& progress,
                           const std::stop_token& stop) {
    m_row.count = m_method.blocksLeftOut(m_specification, m_model.config().blocks);
    std::error_code failed;
    const bool isChosen = std::filesystem::exists(m_file, failed);
    if (isChosen) {
        readChoice();
    } else if (!choose(pool, products, progress, stop)) {
        return false;
    }
    const bool isMissing =
        std::any_of(missing.begin(), missing.end(),
                    [this](const LayerInfo& layer) { return layer.name == lastLayer(); });
    if (isChosen && !isMissing) {
        return true;
    }
    const auto sums = sumsOfRow(m_model, pool, calibrationOptionsOf(m_specification), m_row.first,
                                m_row.count, progress, stop, products);
    if (!sums) {
        return false;
    }
    const Eigen::MatrixXd map = m_method.transform(m_specification, *sums);
    m_row.errorWithout = hiddenError(*sums, Eigen::MatrixXd::Identity(map.rows(), map.cols()));
    m_row.errorWith = hiddenError(*sums, map);
    m_changed = withTransform(m_model.weight(lastLayer()), map);
    if (!m_changed->allFinite()) {
        throw Error("the replacement of the removed blocks is not finite", lastLayer(),
                    "give a ridge such as 1e-3, or more calibration text");
    }
    if (!isChosen) {
        writeChoice();
    }
    return true;
}

bool BlockRemoval::choose(ThreadPool& pool, DeviceProducts* products,
                          const ProgressCallback& progress, const std::stop_token& stop) {
    auto distances = blockDistances(m_model, pool, calibrationOptionsOf(m_specification),
                                    m_row.count, progress, stop, products);
    if (!distances) {
        return false;
    }
    m_row.distances = std::move(*distances);
    m_row.first = m_method.firstLeftOut(m_row.distances);
    return true;
}

void BlockRemoval::readChoice() {
    const nlohmann::json record = readRunJson(m_file, kMadeAgain);
    const auto count = fieldOf<std::int64_t>(record, "count", m_file, kMadeAgain);
    m_row.first = fieldOf<std::int64_t>(record, "first", m_file, kMadeAgain);
    m_row.distances = fieldOf<std::vector<double>>(record, "distances", m_file, kMadeAgain);
    m_row.errorWithout = fieldOf<double>(record, "error_without", m_file, kMadeAgain);
    m_row.errorWith = fieldOf<double>(record, "error_with", m_file, kMadeAgain);
    const std::int64_t places = m_model.config().blocks - m_row.count;
    if (count != m_row.count || m_row.first < 1 || m_row.first > places ||
        static_cast<std::int64_t>(m_row.distances.size()) != places) {
        throw Error(fmt::format("lists {} blocks from block {} on, which are not those of this run",
                                count, m_row.first),
                    m_file.string(), kMadeAgain);
    }
}

void BlockRemoval::writeChoice() const {
    const nlohmann::json record{{"first", m_row.first},
                                {"count", m_row.count},
                                {"distances", m_row.distances},
                                {"error_without", m_row.errorWithout},
                                {"error_with", m_row.errorWith}};
    writeFileAtomically(m_file, record.dump(1) + "\n");
}

UnitProblem BlockRemoval::of(const LayerUnit& unit) const {
    const LayerInfo& layer = unit.layers.front();
    UnitProblem problem;
    LayerProblem& own = problem.layers.emplace_back();
    own.weight = m_model.weight(layer.name);
    if (m_row.holds(layer.block)) {
        problem.found = std::make_shared<const RemovedWeight>(layer.d1, layer.d2);
    } else {
        problem.found = std::make_shared<const DenseWeight>(
            layer.name == lastLayer() ? m_changed.value() : own.weight);
    }
    return problem;
}

}  // namespace cospadi
