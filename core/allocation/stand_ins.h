// Layers of a model that others stand in for, until this goes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/model.h"

namespace cospadi {

class StandIns {
  public:
    explicit StandIns(Model& model) : m_model(model) {}
    ~StandIns() {
        for (auto& [name, layer] : m_own) {
            m_model.replaceLayer(name, std::move(layer));
        }
    }
    StandIns(const StandIns&) = delete;
    StandIns& operator=(const StandIns&) = delete;

    void add(const std::string& name, std::unique_ptr<LinearLayer> layer) {
        m_own.emplace_back(name, m_model.replaceLayer(name, std::move(layer)));
    }

  private:
    Model& m_model;
    std::vector<std::pair<std::string, std::unique_ptr<LinearLayer>>> m_own;
};

}  // namespace cospadi
