// What a layer is fitted to: the setting `propagation`.
#pragma once

#include <string>

namespace cospadi {

enum class PropagationKind {
    Off,    // inputs of the original model, the paper
    Input,  // those that the layers compressed before it leave
    Target  // and their errors made up for (core/methods/propagation_target.h)
};

const char* name(PropagationKind propagation);
PropagationKind propagationFromName(const std::string& name);  // Error for another word

}  // namespace cospadi
