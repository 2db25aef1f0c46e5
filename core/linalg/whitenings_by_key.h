// Factors that several will ask for, made once each and kept no longer than they are needed: by a
// name for what they are factors of, such as the key of a layer's Gram.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/linalg/whitening.h"

namespace cospadi {

class WhiteningsByKey {
  public:
    // Once for everybody who will ask, before anybody does.
    void expect(const std::string& key);

    // Made by whoever asks first while the others of the same key wait; given up after the last
    // has asked. Precondition: the key was expected. Errors as make's. Thread-safe where factors
    // are: of backends on the host.
    Whitening of(const std::string& key, const std::function<Whitening()>& make);

  private:
    struct Shared {
        std::mutex mutex;
        std::optional<Whitening> whitening;
        int left = 0;  // who has not asked yet
    };

    std::map<std::string, std::unique_ptr<Shared>> m_shared;
};

}  // namespace cospadi
