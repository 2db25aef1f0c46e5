// Calibration: the Gram matrices of all linear layers' inputs over a sample of text (paper §3:
// G = XᵀX, X the calibration activations with a token a row).
//
// Sampling: documents are shuffled by `seed` (Fisher–Yates over mt19937_64, the same everywhere),
// tokenised as plain text without special tokens, and their ids joined without a separator; the
// stream is cut into `sequences` pieces of `length` ids. Each piece is run alone from position 0.
//
// The last `heldOut` pieces may be kept from the sums that are fitted and summed up apart, in the
// same pass: errors in their metric show what fitting has learned of the text alone. The fitted
// sums are those of the other pieces alone, to the bit. A document may go on from the last fitted
// piece into the first that is held out.
//
// All pieces go through one block of the model before the next block begins; the residual stream
// waits in a file. So only one block's sums are in memory, whatever the model's depth and the
// number of tokens, and a finished block is a point to resume from: a calibration that was
// cancelled or killed goes on there when it is started again with the same settings, and so does
// one of which only the first blocks were asked for.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/calibration/weight_gradients.h"
#include "core/model/model.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

class DeviceProducts;

struct CalibrationOptions {
    std::filesystem::path text;  // see text_corpus.h
    std::int64_t sequences = 64;
    std::int64_t length = 512;  // tokens per sequence
    std::uint64_t seed = 42;
    std::int64_t heldOut = 0;      // of the sequences, the last ones: summed up apart
    std::int64_t blocks = 0;       // sums of the first so many of the model; 0: of all
    bool weightGradients = false;  // GramSet::weightGradients, too, of all blocks
    bool useCache = true;          // read and write the disk cache

    std::int64_t fitted() const { return sequences - heldOut; }
    bool asksFor(std::int64_t block) const { return blocks == 0 || block < blocks; }

    // Throws cospadi::Error naming the option that is out of range.
    void validate() const;
};

// How many of the sequences are held out for this share of them: the nearest whole number, at least
// one where the share is not 0, and never all.
std::int64_t heldOutSequences(double share, std::int64_t sequences);

// Sums over the sequences that are fitted, or over those that are held out.
enum class GramShare { Fitted, HeldOut };

// The finished Gram matrices, mapped from their files and unpacked when asked for. Immutable, so
// thread-safe.
class GramSet {
  public:
    std::int64_t tokens = 0;  // of all sequences
    std::int64_t sequences = 0;
    std::int64_t heldOut = 0;  // of those
    bool fromCache = false;
    double seconds = 0;
    std::string cacheProblem;  // why the result could not be cached; empty where it could
    std::string cacheKey;      // hex; identifies model + text + settings in run records
    std::optional<WeightGradients> weightGradients;  // where the options asked for them

    std::int64_t fittedTokens() const { return tokens / sequences * (sequences - heldOut); }

    // (d1, d1), symmetric, not normalised. Error naming the key where it is absent or damaged.
    Eigen::MatrixXd gram(const std::string& gramKey, GramShare share = GramShare::Fitted) const;
    std::vector<std::string> keys() const;

  private:
    friend std::optional<GramSet> openGrams(const std::filesystem::path& folder,
                                            const std::string& key,
                                            const std::vector<LayerInfo>& layers,
                                            const CalibrationOptions& options);
    struct Packed {
        TensorView packed;
        std::int64_t d1 = 0;
    };
    std::map<GramShare, std::map<std::string, Packed>> m_grams;
};

// The sampled ids, sequence after sequence: sequences × length of them. Too few tokens: Error.
std::vector<std::int32_t> sampleSequences(const Tokenizer& tokenizer,
                                          const CalibrationOptions& options);

// nullopt when cancelled. Progress counts sequences through blocks, stage "calibration", and then
// "gradients" where weights' gradients are asked for, which are always summed here. products: take
// over what pays on a device; a block in whose sums it fails is begun anew where the CPU may take
// over, else that is a DeviceError. Of a deferred model one block is in memory at a time, and none
// in the end; where gradients had to be summed, all of them stay.
std::optional<GramSet> calibrate(const Model& model, ThreadPool& pool,
                                 const CalibrationOptions& options,
                                 const ProgressCallback& progress = {},
                                 const std::stop_token& stop = {},
                                 DeviceProducts* products = nullptr);

}  // namespace cospadi
