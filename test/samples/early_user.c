/*
 * early_user.c -- the library whose relocation runs the resolver of early_resolver.c.
 */
int early_function(void);
extern int (*early_pointer)(void);

int (*early_pointer)(void) = early_function;
