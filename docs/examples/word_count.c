/*
 * word_count.c -- counts the words of a file in a binary tree and prints the most frequent ones.
 *
 *     gcc -O2 -g -finstrument-functions word_count.c -o word_count
 *     LD_PRELOAD=.../libthagpreload.so ./word_count FILE
 *
 * Three things to find in its heap profile: the tree that lives to the end, the line buffer that
 * grows, and a copy of each word that is thrown away at once when the word is known already.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    struct word *less, *more;
    char *text;
    unsigned long count;
};

static void *checked(void *memory)
{
    if (!memory) {
        fputs("word_count: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static char *word_copy(const char *text, size_t length)
{
    char *copy = checked(malloc(length + 1));
    for (size_t i = 0; i < length; i++) {
        copy[i] = (char)tolower((unsigned char)text[i]);
    }
    copy[length] = '\0';
    return copy;
}

/* TEXT belongs to the tree from here on. */
static void tree_count(struct word **root, char *text)
{
    while (*root) {
        int order = strcmp(text, (*root)->text);
        if (order == 0) {
            (*root)->count++;
            free(text);
            return;
        }
        root = order < 0 ? &(*root)->less : &(*root)->more;
    }
    *root = checked(calloc(1, sizeof(**root)));
    (*root)->text = text;
    (*root)->count = 1;
}

static void line_count(struct word **root, const char *line)
{
    while (*line) {
        size_t length = 0;
        while (isalpha((unsigned char)line[length])) {
            length++;
        }
        if (length > 0) {
            tree_count(root, word_copy(line, length));
        }
        line += length > 0 ? length : 1;
    }
}

static size_t tree_size(const struct word *word)
{
    return word ? tree_size(word->less) + 1 + tree_size(word->more) : 0;
}

static size_t tree_list(const struct word *word, const struct word **list, size_t used)
{
    if (!word) {
        return used;
    }
    used = tree_list(word->less, list, used);
    list[used++] = word;
    return tree_list(word->more, list, used);
}

static int word_compare(const void *left, const void *right)
{
    const struct word *a = *(const struct word *const *)left;
    const struct word *b = *(const struct word *const *)right;
    if (a->count != b->count) {
        return a->count < b->count ? 1 : -1;
    }
    return strcmp(a->text, b->text);
}

static void tree_print(const struct word *root, size_t most)
{
    size_t count = tree_size(root);
    const struct word **list = checked(malloc((count + 1) * sizeof(*list)));
    tree_list(root, list, 0);
    qsort(list, count, sizeof(*list), word_compare);
    printf("%zu different words\n", count);
    for (size_t i = 0; i < count && i < most; i++) {
        printf("%7lu %s\n", list[i]->count, list[i]->text);
    }
    free(list);
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!file) {
        perror(argv[1]);
        return 1;
    }
    struct word *root = NULL;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) >= 0) {
        line_count(&root, line);
    }
    free(line);
    fclose(file);
    tree_print(root, 5);
    return 0; /* the tree is left to the system: that is what "live at exit" shows */
}
