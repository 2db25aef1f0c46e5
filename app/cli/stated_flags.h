// What is said of a model that another program compressed, as options: `lm-eval import --method …`
// and `runs import-external --method …`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/cli/session.h"
#include "core/lm_eval/task_evaluation.h"

namespace cospadi::cli {

class StatedFlags {
  public:
    // modelHelp: of --model, what stands in its place.
    void addTo(Command command, const std::string& modelHelp);

    Argument method() const { return m_arguments.front().second; }
    bool given() const { return method().count() > 0; }
    // Throws UsageError for words that go with --method and stand without it, and for numbers out
    // of range.
    void check() const;

    // All that was said. A model on this machine is known by its hash, as own runs of it are, and
    // its headers tell what its linear layers weigh; any other is a name. Throws UsageError for
    // numbers out of range.
    ExternalModel model() const;

  private:
    std::string m_model;
    StatedCompression m_stated;
    std::vector<std::pair<std::string, Argument>> m_arguments;  // --method first
};

}  // namespace cospadi::cli
