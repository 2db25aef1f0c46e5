#include "core/methods/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/forms/integer_columns.h"

namespace cospadi {

double StoragePlan::bytes() const {
    double sum = 0;
    for (const StoragePart& part : parts) {
        sum += part.bytes;
    }
    return sum;
}

bool Method::uses(const std::string& setting) const {
    const std::vector<std::string>& all = settings();
    return std::find(all.begin(), all.end(), setting) != all.end();
}

const std::vector<Option>& Method::ownOptions() const {
    static const std::vector<Option> none;
    return none;
}

namespace {

const Option* optionIn(const std::vector<Option>& options, const std::string& name) {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const Option& option) { return name == option.name; });
    return found != options.end() ? &*found : nullptr;
}

}  // namespace

std::vector<const Option*> Method::options() const {
    std::vector<const Option*> all;
    for (const std::string& setting : settings()) {
        const Option* own = optionIn(ownOptions(), setting);
        const Option* option = own != nullptr ? own : optionIn(sharedOptions(), setting);
        if (option != nullptr) {
            all.push_back(option);
        }
    }
    return all;
}

const char* Method::formUnder(const MatrixOptions& /*options*/) const { return form(); }

void Method::validate(const MatrixOptions& options) const { validateOwnOptions(options); }

bool Method::hasRatio(const MatrixOptions& /*options*/) const { return uses("cr"); }

void Method::requireShape(const MatrixOptions& /*options*/, std::int64_t /*d1*/,
                          std::int64_t /*d2*/) const {}

void Method::validateOwnOptions(const MatrixOptions& options) const {
    for (const Option& option : ownOptions()) {
        requireInRange(option, valueOf(option, options.own));
    }
}

const Method& Method::withoutCalibration() const { return *this; }

bool Method::needsGradients() const { return false; }

const BlockMethod* Method::asBlockMethod() const { return nullptr; }

bool Method::solvesByParts(const MatrixOptions& /*options*/) const { return false; }

bool Method::weighsPartsAlike(const MatrixOptions& /*options*/) const { return false; }

bool Method::weighsPartsByCost(const MatrixOptions& /*options*/) const { return false; }

bool Method::sharesOverOutputs() const { return false; }
double Method::metricsWork(const MatrixOptions& /*options*/, std::int64_t /*d1*/,
                           std::int64_t /*d2*/, std::vector<std::int64_t> /*widths*/) const {
    return 0;
}

std::size_t Method::mostLayersInUnit() const { return std::numeric_limits<std::size_t>::max(); }

int Method::coefficientBits(const MatrixOptions& /*options*/, std::int64_t /*d1*/,
                            std::int64_t /*d2*/) const {
    return 16;
}

bool Method::usuallyRefits(const MatrixOptions& /*options*/) const { return false; }

CoefficientFormat Method::usualCoefficientFormat(const MatrixOptions& /*options*/) const {
    return CoefficientFormat::ShortExponent;
}

int Method::usualIterations(const MatrixOptions& /*options*/) const { return 0; }

PhaseNames Method::phases(const MatrixOptions& /*options*/) const { return {}; }

bool Method::draws(const MatrixOptions& /*options*/, std::int64_t /*d1*/, std::int64_t /*d2*/,
                   bool /*anyRatio*/) const {
    return false;
}

double Method::workingFloats(const MatrixOptions& /*options*/, std::int64_t /*d1*/,
                             std::int64_t /*d2*/) const {
    return 0;
}

const OptionValue& Method::ownValue(const MatrixOptions& options, const char* name) const {
    return valueOf(*optionIn(ownOptions(), name), options.own);
}

std::int64_t Method::wholeOption(const MatrixOptions& options, const char* name) const {
    return std::get<std::int64_t>(ownValue(options, name));
}

double Method::realOption(const MatrixOptions& options, const char* name) const {
    return std::get<double>(ownValue(options, name));
}

const std::vector<const Option*>& allOwnOptions() {
    static const std::vector<const Option*> all = [] {
        std::vector<const Option*> options;
        std::set<std::string> names;  // some methods have one in common
        for (const Method* method : methods()) {
            for (const Option& option : method->ownOptions()) {
                if (names.insert(option.name).second) {
                    options.push_back(&option);
                }
            }
        }
        return options;
    }();
    return all;
}

const std::vector<const Option*>& allOptions() {
    static const std::vector<const Option*> all = [] {
        std::vector<const Option*> options;
        for (const Option& option : sharedOptions()) {
            options.push_back(&option);
        }
        options.insert(options.end(), allOwnOptions().begin(), allOwnOptions().end());
        return options;
    }();
    return all;
}

const Option* findOption(const std::string& name) {
    const std::vector<const Option*>& all = allOptions();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Option* option) { return name == option->name; });
    return found != all.end() ? *found : nullptr;
}

void setOwnOption(MatrixOptions& options, const std::string& name, const std::string& text) {
    options.own.insert_or_assign(name, optionFromText(*findOption(name), text));
}

bool refits(const MatrixOptions& options) {
    return options.refit.value_or(options.method->usuallyRefits(options));
}

CoefficientFormat coefficientFormatOf(const MatrixOptions& options) {
    return options.coefficientFormat.value_or(options.method->usualCoefficientFormat(options));
}

double budgetBytes(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    return options.method->plan(options, d1, d2).bytes();
}

int fewestCoefficientBits(const MatrixOptions& options) {
    if (options.accounting == Accounting::Integers) {
        return kFewestIntegerBits;
    }
    return coefficientFormatOf(options) == CoefficientFormat::ShortMantissa ? 9 : 8;
}

void requireCoefficientBits(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    const int bits = options.method->coefficientBits(options, d1, d2);
    if (bits < fewestCoefficientBits(options)) {
        throw Error(fmt::format("{} bits per coefficient are too few for a short {}", bits,
                                name(coefficientFormatOf(options))),
                    "coefficient_bits",
                    options.method->uses("rho")
                        ? "give 9 or more, use coefficient_format exponent, eq10, or a smaller ρ"
                        : "give 9 or more, or use coefficient_format exponent");
    }
}

void requireStorable(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    options.method->requireShape(options, d1, d2);
    static_cast<void>(options.method->plan(options, d1, d2));
    requireCoefficientBits(options, d1, d2);
}

bool isStorable(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    try {
        requireStorable(options, d1, d2);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace cospadi
