// The residual stream of a sample of text between two blocks of a model, in files: what lets work
// go block by block over any number of tokens, and resume.
//
// <folder>/residual-NNN.f32 is the input of block NNN: (hidden, sequences · length) floats, a token
// a column, in the machine's byte order; for the process that resumes, not for exchange. Not
// thread-safe. Errors: cospadi::Error naming the file.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/model/forward.h"
#include "core/tensors/mapped_file.h"

namespace cospadi {

// Tokens that pass through a block at once, in whole sequences.
inline constexpr std::int64_t kCalibrationBatchTokens = 2048;

class ResidualStream {
  public:
    // No batch holds sequences from both sides of `split`, 0 < split ≤ sequences: those before it
    // are computed as if they were alone.
    ResidualStream(std::filesystem::path folder, std::int64_t hidden, std::int64_t sequences,
                   std::int64_t length, std::int64_t split);

    // Whether the input of this block is there whole.
    bool has(std::int64_t block) const;
    void remove(std::int64_t block) const;
    // The embedding's output: the input of block 0.
    void writeEmbedding(const ForwardPass& pass, std::span<const std::int32_t> ids) const;

    // A batch of it: (hidden, count · length).
    Eigen::MatrixXf read(std::int64_t block, std::int64_t firstSequence, std::int64_t count) const;
    // All sequences at once, (hidden, sequences · length). Atomic.
    void write(std::int64_t block, const Eigen::MatrixXf& residual) const;

    // Runs `pass` over the input of `block`, a batch of whole sequences at a time, with the hook
    // told which sequence its first column belongs to. A whole block leaves the input of the next
    // one behind. False when cancelled; nothing is then left behind.
    using Hook =
        std::function<void(const std::string& gramKey, const Eigen::Ref<const Eigen::MatrixXf>& X,
                           std::int64_t firstSequence)>;
    bool runBlock(ForwardPass& pass, std::int64_t block, BlockStage until, const Hook& hook,
                  const std::function<void(std::int64_t sequencesDone)>& progress,
                  const std::stop_token& stop) const;

    std::int64_t sequences() const { return m_sequences; }
    std::int64_t length() const { return m_length; }

  private:
    std::filesystem::path file(std::int64_t block) const;

    std::filesystem::path m_folder;
    std::int64_t m_hidden;
    std::int64_t m_sequences;
    std::int64_t m_length;
    std::int64_t m_split;
};

}  // namespace cospadi
