/* Text for the assembler is not code. */
asm(".globl start\nstart: {");
asm("f1: ret");
int plain(void) { asm volatile("{ %0 }" : : "r"(1)); return 0; }
extern int renamed(void) asm("other {");
int jumps(int x) { asm goto("jmp %l0" : : : : out); return x; out: return 1; }
int block(int x)
{
    __asm {
        mov eax, x
        add eax, 1
    }
    return x;
}
int operands(void)
{
    int r;
    __asm__ __volatile__("mov $1, %0\n\t"
                         "nop }"
                         : "=r"(r));
    return r;
}
__attribute__((naked)) int bare(void) { __asm__("mov $1, %eax\nret"); }
__naked void very_bare(void) { asm("ret"); }
int naked(int notrace) { return notrace; }
