// A matrix whose entries are moved against their gradient by Adam (Kingma and Ba 2015, algorithm 1:
// mean and mean square of the gradient, both without the bias of their beginning). Entries that are
// zero at first stay zero: a sparse matrix keeps its pattern.
//
// The step of an entry is the rate times the size of its atom, the root mean square of the atom's
// entries at first. An atom is a column of a left factor and a row of a right one. So what is
// found does not depend on how the scale of an atom is shared between the factors.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace cospadi {

enum class Atoms { Columns, Rows };

class AdamMatrix {
  public:
    static constexpr double kMeanDecay = 0.9;     // β₁
    static constexpr double kSquareDecay = 0.99;  // β₂: some hundreds of steps are all there are

    AdamMatrix(Eigen::MatrixXf values, Atoms atoms);

    const Eigen::MatrixXf& values() const { return m_values; }
    // Of the same shape; added to what was added since the last step. Entries that stay zero do not
    // count.
    void add(const Eigen::Ref<const Eigen::MatrixXf>& gradient);
    // step: 1, 2, …
    void move(std::int64_t step, double rate);

    // What it takes to go on: entries that move, means and mean squares; of one length.
    struct State {
        std::vector<float> values, means, squares;
    };
    State state() const;
    // Of a matrix of the same shape and pattern. False where the sizes differ.
    bool restore(const State& state);

  private:
    std::int64_t moving() const;
    Eigen::Index placeOf(std::int64_t entry) const;

    Eigen::MatrixXf m_values;
    std::vector<std::int32_t> m_places;  // of entries that move, ascending; empty where all do
    Eigen::VectorXf m_sizes;             // of atoms
    Atoms m_atoms;
    Eigen::VectorXf m_gradient, m_mean, m_square;
};

}  // namespace cospadi
