/*
 * os_rename.h -- included before runtime/os/ when it is compiled for the fake: the real functions
 * step back, and os_fake.c takes their names. Those without a line here cannot be refused.
 */
#define os_clock_monotonic_ns  real_os_clock_monotonic_ns
#define os_directory_current   real_os_directory_current
#define os_directory_make      real_os_directory_make
#define os_file_allocate       real_os_file_allocate
#define os_file_allow          real_os_file_allow
#define os_file_commit         real_os_file_commit
#define os_file_identify       real_os_file_identify
#define os_file_lstat          real_os_file_lstat
#define os_file_map            real_os_file_map
#define os_file_open           real_os_file_open
#define os_file_read           real_os_file_read
#define os_file_read_link      real_os_file_read_link
#define os_file_remove         real_os_file_remove
#define os_file_system         real_os_file_system
#define os_file_truncate       real_os_file_truncate
#define os_file_write          real_os_file_write
#define os_host                real_os_host
#define os_limit               real_os_limit
#define os_memory_map          real_os_memory_map
#define os_memory_replace      real_os_memory_replace
#define os_memory_reserve      real_os_memory_reserve
#define os_memory_unmap        real_os_memory_unmap
#define os_memory_wipe_on_fork real_os_memory_wipe_on_fork
#define os_process_exit        real_os_process_exit
#define os_process_run_hidden  real_os_process_run_hidden
#define os_process_spawn       real_os_process_spawn
#define os_process_wait        real_os_process_wait
#define os_stderr_write        real_os_stderr_write
#define os_thread_nap          real_os_thread_nap
#define os_thread_yield        real_os_thread_yield
