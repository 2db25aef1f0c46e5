#include "gpu/emulation/fibre.h"

#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace cospadi::emulation {

namespace {

constexpr std::size_t kStackBytes = 128 * 1024;

Fibre* entered = nullptr;  // for begin(), which takes no pointer

}  // namespace

Fibre::Fibre(std::function<void()> work) : m_work(std::move(work)), m_stack(kStackBytes) {}

void Fibre::resume() {
    if (_setjmp(m_resumer) == 0) {
        announceResume();
        if (m_isEntered) {
            _longjmp(m_jump, 1);
        }
        m_isEntered = true;
        entered = this;
        ::getcontext(&m_context);
        m_context.uc_stack.ss_sp = m_stack.data();
        m_context.uc_stack.ss_size = m_stack.size();
        m_context.uc_link = nullptr;
        ::makecontext(&m_context, &Fibre::begin, 0);
        ::setcontext(&m_context);
    }
    arrived(m_resumerFakeStack, nullptr, nullptr);
}

void Fibre::pause() {
    if (_setjmp(m_jump) == 0) {
        announcePause();
        _longjmp(m_resumer, 1);
    }
    arrived(m_fakeStack, &m_resumerStack, &m_resumerSize);
}

void Fibre::begin() { entered->loop(); }

void Fibre::loop() {
    arrived(nullptr, &m_resumerStack, &m_resumerSize);
    for (;;) {
        m_work();
        pause();
    }
}

#ifdef __SANITIZE_ADDRESS__
void Fibre::announceResume() {
    __sanitizer_start_switch_fiber(&m_resumerFakeStack, m_stack.data(), m_stack.size());
}
void Fibre::announcePause() {
    __sanitizer_start_switch_fiber(&m_fakeStack, m_resumerStack, m_resumerSize);
}
void Fibre::arrived(void* fakeStack, const void** from, std::size_t* size) {
    __sanitizer_finish_switch_fiber(fakeStack, from, size);
}
#else
void Fibre::announceResume() {}
void Fibre::announcePause() {}
void Fibre::arrived(void*, const void**, std::size_t*) {}
#endif

}  // namespace cospadi::emulation
