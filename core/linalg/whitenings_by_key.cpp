#include "core/linalg/whitenings_by_key.h"

namespace cospadi {

void WhiteningsByKey::expect(const std::string& key) {
    std::unique_ptr<Shared>& shared = m_shared[key];
    if (!shared) {
        shared = std::make_unique<Shared>();
    }
    ++shared->left;
}

Whitening WhiteningsByKey::of(const std::string& key, const std::function<Whitening()>& make) {
    Shared& shared = *m_shared.at(key);
    const std::scoped_lock lock(shared.mutex);
    if (!shared.whitening) {
        shared.whitening = make();
    }
    Whitening whitening = *shared.whitening;
    if (--shared.left <= 0) {
        shared.whitening.reset();
    }
    return whitening;
}

}  // namespace cospadi
