#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/permutation.h"
#include "core/calibration/calibration.h"
#include "core/calibration/text_corpus.h"

namespace cospadi {

void CalibrationOptions::validate() const {
    if (text.empty()) {
        throw Error("no calibration text is given", "--text", "give a .jsonl or .txt file");
    }
    if (sequences < 1 || sequences > 1'000'000) {
        throw Error("the number of sequences must be between 1 and 1000000", "--sequences",
                    "64 is typical");
    }
    if (length < 2 || length > 65536) {
        throw Error("the length must be between 2 and 65536 tokens", "--length", "512 is typical");
    }
    if (heldOut < 0 || heldOut >= sequences) {
        throw Error("some sequences must remain for fitting", "--held-out",
                    "give a fraction such as 0.125, and at least two sequences");
    }
}

std::int64_t heldOutSequences(double share, std::int64_t sequences) {
    if (!(share > 0) || sequences < 2) {
        return 0;
    }
    return std::clamp<std::int64_t>(std::llround(share * static_cast<double>(sequences)), 1,
                                    sequences - 1);
}

std::vector<std::int32_t> sampleSequences(const Tokenizer& tokenizer,
                                          const CalibrationOptions& options) {
    options.validate();
    std::vector<std::string> documents = readDocuments(options.text);
    shuffle(documents, options.seed);
    const auto wanted = static_cast<std::size_t>(options.sequences * options.length);
    std::vector<std::int32_t> ids;
    for (const std::string& document : documents) {
        if (ids.size() >= wanted) {
            break;
        }
        const std::vector<std::int32_t> more = tokenizer.encode(document);
        ids.insert(ids.end(), more.begin(), more.end());
    }
    if (ids.size() < wanted) {
        throw Error("holds " + std::to_string(ids.size()) + " tokens, but " +
                        std::to_string(wanted) + " are needed",
                    options.text.string(), "give more text, or fewer or shorter sequences");
    }
    ids.resize(wanted);
    return ids;
}

}  // namespace cospadi
