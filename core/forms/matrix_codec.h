// The values of a matrix file as bits (docs/formats.md): coefficients of 8 to 16 bits in a stream,
// and atoms, or columns of a left factor, of bytes with an exponent each.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/bfloat16.h"
#include "core/base/short_float.h"
#include "core/forms/number_formats.h"

namespace cospadi {

// Appends `width` bits; the stream fills bytes from their low end.
class BitWriter {
  public:
    explicit BitWriter(int width) : m_width(width) {}

    void add(std::uint16_t pattern) {
        m_pending |= static_cast<std::uint64_t>(pattern) << m_filled;
        m_filled += m_width;
        while (m_filled >= 8) {
            m_bytes.push_back(static_cast<std::uint8_t>(m_pending));
            m_pending >>= 8;
            m_filled -= 8;
        }
    }

    std::vector<std::uint8_t> finish() {
        if (m_filled > 0) {
            m_bytes.push_back(static_cast<std::uint8_t>(m_pending));
        }
        return std::move(m_bytes);
    }

  private:
    int m_width;
    std::uint64_t m_pending = 0;
    int m_filled = 0;
    std::vector<std::uint8_t> m_bytes;
};

class BitReader {
  public:
    BitReader(std::span<const std::byte> bytes, int width) : m_bytes(bytes), m_width(width) {}

    std::uint16_t next() {
        while (m_filled < m_width) {
            m_pending |= static_cast<std::uint64_t>(m_bytes[m_position++]) << m_filled;
            m_filled += 8;
        }
        const auto pattern = static_cast<std::uint16_t>(m_pending & ((1ULL << m_width) - 1));
        m_pending >>= m_width;
        m_filled -= m_width;
        return pattern;
    }

  private:
    std::span<const std::byte> m_bytes;
    int m_width;
    std::size_t m_position = 0;
    std::uint64_t m_pending = 0;
    int m_filled = 0;
};

// A coefficient's bits, at the low end, and back.
class CoefficientCode {
  public:
    CoefficientCode(CoefficientFormat format, int bits) : m_bits(bits) {
        if (format == CoefficientFormat::ShortExponent && ShortFloat::exists(bits)) {
            m_short.emplace(bits);
            for (unsigned pattern = 0; pattern < 1U << static_cast<unsigned>(bits); ++pattern) {
                m_values.push_back(m_short->value(static_cast<std::uint16_t>(pattern)));
            }
        }
    }

    int bits() const { return m_bits; }

    std::uint16_t pattern(float value) const {
        return m_short ? m_short->pattern(value)
                       : static_cast<std::uint16_t>(bf16FromFloat(value, m_bits) >> (16 - m_bits));
    }

    float value(std::uint16_t pattern) const {
        return m_short ? m_values[pattern]
                       : floatFromBf16(static_cast<std::uint16_t>(pattern << (16 - m_bits)));
    }

  private:
    int m_bits;
    std::optional<ShortFloat> m_short;
    std::vector<float> m_values;  // of every short pattern: a model has millions to read
};

// All entries, column by column, in so many bits each; what a code of these bits reads back.
std::vector<std::uint8_t> streamOf(const Eigen::MatrixXf& values, const CoefficientCode& code);
Eigen::MatrixXf matrixOfStream(std::span<const std::byte> stream, const CoefficientCode& code,
                               std::int64_t rows, std::int64_t cols);
// Bytes of a stream of `count` values.
std::int64_t streamBytes(std::int64_t count, int bits);

// Entry (i, j) of the dictionary is bytes[j · rows + i] · 2^exponents[j].
struct ByteAtoms {
    std::vector<std::int8_t> bytes;
    std::vector<std::int8_t> exponents;
};

// Of a dictionary that roundAtomsToBytes() has given. Error for an atom whose exponent has no byte.
ByteAtoms byteAtomsOf(const Eigen::MatrixXf& dictionary);
// Back again; bytes (rows · k), exponents (k).
Eigen::MatrixXf matrixOfBytes(std::span<const std::byte> bytes,
                              std::span<const std::byte> exponents, std::int64_t rows);

}  // namespace cospadi
