/*
 * perform.c -- runs commands on a thread, and keeps what they say for the screen.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/menu/filters.h"
#include "analyzer/menu/menu_parts.h"
#include "analyzer/support/memory.h"

/* One command with everything that has to live as long as the work. */
struct performed {
    const struct an_command *command;
    char *words[MENU_WORDS_MAX + 2];
    int count;
    struct an_options options;
    const enum an_value *values; /* ended by AN_VALUE_COUNT, or NULL */
};

struct performance {
    struct an_job job; /* first */
    struct performed *step;
    uint32_t step_count;
    struct an_outlet outlet;
    struct menu_result result;
    size_t text_bytes, messages_bytes;
};

void menu_command_add(struct menu_command *command, const char *word)
{
    command->words[command->count++] = word;
}

void menu_result_release(struct menu_result *result)
{
    free(result->text);
    free(result->messages);
    *result = (struct menu_result){0};
}

static void performance_run(struct an_job *job)
{
    struct performance *all = (struct performance *)job;
    an_command_speak_to(&all->outlet);
    for (uint32_t i = 0; i < all->step_count && all->result.status == AN_EXIT_FINE; i++) {
        const struct performed *step = &all->step[i];
        if (i)
            putc('\n', all->outlet.out);
        all->result.status = step->values ? an_stats_run_values(&step->options, step->values)
                                          : step->command->run(&step->options);
    }
    an_command_speak_to(NULL);
    fflush(all->outlet.out);
    fflush(all->outlet.messages);
}

static void performance_release(struct an_job *job)
{
    struct performance *all = (struct performance *)job;
    for (uint32_t i = 0; i < all->step_count; i++) {
        for (int word = 0; word < all->step[i].count; word++)
            free(all->step[i].words[word]);
        an_options_release(&all->step[i].options);
    }
    fclose(all->outlet.out);
    fclose(all->outlet.messages);
    menu_result_release(&all->result);
    free(all->step);
    free(all);
}

/* The menu's own words are right, so parsing cannot fail. */
static void performance_add(struct performance *all, const struct menu_command *command)
{
    struct performed *step = &all->step[all->step_count++];
    *step = (struct performed){.command = command->command, .values = command->values};
    step->words[step->count++] = an_memory_text(command->command->name);
    for (uint32_t i = 0; i < command->count; i++)
        step->words[step->count++] = an_memory_text(command->words[i]);
    /* getopt reorders its words and ends at a NULL; the order does not matter to us. */
    if (an_options_parse(command->command, step->count, step->words, &step->options) >= 0)
        abort();
    if (command->filter)
        menu_filter_fill(command->filter, step->options.filter);
}

enum an_answer menu_perform(struct menu *menu, const char *what,
                            const struct menu_command *commands, uint32_t count,
                            struct menu_result *ret_result)
{
    struct performance *all = an_memory_zeroed(1, sizeof(*all));
    all->job.run = performance_run;
    all->job.release = performance_release;
    all->step = an_memory_zeroed(count, sizeof(*all->step));
    for (uint32_t i = 0; i < count; i++)
        performance_add(all, &commands[i]);
    all->outlet.out = open_memstream(&all->result.text, &all->text_bytes);
    all->outlet.messages = open_memstream(&all->result.messages, &all->messages_bytes);
    all->outlet.style = menu->front->style(menu->front);
    an_job_start(&all->job);
    enum an_answer answer = menu->front->wait(menu->front, what, &all->job);
    if (answer == AN_ANSWER_CHOSEN) {
        *ret_result = (struct menu_result){.status = all->result.status,
                                           .text = an_memory_text(all->result.text),
                                           .messages = an_memory_text(all->result.messages)};
    }
    an_job_drop(&all->job);
    return answer;
}
