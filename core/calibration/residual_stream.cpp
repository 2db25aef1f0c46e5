#include "core/calibration/residual_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

void append(AtomicFile& file, const Eigen::MatrixXf& residual) {
    file.write(std::as_bytes(
        std::span<const float>(residual.data(), static_cast<std::size_t>(residual.size()))));
}

}  // namespace

ResidualStream::ResidualStream(fs::path folder, std::int64_t hidden, std::int64_t sequences,
                               std::int64_t length)
    : m_folder(std::move(folder)), m_hidden(hidden), m_sequences(sequences), m_length(length) {}

fs::path ResidualStream::file(std::int64_t block) const {
    return m_folder / fmt::format("residual-{:03}.f32", block);
}

bool ResidualStream::has(std::int64_t block) const {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(file(block), failure);
    const std::int64_t floats = m_hidden * m_sequences * m_length;
    return !failure && bytes == static_cast<std::uintmax_t>(floats) * sizeof(float);
}

void ResidualStream::remove(std::int64_t block) const {
    std::error_code ignored;
    fs::remove(file(block), ignored);
}

void ResidualStream::writeEmbedding(const ForwardPass& pass,
                                    std::span<const std::int32_t> ids) const {
    AtomicFile output(file(0));
    for (std::size_t first = 0; first < ids.size(); first += kCalibrationBatchTokens) {
        append(output, pass.embed(ids.subspan(first, std::min<std::size_t>(kCalibrationBatchTokens,
                                                                           ids.size() - first))));
    }
    output.commit();
}

bool ResidualStream::runBlock(ForwardPass& pass, std::int64_t block, BlockStage until,
                              const Hook& hook,
                              const std::function<void(std::int64_t sequencesDone)>& progress,
                              const std::stop_token& stop) const {
    const std::int64_t batch = std::max<std::int64_t>(1, kCalibrationBatchTokens / m_length);
    const std::shared_ptr<const MappedFile> input = MappedFile::open(file(block));
    std::optional<AtomicFile> output;
    if (until == BlockStage::Whole) {
        output.emplace(file(block + 1));
    }
    Eigen::MatrixXf residual;
    for (std::int64_t first = 0; first < m_sequences; first += batch) {
        if (stop.stop_requested()) {
            return false;
        }
        const std::int64_t count = std::min(batch, m_sequences - first);
        residual.resize(m_hidden, count * m_length);
        const auto offset = static_cast<std::size_t>(first * m_length * m_hidden) * sizeof(float);
        std::memcpy(residual.data(), input->bytes().data() + offset,
                    static_cast<std::size_t>(residual.size()) * sizeof(float));
        pass.runBlock(
            block, residual, m_length,
            [&](const std::string& key, const Eigen::Ref<const Eigen::MatrixXf>& X) {
                hook(key, X, first);
            },
            until);
        if (output) {
            append(*output, residual);
        }
        if (progress) {
            progress(first + count);
        }
    }
    if (output) {
        output->commit();
    }
    return true;
}

}  // namespace cospadi
