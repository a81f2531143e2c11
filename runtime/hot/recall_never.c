/*
 * recall_never.c -- for back ends that keep no words of their walks.
 */
#include "runtime/hot/recall.h"

#include "runtime/hot/rt_forbid.h"

size_t rt_recall_bytes(void)
{
    return 0;
}

void rt_recall_forget(struct rt_recall *recall)
{
    (void)recall;
}

uint32_t rt_recall(struct rt_recall *recall, const struct rt_walk *walk,
                   const struct rt_registers *registers)
{
    (void)recall, (void)walk, (void)registers;
    return 0;
}

void rt_recall_note(struct rt_recall *recall, const struct rt_walk *walk, uint32_t stack)
{
    (void)recall, (void)walk, (void)stack;
}
