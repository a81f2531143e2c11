/*
 * leaves_pid.c FILE -- writes its pid into FILE and returns 3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    FILE *file = count == 2 ? fopen(arguments[1], "w") : NULL;
    if (!file) {
        return 1;
    }
    fprintf(file, "%d\n", getpid());
    fclose(file);
    puts("done");
    return 3;
}
