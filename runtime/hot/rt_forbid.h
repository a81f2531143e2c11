/*
 * rt_forbid.h -- names that code in runtime/hot may not write. The last include of every .c file
 * there: after the headers of the system, which have to declare these names in peace.
 *
 * This is the quick half of the promise "no heap, no blocking lock, no stdio in a hook": the
 * compiler points at the line. The other half is the link check against allowed-symbols.txt, which
 * also sees what a macro or a builtin brings in.
 *
 * Not here, though just as forbidden: "free" and "exit", which are good names for fields; the link
 * check catches a call.
 */
#ifndef THAG_RT_FORBID_H
#define THAG_RT_FORBID_H

/* The program's heap: we are called from inside it. */
#pragma GCC poison malloc calloc realloc reallocarray aligned_alloc memalign posix_memalign
#pragma GCC poison strdup strndup asprintf vasprintf getline open_memstream

/* stdio: locks, buffers on the heap, and the program's own streams. */
#pragma GCC poison printf fprintf sprintf snprintf vprintf vfprintf vsnprintf dprintf puts fputs
#pragma GCC poison fopen fdopen fclose fread fwrite fflush perror

/* Locks that block, and calls that take the loader's lock. */
#pragma GCC poison pthread_mutex_lock pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_once
#pragma GCC poison pthread_cond_wait sem_wait dlopen dlclose dlsym dladdr dl_iterate_phdr

/* State of the program that is not ours, or that another thread may be changing. */
#pragma GCC poison getenv setenv putenv localtime localtime_r tzset setlocale strerror strtok
#pragma GCC poison sigaction signal atexit abort assert

/* Straight to the kernel past os/, the one door. */
#pragma GCC poison mmap munmap mprotect open openat read write syscall clock_gettime fork

#endif
