#include "core/methods/allocation_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace cospadi {

const std::vector<AllocationWords>& allocationWords() {
    static const std::vector<AllocationWords> all = {
        {"uniform", "same CR for all", "the same CR for every matrix", "", ""},
        {"knapsack", "by sensitivity",
         "the same total bytes, with more for matrices whose errors cost the predictions more", "",
         "knapsack"},
        {"svd-llm-v2", "SVD-LLM V2",
         "within matrices of a kind, more where a truncated SVD of the whitened weight loses more",
         "SVD-LLM V2 (arXiv 2503.12340)", "svd-llm-v2 allocation"},
        {"compot", "COMPOT", "one cut through the singular values of all normalised weights",
         "COMPOT (arXiv 2602.15200)", "compot allocation"},
        {"rocket", "ROCKET", "the smallest sum of the weights' errors, none far above their mean",
         "ROCKET (arXiv 2602.11008)", "rocket allocation"}};
    return all;
}

const AllocationWords* findAllocationWords(const std::string& name) {
    const std::vector<AllocationWords>& all = allocationWords();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const AllocationWords& words) { return name == words.name; });
    return found != all.end() ? &*found : nullptr;
}

const AllocationWords& allocationWordsOf(const std::string& name) {
    if (const AllocationWords* found = findAllocationWords(name)) {
        return *found;
    }
    std::string names;
    for (const AllocationWords& words : allocationWords()) {
        names += names.empty() ? "" : &words == &allocationWords().back() ? " or " : ", ";
        names += words.name;
    }
    throw Error(fmt::format("'{}' is not an allocation rule", name), "allocation", "use " + names);
}

}  // namespace cospadi
