#ifndef SIGNAL_SAFE_MALLOC_H
#define SIGNAL_SAFE_MALLOC_H

extern void (*volatile inside_malloc)(void);

#endif
