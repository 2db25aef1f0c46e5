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
                               std::int64_t length, std::int64_t split)
    : m_folder(std::move(folder)),
      m_hidden(hidden),
      m_sequences(sequences),
      m_length(length),
      m_split(split) {}

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

Eigen::MatrixXf ResidualStream::read(std::int64_t block, std::int64_t firstSequence,
                                     std::int64_t count) const {
    const std::shared_ptr<const MappedFile> input = MappedFile::open(file(block));
    Eigen::MatrixXf residual(m_hidden, count * m_length);
    const std::int64_t offset = firstSequence * m_length * m_hidden;
    std::memcpy(residual.data(),
                input->bytes().data() + static_cast<std::size_t>(offset) * sizeof(float),
                static_cast<std::size_t>(residual.size()) * sizeof(float));
    return residual;
}

void ResidualStream::write(std::int64_t block, const Eigen::MatrixXf& residual) const {
    AtomicFile output(file(block));
    append(output, residual);
    output.commit();
}

bool ResidualStream::runBlock(ForwardPass& pass, std::int64_t block, BlockStage until,
                              const Hook& hook,
                              const std::function<void(std::int64_t sequencesDone)>& progress,
                              const std::stop_token& stop) const {
    const std::int64_t batch = std::max<std::int64_t>(1, kCalibrationBatchTokens / m_length);
    std::optional<AtomicFile> output;
    if (until == BlockStage::Whole) {
        output.emplace(file(block + 1));
    }
    Eigen::MatrixXf residual;
    std::int64_t count = 0;
    for (std::int64_t first = 0; first < m_sequences; first += count) {
        if (stop.stop_requested()) {
            return false;
        }
        count = std::min(batch, (first < m_split ? m_split : m_sequences) - first);
        residual = read(block, first, count);
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
