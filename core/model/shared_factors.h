// Factors that layers of a unit have in common stand in memory once, however many of the layers are
// loaded. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/model/linear_layer.h"

namespace cospadi {

class SharedFactors {
  public:
    // The layer takes the factor that others of its unit have in memory; else they may take its
    // own. All layers of a unit come from one file, so that only sizes are compared.
    void share(const std::string& unit, LinearLayer& layer);

  private:
    std::mutex m_mutex;
    std::map<std::string, std::weak_ptr<const PackedMatrix>> m_factors;  // by unit
};

}  // namespace cospadi
