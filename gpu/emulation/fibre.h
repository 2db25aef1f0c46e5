// A call that stops half-way and goes on later, on a stack of its own: contexts of ucontext.h,
// entered once and then switched with setjmp, which does not ask the kernel for the signal mask as
// swapcontext does. AddressSanitizer is told of every switch.
// Thread-safety: all fibres of the process belong to one thread at a time.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace cospadi::emulation {

class Fibre {
  public:
    // work: called at the first resume(), and once more at the first one after each end of it. It
    // throws nothing.
    explicit Fibre(std::function<void()> work);
    // One that is half-way through its work is dropped: nothing on its stack is destroyed.
    ~Fibre() = default;
    Fibre(const Fibre&) = delete;
    Fibre& operator=(const Fibre&) = delete;

    // Goes on with the work until it ends or pauses.
    void resume();
    // From within the work: resume() returns.
    void pause();

  private:
    static void begin();
    void loop();

    void announceResume();
    void announcePause();
    static void arrived(void* fakeStack, const void** from, std::size_t* size);

    std::function<void()> m_work;
    ucontext_t m_context{};
    jmp_buf m_jump{};
    jmp_buf m_resumer{};
    bool m_isEntered = false;
    std::vector<unsigned char> m_stack;
    void* m_fakeStack = nullptr;
    void* m_resumerFakeStack = nullptr;
    const void* m_resumerStack = nullptr;
    std::size_t m_resumerSize = 0;
};

}  // namespace cospadi::emulation
