/*
 * probe.c -- see the header.
 */
#include "runtime/os/probe.h"

#include <errno.h>
#include <sys/syscall.h>

#include "runtime/os/os.h"
#include "runtime/os/raw_syscall.h"

/*
 * rt_sigprocmask copies the new mask in before it looks at HOW, so an impossible HOW tells
 * unreadable (EFAULT) from readable (EINVAL), and changes nothing. process_vm_readv and mincore
 * would do as well, but sandboxes know this call from every pthread_create and abort.
 */
bool os_word_readable(uintptr_t address)
{
    const long impossible_how = ~0L;
    if (os_is_frozen()) {
        return false;
    }
    return RAW4(SYS_rt_sigprocmask, impossible_how, address, 0, sizeof(uint64_t)) == -EINVAL;
}
