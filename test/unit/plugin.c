/* A library to load and unload; built several times, each with another answer. */
int plugin_answer(void);

int plugin_answer(void)
{
    return PLUGIN_ANSWER;
}
