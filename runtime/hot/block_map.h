/*
 * block_map.h -- live blocks by address in a sharded hash map; see live_blocks.h.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_BLOCK_MAP_H
#define THAG_RT_BLOCK_MAP_H

#include "runtime/hot/live_blocks.h"

void rt_block_map_reset(void);
struct rt_block rt_block_map_put(uintptr_t address, struct rt_block block, uint32_t tid,
                                 bool *ret_kept);
struct rt_block rt_block_map_take(uintptr_t address, uint32_t tid);
void rt_block_map_recover(uint32_t tid);

#endif
