// The tensors and metadata of one matrix file (layout in docs/formats.md) on their way to disk and
// back: what the forms write themselves with and are read from.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/forms/matrix_codec.h"
#include "core/forms/matrix_record.h"
#include "core/forms/number_formats.h"
#include "core/tensors/safetensors.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

struct NumberWidths {
    int columnBits = 16;  // 8 or 16; of integers 2 to 8
    int coefficientBits = 16;
    CoefficientFormat format = CoefficientFormat::ShortMantissa;
    std::int64_t integerRun = 0;  // entries of a run of integers; 0: there are none
};

// Tensors are named LAYER.TENSOR; only the second part is given here.
class MatrixTensors {
  public:
    // unit: of the file that the layer shares with others, which takes what they have in common;
    // null for a layer by itself. Must outlive this one.
    explicit MatrixTensors(std::string layer, MatrixTensors* unit = nullptr)
        : m_layer(std::move(layer)), m_unit(unit) {}

    void add(const char* tensor, DType dtype, std::vector<std::int64_t> shape,
             std::vector<std::uint8_t> bytes);
    void addStream(const char* tensor, std::vector<std::uint8_t> stream);  // U8
    void addValues(const char* tensor, const std::vector<std::uint16_t>& bfloat16);
    // A dictionary or a left factor (rows, cols), rounded to 16 or 8 bits already; with 8 a tensor
    // `exponents` stands beside it. A column of it is a row of the tensor.
    void addColumns(const char* tensor, const Eigen::MatrixXf& columns, int bits);
    // The same, of the factor that layers of a unit have in common: in the unit's file, once.
    // halfSteps: of integers (core/forms/integer_columns.h), else none.
    void addCommonColumns(const char* tensor, const Eigen::MatrixXf& columns, int bits,
                          const Eigen::MatrixXf& halfSteps = {});
    // Integers of so many bits as a stream, and beside it NAME_scales, a row a column.
    void addIntegers(const std::string& tensor, const Eigen::MatrixXf& columns,
                     const Eigen::MatrixXf& halfSteps, int bits, bool onlyNonZeros);

    void setMetadata(const std::string& field, std::string value);
    // … so that StoredTensors::numberWidths() gives them back.
    void describeNumbers(const NumberWidths& widths);

    const std::vector<TensorToWrite>& tensors() const { return m_tensors; }
    const std::map<std::string, std::string>& metadata() const { return m_metadata; }

  private:
    std::string m_layer;
    MatrixTensors* m_unit;
    std::deque<std::vector<std::uint8_t>> m_bytes;  // which stay where they are
    std::vector<TensorToWrite> m_tensors;
    std::map<std::string, std::string> m_metadata;
};

class StoredTensors {
  public:
    // Throws Error where the file is no matrix file of ours, or its sizes are out of range.
    explicit StoredTensors(const std::filesystem::path& path);

    const std::string& form() const { return m_form; }
    const MatrixRecord& record() const { return m_record; }

    // Its own, or that of the unit that it shares with others. Error when absent.
    const TensorView& require(const char* tensor) const;
    // (rows, cols) as addColumns() took them. Throws Error where type or shape are others.
    Eigen::MatrixXf columns(const char* tensor, std::int64_t rows, std::int64_t cols,
                            int bits) const;
    // What addIntegers() took: the half-steps (runs, columns), and the integers: of all entries
    // (rows, columns), or of those that are not zero in `codes`, which become them. Throw Error
    // where sizes are others.
    Eigen::MatrixXf scales(const std::string& tensor, std::int64_t runs,
                           std::int64_t columns) const;
    Eigen::MatrixXf integers(const char* tensor, const Eigen::MatrixXf& halfSteps, int bits,
                             std::int64_t rows) const;
    void integersInto(Eigen::MatrixXf& codes, const char* tensor, const Eigen::MatrixXf& halfSteps,
                      int bits) const;
    bool has(const char* field) const { return findField(field) != nullptr; }  // in the metadata
    // Of a metadata field that the form has written; Error when absent or no whole number within
    // these bounds.
    std::int64_t number(const char* field, std::int64_t least, std::int64_t most) const;
    NumberWidths numberWidths() const;
    // Throws Error where the first of two factors has no columns: nothing writes that, and products
    // need one.
    void requireFactors(std::int64_t columns) const;

    // Throws Error naming the file.
    [[noreturn]] void reject(const std::string& what) const;

  private:
    std::span<const std::byte> integerStreamOf(const char* tensor, const Eigen::MatrixXf& halfSteps,
                                               int bits, std::int64_t count) const;
    const std::string* findField(const char* field) const;
    const std::string& field(const char* field) const;
    void openUnit();

    SafetensorsFile m_file;
    std::optional<SafetensorsFile> m_unit;  // beside it, where the record names one
    MatrixRecord m_record;
    std::string m_form;
};

}  // namespace cospadi
