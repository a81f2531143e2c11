/*
 * recording_sample.c -- writes the sample recording of recording_builder.h.
 *
 * usage: recording_sample PATH
 */
#include <stdio.h>

#include "test/support/recording_builder.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: recording_sample PATH\n", stderr);
        return 2;
    }
    struct builder *builder = builder_sample();
    builder_save(builder, argv[1]);
    builder_free(builder);
    return 0;
}
