/* A search tree that grows, loses every other key and is taken down: a peak in the middle. */
#include <stdlib.h>

struct node {
    struct node *child[2];
    unsigned key;
    char payload[40];
};

static struct node *root;

static void insert(unsigned key)
{
    struct node **link = &root;
    while (*link) {
        link = &(*link)->child[key > (*link)->key];
    }
    *link = calloc(1, sizeof **link);
    (*link)->key = key;
}

static void take_down(struct node *node)
{
    if (node) {
        take_down(node->child[0]);
        take_down(node->child[1]);
        free(node);
    }
}

int main(void)
{
    for (unsigned i = 0; i < 3000; i++) {
        insert((i + 1) * 2654435761u);
    }
    take_down(root->child[0]);
    root->child[0] = NULL;
    for (unsigned i = 0; i < 200; i++) {
        insert(i);
    }
    return 0;
}
