// Factors refined by what they are for: the predictions. All factors of a compressed model are
// moved together, by Adam (adam_matrix.h), towards the dense model's predictions on a calibration
// text,
//
//   minimise  Σ_t KL(p_t ‖ q_t),  p the dense model's, q the compressed one's, over factors only,
//
// which every layer's own reconstruction error only stands for (knowledge distillation: Hinton et
// al. 2015). Supports, ranks and bytes stay; norms, embedding, head and layers that were not
// compressed do not move. No labels: the text's next tokens are not asked for.
//
// Some sequences are held out: the divergence on them, before and after, says what was gained on
// text that was not fitted. The compressed weights are dense in memory, float32, while this goes
// on; the dense model's hidden states of all sequences, (hidden, N) float32, as well.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/gradients/backward.h"
#include "core/model/forward.h"
#include "core/model/model.h"
#include "core/refine/refinement_options.h"
#include "core/refine/trainable_unit.h"

namespace cospadi {

// Token ids, sequence after sequence; the last `heldOut` are not fitted.
struct RefinementText {
    std::vector<std::int32_t> ids;
    std::int64_t length = 512;
    std::int64_t heldOut = 0;

    std::int64_t sequences() const { return static_cast<std::int64_t>(ids.size()) / length; }
    std::int64_t fitted() const { return sequences() - heldOut; }
};

// Of one step.
struct RefinementStep {
    std::int64_t step = 0, steps = 0;
    double divergence = 0;  // nats a token, of the step's sequences, before it
    double seconds = 0;
};

class Refinement {
  public:
    // model: the dense one, in which the units' layers are replaced once the teacher is known. All
    // must outlive it. Throws Error for sequences of which none is fitted.
    Refinement(Model& model, ThreadPool& pool, std::vector<TrainableUnit> units,
               RefinementText text, RefinementOptions options);

    // The dense model's predictions: first of all, and once. False when cancelled. Progress counts
    // sequences, stage "teacher".
    bool askTeacher(const ProgressCallback& progress, const std::stop_token& stop);

    // Steps until the last one, or until it is cancelled: then false. afterStep: once a step is
    // whole; what it throws ends the work.
    bool run(const std::function<void(const RefinementStep&)>& afterStep,
             const std::stop_token& stop);

    // Nats a token on the sequences that are held out, with the weights as they would be stored
    // now. NaN where none are held out.
    double heldOutDivergence();

    std::int64_t stepsDone() const { return m_done; }
    std::int64_t steps() const;
    // As they are by now; nothing else may be called afterwards.
    std::vector<TrainableUnit> takeUnits() { return std::move(m_units); }

    // What a later start goes on from, to the same bits. restore(): false where there is no file,
    // or one that `key`, the caller's name of this work, does not fit.
    void save(const std::filesystem::path& file, const std::string& key) const;
    bool restore(const std::filesystem::path& file, const std::string& key);

  private:
    double rateOf(std::int64_t step) const;
    Eigen::MatrixXf gathered(const Eigen::MatrixXf& columns,
                             const std::vector<std::int64_t>& sequences) const;
    std::vector<std::int32_t> idsOf(const std::vector<std::int64_t>& sequences) const;
    void recompose();
    void replace(const std::string& layer, Eigen::MatrixXf weight);
    // Σ KL over these sequences; with `learns` gradients are added to the units'.
    double divergence(const std::vector<std::int64_t>& sequences, bool learns);

    Model& m_model;
    ThreadPool& m_pool;
    std::vector<TrainableUnit> m_units;
    RefinementText m_text;
    RefinementOptions m_options;
    struct Place {
        std::size_t unit = 0, layer = 0;
    };
    std::map<std::string, Place> m_places;  // by layer
    ForwardPass m_forward;
    BackwardPass m_backward;
    Eigen::MatrixXf m_teacher;  // (hidden, N)
    std::int64_t m_done = 0;
};

}  // namespace cospadi
