/*
 * bypass.c -- see the header.
 */
#include "preload/bypass.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "preload/hook.h"
#include "runtime/setup/session.h"

void pl_bypass_tell(void)
{
    static struct rt_text line;
    Dl_info first, own;
    const ElfW(Sym) *symbol = NULL;
    void *function = dlsym(RTLD_DEFAULT, "malloc");
    if (rt_gate_read() != &rt_gate_open || !rt_session.config.memory || !function ||
        !dladdr1(function, &first, (void **)&symbol, RTLD_DL_SYMENT) ||
        !dladdr((const void *)pl_bypass_tell, &own) || first.dli_fbase == own.dli_fbase) {
        return;
    }
    if (symbol && symbol->st_shndx == SHN_UNDEF) {
        return; /* a program at a fixed address that only takes malloc's: its jump leads to us */
    }
    rt_text_clear(&line);
    rt_text_add(&line, "thag: ");
    rt_text_add(&line, first.dli_fname);
    rt_text_add(&line, " has an allocator of its own in front of ours; its heap is not recorded");
    rt_session_say(&line);
}
