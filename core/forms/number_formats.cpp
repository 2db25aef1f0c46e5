#include "core/forms/number_formats.h"

#include <algorithm>
#include <cmath>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/base/short_float.h"

namespace cospadi {

namespace {

constexpr int kLargestShift = 60;  // far from the ends of a float's range
constexpr float kLargestByte = 127;
constexpr int kByteDigits = 6;  // 127 = 1.98 · 2⁶

// So that the largest code of every atom lies in [1, 2).
void moveScaleIntoAtoms(Eigen::MatrixXf& dictionary, Eigen::MatrixXf& codes) {
    Eigen::VectorXf largest = Eigen::VectorXf::Zero(codes.rows());
    for (const auto& column : codes.colwise()) {  // as they lie in memory
        largest = largest.cwiseMax(column.cwiseAbs());
    }
    Eigen::VectorXf shrink = Eigen::VectorXf::Ones(codes.rows());
    for (Eigen::Index i = 0; i < codes.rows(); ++i) {
        if (largest(i) > 0) {
            const int exponent = std::ilogb(largest(i));
            shrink(i) = std::ldexp(1.0F, -std::clamp(exponent, -kLargestShift, kLargestShift));
        }
    }
    for (auto column : codes.colwise()) {
        column.array() *= shrink.array();
    }
    dictionary = dictionary * shrink.cwiseInverse().asDiagonal();
}

}  // namespace

const char* name(CoefficientFormat format) {
    return format == CoefficientFormat::ShortExponent ? "exponent" : "mantissa";
}

CoefficientFormat coefficientFormatFromName(const std::string& name) {
    for (const CoefficientFormat format :
         {CoefficientFormat::ShortMantissa, CoefficientFormat::ShortExponent}) {
        if (name == cospadi::name(format)) {
            return format;
        }
    }
    throw Error("'" + name + "' is not a format of coefficients", "coefficient_format",
                "use auto, mantissa (shortened, as in the paper) or exponent");
}

void roundCoefficients(CoefficientFormat format, int bits, CoefficientRounding rounding,
                       Eigen::MatrixXf& columns, Eigen::MatrixXf& coefficients) {
    if (format == CoefficientFormat::ShortExponent && ShortFloat::exists(bits)) {
        moveScaleIntoAtoms(columns, coefficients);
        const ShortFloat shortFloat(bits);
        for (float& value : coefficients.reshaped()) {
            value = shortFloat.rounded(value);
        }
        return;
    }
    for (float& value : coefficients.reshaped()) {
        value = rounding == CoefficientRounding::Truncate ? truncatedBf16(value, bits)
                                                          : roundedToBf16(value, bits);
    }
}

int byteExponent(float largest) {
    const int exponent = std::ilogb(largest) - kByteDigits;
    return std::ldexp(largest, -exponent) > kLargestByte ? exponent + 1 : exponent;
}

Eigen::VectorXf roundAtomsToBytes(Eigen::MatrixXf& dictionary) {
    Eigen::VectorXf stretch = Eigen::VectorXf::Ones(dictionary.cols());
    for (Eigen::Index j = 0; j < dictionary.cols(); ++j) {
        auto atom = dictionary.col(j);
        const float largest = atom.cwiseAbs().maxCoeff();
        if (!(largest > 0)) {
            continue;
        }
        const float unit = std::ldexp(1.0F, byteExponent(largest));
        stretch(j) = kLargestByte * unit / largest;
        for (float& entry : atom) {
            entry = std::round(entry / largest * kLargestByte) * unit;
        }
    }
    return stretch;
}

Eigen::VectorXf roundColumns(int bits, Eigen::MatrixXf& columns) {
    if (bits != 16) {
        return roundAtomsToBytes(columns);
    }
    for (float& value : columns.reshaped()) {
        value = roundedToBf16(value);
    }
    return Eigen::VectorXf::Ones(columns.cols());
}

}  // namespace cospadi
