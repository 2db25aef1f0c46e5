#include "core/tokenizer/text_budget.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr const char* kHint =
    "no published tokenizer needs that: fetch the model's tokenizer again";

}  // namespace

void TextBudget::failBytes(const std::string& step) const {
    throw Error(fmt::format("makes a text longer than {} bytes, {} times what it was", m_mostBytes,
                            kGrowth),
                step, kHint);
}

void TextBudget::failTime(const std::string& step) {
    throw Error("takes too long over this text", step,
                "split the text into shorter parts; else fetch the model's tokenizer again");
}

}  // namespace cospadi
