/*
 * bash.c -- the script for bash.
 *
 * It needs nothing but bash 4.4; where the bash-completion package is loaded, the arguments of a
 * recorded program are completed as that program's.
 */
#include <string.h>

#include "analyzer/completions/shells.h"

static const char head[] =
    "# bash completion for thag_profile, made from its table of options.\n"
    "\n"
    "# Words that begin like the current one.\n"
    "_thag_profile_words() { # words\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "# Directories, and files whose names match.\n"
    "_thag_profile_paths() { # expression\n"
    "    local path\n"
    "    COMPREPLY=()\n"
    "    compopt -o filenames 2> /dev/null\n"
    "    while IFS= read -r path; do\n"
    "        if [[ -d $path || $path =~ $1 ]]; then\n"
    "            COMPREPLY+=(\"$path\")\n"
    "        fi\n"
    "    done < <(compgen -f -- \"$cur\")\n"
    "}\n"
    "\n"
    "# A program, and behind it what that program takes. $1: options with an argument.\n"
    "_thag_profile_program() {\n"
    "    local i=2\n"
    "    while ((i < COMP_CWORD)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        --) ((i++)); break ;;\n"
    "        -*)\n"
    "            if [[ ${COMP_WORDS[i + 1]} == = ]]; then\n"
    "                ((i += 2))\n"
    "            elif [[ \" $1 \" == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
    "                ((i++))\n"
    "            fi\n"
    "            ;;\n"
    "        *) break ;;\n"
    "        esac\n"
    "        ((i++))\n"
    "    done\n"
    "    if ((i < COMP_CWORD)) && declare -F _command_offset > /dev/null; then\n"
    "        _command_offset \"$i\"\n"
    "    elif ((i < COMP_CWORD)); then\n"
    "        _thag_profile_paths .\n"
    "    elif [[ $cur == */* ]]; then\n"
    "        _thag_profile_paths .\n"
    "    else\n"
    "        mapfile -t COMPREPLY < <(compgen -c -- \"$cur\" | sort -u)\n"
    "    fi\n"
    "}\n"
    "\n"
    "_thag_profile() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local options='' arguments='' i\n"
    "    COMPREPLY=()\n"
    "    # --option=word comes in three words.\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=''\n"
    "    elif [[ $prev == = ]] && ((COMP_CWORD > 2)); then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

static const char profiles[] = "'\\.(thag|folded)(\\.gz|\\.zst)?$'";

/* "--name", and "-letter" where there is one. */
static void names_print(const struct an_option_row *row, const char *between)
{
    printf("--%s", row->name);
    if (row->letter)
        printf("%s-%c", between, row->letter);
}

static void argument_print(const struct an_command *command, int option)
{
    const struct an_option_row *row = &an_option_rows[option];
    const char *words = an_option_words(command, option);
    printf("        ");
    names_print(row, " | ");
    if (option == AN_OPTION_SET) {
        printf(")\n            compopt -o nospace 2> /dev/null\n            _thag_profile_words '");
        an_keys_print();
        printf("'\n            return\n            ;;\n");
    } else if (words) {
        printf(") _thag_profile_words '%s'; return ;;\n", words);
    } else if (strcmp(row->argument, "FILE") == 0) {
        printf(") _thag_profile_paths .; return ;;\n");
    } else if (strcmp(row->argument, "DIR") == 0) {
        printf(") _thag_profile_paths '^$'; return ;;\n");
    } else {
        printf(") return ;;\n");
    }
}

static void lists_print(const struct an_command *command)
{
    const char *blank = "";
    printf("        options='");
    for (int i = 0; (i = an_option_next(command, i)) < AN_OPTION_COUNT; i++) {
        fputs(blank, stdout);
        names_print(&an_option_rows[i], " ");
        blank = " ";
    }
    printf("'\n");
    if (!command->runs_operands)
        return;
    blank = "";
    printf("        arguments='");
    for (int i = 0; (i = an_option_next(command, i)) < AN_OPTION_COUNT; i++) {
        if (!an_option_rows[i].argument)
            continue;
        fputs(blank, stdout);
        names_print(&an_option_rows[i], " ");
        blank = " ";
    }
    printf("'\n");
}

static void command_print(const struct an_command *command)
{
    printf("    %s)\n        case $prev in\n", command->name);
    for (int i = 0; (i = an_option_next(command, i)) < AN_OPTION_COUNT; i++) {
        if (an_option_rows[i].argument)
            argument_print(command, i);
    }
    printf("        esac\n");
    lists_print(command);
    printf("        if [[ $cur == -* ]]; then\n"
           "            _thag_profile_words \"$options\"\n"
           "        else\n"
           "            ");
    switch (an_operands_of(command)) {
    case AN_OPERANDS_PROGRAM:
        printf("_thag_profile_program \"$arguments\"\n");
        break;
    case AN_OPERANDS_DIRECTORY:
        printf("_thag_profile_paths '^$'\n");
        break;
    default:
        printf("_thag_profile_paths %s\n", profiles);
    }
    printf("        fi\n        ;;\n");
}

void an_bash_print(void)
{
    fputs(head, stdout);
    printf("    if ((COMP_CWORD == 1)); then\n"
           "        _thag_profile_words '");
    for (size_t i = 0; an_commands[i]; i++)
        printf("%s ", an_commands[i]->name);
    printf("--help --version'\n"
           "        ((${#COMPREPLY[@]})) || _thag_profile_paths '^$'\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; an_commands[i]; i++)
        command_print(an_commands[i]);
    printf("    esac\n"
           "}\n"
           "\n"
           "complete -F _thag_profile thag_profile\n");
}
