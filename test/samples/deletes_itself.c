/*
 * deletes_itself.c -- removes its own file, then becomes what is left of it: the second image's
 * /proc/self/exe ends in " (deleted)".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

int main(int count, char **arguments)
{
    if (count > 1) {
        free(malloc(100));
        return 0;
    }
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char *again[] = {arguments[0], arguments[0], NULL};
    unlink(arguments[0]);
    fexecve(self, again, environ);
    perror("fexecve");
    return 1;
}
