/* No function: nothing is written into this. */
int table[] = { 1, 2, 3 };
