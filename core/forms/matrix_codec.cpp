#include "core/forms/matrix_codec.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/base/error.h"

namespace cospadi {

namespace {

std::int8_t signedByte(std::byte byte) { return std::bit_cast<std::int8_t>(byte); }

}  // namespace

std::vector<std::uint8_t> streamOf(const Eigen::MatrixXf& values, const CoefficientCode& code) {
    BitWriter writer(code.bits());
    for (const float value : values.reshaped()) {
        writer.add(code.pattern(value));
    }
    return writer.finish();
}

Eigen::MatrixXf matrixOfStream(std::span<const std::byte> stream, const CoefficientCode& code,
                               std::int64_t rows, std::int64_t cols) {
    Eigen::MatrixXf values(rows, cols);
    BitReader reader(stream, code.bits());
    for (float& value : values.reshaped()) {
        value = code.value(reader.next());
    }
    return values;
}

std::int64_t streamBytes(std::int64_t count, int bits) { return (count * bits + 7) / 8; }

ByteAtoms byteAtomsOf(const Eigen::MatrixXf& dictionary) {
    ByteAtoms atoms;
    atoms.bytes.reserve(static_cast<std::size_t>(dictionary.size()));
    for (const auto& atom : dictionary.colwise()) {
        const float largest = atom.cwiseAbs().maxCoeff();
        const int exponent = largest > 0 ? byteExponent(largest) : 0;
        if (exponent != static_cast<std::int8_t>(exponent)) {
            throw Error(fmt::format("an atom of size {} is too small or too large", largest),
                        "dictionary", "check the weight and the calibration Gram");
        }
        atoms.exponents.push_back(static_cast<std::int8_t>(exponent));
        for (const float entry : atom) {
            atoms.bytes.push_back(static_cast<std::int8_t>(std::ldexp(entry, -exponent)));
        }
    }
    return atoms;
}

Eigen::MatrixXf matrixOfBytes(std::span<const std::byte> bytes,
                              std::span<const std::byte> exponents, std::int64_t rows) {
    Eigen::MatrixXf result(rows, static_cast<Eigen::Index>(exponents.size()));
    auto byte = bytes.begin();
    for (Eigen::Index j = 0; j < result.cols(); ++j) {
        const float unit = std::ldexp(1.0F, signedByte(exponents[static_cast<std::size_t>(j)]));
        for (float& entry : result.col(j)) {
            entry = unit * signedByte(*byte++);
        }
    }
    return result;
}

}  // namespace cospadi
