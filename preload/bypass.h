/*
 * bypass.h -- telling the user that the program's heap calls do not come to us.
 */
#ifndef THAG_PL_BYPASS_H
#define THAG_PL_BYPASS_H

/*
 * One line if the program, or a library in front of ours, defines malloc itself.
 *
 * Context:  setup, once all modules are relocated.
 */
void pl_bypass_tell(void);

#endif
