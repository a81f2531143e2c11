#include "analyzer/menu/job.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Work that waits at a gate; what became of it is seen outside. */
struct work {
    struct an_job job; /* first */
    int gate[2];       /* a byte lets it go on */
    int *result;
    atomic_int *released;
    bool blocked;
};

static void work_run(struct an_job *job)
{
    struct work *work = (struct work *)job;
    char byte;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    work->blocked =
        sigismember(&mask, SIGINT) && sigismember(&mask, SIGTSTP) && !sigismember(&mask, SIGSEGV);
    an_task_step("working", 1, 2);
    cr_assert_eq(read(work->gate[0], &byte, 1), 1);
    *work->result = an_task_is_wanted() ? 1 : 2;
}

static void work_release(struct an_job *job)
{
    struct work *work = (struct work *)job;
    close(work->gate[0]);
    close(work->gate[1]);
    atomic_fetch_add(work->released, 1);
    free(work);
}

static struct work *work_new(int *result, atomic_int *released)
{
    struct work *work = calloc(1, sizeof(*work));
    work->job.run = work_run;
    work->job.release = work_release;
    work->result = result;
    work->released = released;
    cr_assert_eq(pipe(work->gate), 0);
    return work;
}

static void wait_until_readable(int descriptor)
{
    struct pollfd waited = {.fd = descriptor, .events = POLLIN};
    cr_assert_eq(poll(&waited, 1, 60000), 1);
}

Test(job, its_end_can_be_waited_for_and_its_results_read)
{
    int result = 0;
    atomic_int released = 0;
    struct work *work = work_new(&result, &released);
    an_job_start(&work->job);
    struct pollfd waited = {.fd = an_job_descriptor(&work->job), .events = POLLIN};
    cr_assert_eq(poll(&waited, 1, 0), 0);
    cr_assert_eq(write(work->gate[1], "x", 1), 1);
    wait_until_readable(an_job_descriptor(&work->job));
    cr_assert_eq(result, 1);
    cr_assert(work->blocked);
    cr_assert_str_eq(atomic_load(&work->job.task.what), "working");
    an_job_drop(&work->job);
    for (int i = 0; i < 6000 && atomic_load(&released) == 0; i++)
        usleep(10000);
    cr_assert_eq(atomic_load(&released), 1);
}

Test(job, work_that_was_given_up_hears_of_it_and_is_released_by_itself)
{
    int result = 0;
    atomic_int released = 0;
    struct work *work = work_new(&result, &released);
    int gate = dup(work->gate[1]);
    an_job_start(&work->job);
    an_job_drop(&work->job);
    cr_assert_eq(atomic_load(&released), 0);
    cr_assert_eq(write(gate, "x", 1), 1);
    for (int i = 0; i < 6000 && atomic_load(&released) == 0; i++)
        usleep(10000);
    cr_assert_eq(atomic_load(&released), 1);
    cr_assert_eq(result, 2);
    close(gate);
}

Test(job, one_more_owner_keeps_the_results)
{
    int result = 0;
    atomic_int released = 0;
    struct work *work = work_new(&result, &released);
    an_job_start(&work->job);
    an_job_keep(&work->job);
    cr_assert_eq(write(work->gate[1], "x", 1), 1);
    wait_until_readable(an_job_descriptor(&work->job));
    an_job_drop(&work->job);
    cr_assert_eq(atomic_load(&released), 0);
    cr_assert_eq(*work->result, 1);
    an_job_drop(&work->job);
    for (int i = 0; i < 6000 && atomic_load(&released) == 0; i++)
        usleep(10000);
    cr_assert_eq(atomic_load(&released), 1);
}
