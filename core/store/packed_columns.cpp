// Packing of iteration series for the store: version, three float columns and with version 2 one of
// held-out errors, three columns of whole numbers as narrow as they allow. Little-endian on every
// machine that the program runs on.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/error.h"
#include "core/store/iteration_series.h"

namespace cospadi {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char kVersion = 1;
constexpr char kWithHeldOut = 2;

void packFloats(const std::vector<float>& values, std::string& packed) {
    packed.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

std::size_t widthOf(const std::vector<std::int64_t>& values) {
    const std::int64_t largest =
        values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    return largest == 0          ? 0
           : largest < 1 << 8    ? 1
           : largest < 1 << 16   ? 2
           : largest < 1LL << 32 ? 4
                                 : 8;
}

void packWholes(const std::vector<std::int64_t>& values, std::string& packed) {
    const std::size_t width = widthOf(values);
    packed.push_back(static_cast<char>(width));
    for (const std::int64_t value : values) {
        packed.append(reinterpret_cast<const char*>(&value), width);
    }
}

class Unpacker {
  public:
    explicit Unpacker(std::string_view packed) : m_rest(packed) {}

    const char* take(std::size_t bytes) {
        if (m_rest.size() < bytes) {
            refuse("is truncated");
        }
        const char* begin = m_rest.data();
        m_rest.remove_prefix(bytes);
        return begin;
    }

    std::vector<float> floats(std::size_t count) {
        std::vector<float> values(count);
        const char* begin = take(count * sizeof(float));
        if (count > 0) {
            std::memcpy(values.data(), begin, count * sizeof(float));
        }
        return values;
    }

    std::vector<std::int64_t> wholes(std::size_t count) {
        const auto width = static_cast<std::size_t>(static_cast<unsigned char>(*take(1)));
        if (width > sizeof(std::int64_t)) {
            refuse("has a column of unknown width");
        }
        std::vector<std::int64_t> values(count);
        for (std::int64_t& value : values) {
            std::memcpy(&value, take(width), width);
        }
        return values;
    }

    void finish() const {
        if (!m_rest.empty()) {
            refuse("is too long");
        }
    }

    [[noreturn]] static void refuse(const std::string& what) {
        throw Error("a stored series of iterations " + what, "the run store",
                    "run `cospadi runs import` to read it from its run directory again");
    }

  private:
    std::string_view m_rest;
};

}  // namespace

std::string packColumns(const MatrixIterations& matrix) {
    const bool heldOut = !matrix.heldOutError.empty();
    std::string packed(1, heldOut ? kWithHeldOut : kVersion);
    packFloats(matrix.relativeError, packed);
    packFloats(matrix.seconds, packed);
    packFloats(matrix.usageEntropy, packed);
    packFloats(matrix.heldOutError, packed);
    packWholes(matrix.iteration, packed);
    packWholes(matrix.deadAtoms, packed);
    packWholes(matrix.supportChanges, packed);
    return packed;
}

void unpackColumns(std::string_view packed, std::size_t count, MatrixIterations& matrix) {
    Unpacker unpacker(packed);
    const char version = *unpacker.take(1);
    if (version != kVersion && version != kWithHeldOut) {
        Unpacker::refuse("has an unknown version");
    }
    // Before anything of this size is allocated: three floats an iteration are there at least.
    if (count > packed.size() / (3 * sizeof(float))) {
        Unpacker::refuse("is truncated");
    }
    matrix.relativeError = unpacker.floats(count);
    matrix.seconds = unpacker.floats(count);
    matrix.usageEntropy = unpacker.floats(count);
    matrix.heldOutError = unpacker.floats(version == kWithHeldOut ? count : 0);
    matrix.iteration = unpacker.wholes(count);
    matrix.deadAtoms = unpacker.wholes(count);
    matrix.supportChanges = unpacker.wholes(count);
    unpacker.finish();
}

}  // namespace cospadi
