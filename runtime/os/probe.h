/*
 * probe.h -- ask the kernel whether memory can be read.
 *
 * For the one case in which we must read what nobody vouches for: stacks other than the thread's
 * own (fibres, alternate signal stacks), whose limits only the program knows.
 *
 * Context: hot.
 */
#ifndef THAG_OS_PROBE_H
#define THAG_OS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the 8 bytes at ADDRESS can be read now. Costs a system call (about 0.1 us).
 *
 * Result:   false also after os_freeze().
 * Never:    changes anything, raises a signal.
 */
bool os_word_readable(uintptr_t address);

#endif
