/*
 * recording_format.h -- the layout of BASE.thag, the one contract between recorder and analyzer.
 *
 * A recording is one file that the recorder maps MAP_SHARED and updates in place. It is whole at
 * every instant: a record is filled before the word that publishes it. docs/recording_format.md
 * explains the same layout in prose; change both together and raise REC_VERSION.
 *
 * Words used here:
 *   page       4096 bytes of the file, whatever the machine's page size. Page 0 is the header.
 *   extent     a run of pages that holds records of one kind. The extent table lists all of them;
 *              it only ever grows.
 *   node       one frame of the stack trie: an address under a parent node. Node 0 is the root.
 *   stack id   the dense number of a stack that owns values (a leaf of the trie, in short "leaf").
 *   slot       the values of one thread at a time; an ended thread's slot serves the next thread
 *              of the same name, which adds on top.
 *   span       one call kept by itself, with its start: what a flamechart is drawn from.
 *   generation a number that changes when a module appears where another one was; an address
 *              means something only together with it.
 *
 * Always true:
 *   - all numbers are little endian and naturally aligned; reserved fields are zero;
 *   - a field that is "published last" is stored with release order after all that it vouches for;
 *   - a reader may be handed anything: nothing here may be trusted before it is checked.
 *
 * Uses stdint.h and stddef.h alone.
 */
#ifndef THAG_RECORDING_FORMAT_H
#define THAG_RECORDING_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define REC_MAGIC      UINT64_C(0x0a1a434552474854) /* "THGREC" 0x1a 0x0a */
#define REC_VERSION    1u
#define REC_BYTE_ORDER 0x01020304u
#define REC_PAGE_BYTES 4096u
#define REC_PAGE_SHIFT 12

/* What the recording was asked to hold (rec_header.content). */
enum rec_content {
    REC_CONTENT_HEAP = 1u << 0,   /* heap counters per stack */
    REC_CONTENT_DETAIL = 1u << 1, /* every allocation and free as an event */
    REC_CONTENT_TIME = 1u << 2,   /* call tree of function hooks and sections */
    REC_CONTENT_SAMPLE = 1u << 3, /* timer samples */
};

/* How the recording ended (rec_header.end_reason); published by rec_header.end_ns. */
enum rec_end {
    REC_END_NONE = 0,   /* running, or killed: then end_ns is 0 */
    REC_END_RETURN = 1, /* exit(), or return from main */
    REC_END_EXIT = 2,   /* _exit() or _Exit() */
    REC_END_QUICK = 3,  /* quick_exit() */
    REC_END_EXEC = 4,   /* replaced by another image; not an end if the exec failed */
    REC_END_SNAPSHOT = 5, /* a copy of one that went on */
};

/* Kinds of extent. The record type of each is named beside it. */
enum rec_kind {
    REC_KIND_NONE = 0,       /* not published yet */
    REC_KIND_NODES = 1,      /* struct rec_node, first_index on */
    REC_KIND_STACKS = 2,     /* struct rec_stack, first_index on */
    REC_KIND_COUNTERS = 3,   /* struct rec_counter for stack ids first_index..+63 of slot OWNER */
    REC_KIND_THREADS = 4,    /* struct rec_thread, first_index on */
    REC_KIND_MODULES = 5,    /* struct rec_module, first_index on */
    REC_KIND_TEXT = 6,       /* bytes, reached by struct rec_text */
    REC_KIND_HISTOGRAMS = 7, /* 64-byte units, reached from rec_counter.histogram */
    REC_KIND_TIMELINE = 8,   /* struct rec_moment, live bytes over time */
    REC_KIND_EVENTS = 9,   /* struct rec_event of slot OWNER, in order, up to the first empty one */
    REC_KIND_CALLS = 10,   /* struct rec_call of slot OWNER, first_index on */
    REC_KIND_SPANS = 11,   /* struct rec_span of slot OWNER, in no order */
    REC_KIND_SAMPLES = 12, /* struct rec_sample for stack ids first_index..+255 of slot OWNER */
    REC_KIND_SAMPLINGS = 13, /* struct rec_sampling of slot OWNER, first_index on */
};

/* Bytes somewhere in the file: OFFSET from its start. Not terminated. {0, 0} is "no text". */
struct rec_text {
    uint64_t offset;
    uint32_t bytes;
    uint32_t reserved;
};

/* One run of pages. KIND is published last. */
struct rec_extent {
    uint32_t kind;        /* enum rec_kind */
    uint32_t owner;       /* slot number where the kind has an owner, else 0 */
    uint64_t first_page;  /* 1 or more */
    uint64_t page_count;  /* 1 or more */
    uint64_t first_index; /* number of the first record in it */
};

/*
 * The extent table is itself in the file: segment s holds REC_EXTENT_FIRST << s entries, begins at
 * rec_header.extent_segment[s] (a page number, 0: not there yet) and follows segment s - 1 in
 * numbering. Segment 0 is page 1.
 */
#define REC_EXTENT_FIRST    128u
#define REC_EXTENT_SEGMENTS 20u

/* One frame. KEY is published last: 0 means "claimed, not filled". */
struct rec_node {
    uint64_t key;        /* return address, or the interrupted address with REC_NODE_EXACT set;
                            below 4096: a special frame, enum rec_special */
    uint32_t parent;     /* node number, below this one */
    uint32_t generation; /* of the address map when the frame was first seen */
};

/* Set in rec_node.key when the address is the interrupted instruction itself (the frame above a
 * signal handler), not a return address: names are looked up there, elsewhere one byte before. */
#define REC_NODE_EXACT (UINT64_C(1) << 63)
/* Set as well when it is the first address of a function that was open: the frame is that function
 * alone, whatever was inlined at its start. */
#define REC_NODE_FUNCTION     (UINT64_C(1) << 62)
#define REC_NODE_ADDRESS(key) ((key) & ~(REC_NODE_EXACT | REC_NODE_FUNCTION | REC_CALL_INSIDE))

/*
 * What is marked in the source (rec_call.function, and rec_node.key where such a call has a stack).
 * INSIDE: a return address inside a function; the frame is the innermost function there.
 * NAMED:  a section or task: bytes << 44 | file offset of its name.
 * ATTACHED: no call. The function above it has a mark beside the compiler's hook; what it calls is
 *         below this node.
 */
#define REC_CALL_INSIDE          (UINT64_C(1) << 61)
#define REC_CALL_NAMED           (UINT64_C(1) << 60)
#define REC_CALL_ATTACHED        (REC_CALL_INSIDE | REC_CALL_NAMED | 4096)
#define REC_CALL_NAME_BYTES(key) ((uint32_t)((key) >> 44 & 0xffff))
#define REC_CALL_NAME_AT(key)    ((key) & ((UINT64_C(1) << 44) - 1))

/* Keys that stand for no address. */
enum rec_special {
    REC_SPECIAL_UNKNOWN = 1,      /* the stack could not be walked at all */
    REC_SPECIAL_CUT = 2,          /* frames are missing here, the walk was cut */
    REC_SPECIAL_BEFORE_START = 3, /* served before the recorder could start */
    REC_SPECIAL_ELIDED = 4,       /* frames between root and leaf left out, depth limit */
    REC_SPECIAL_THREAD = 5,       /* root of a slot's call tree */
    REC_SPECIAL_FIBRE = 6,        /* under that root: what ran on stacks that are no thread's own */
    REC_SPECIAL_BLOCKED = 7,      /* sampled time in which the thread let no signal through */
    REC_SPECIAL_UNSAMPLED = 8,    /* time of a thread that ended before its next sample */
    REC_SPECIAL_UNMARKED = 9,     /* marks that record no memory, and nothing above that does */
    REC_SPECIAL_LIMIT = 4096,
};

enum rec_stack_flag {
    REC_STACK_CUT = 1u << 0,     /* the outer end was not reached */
    REC_STACK_GUESSED = 1u << 1, /* a frame without unwind data was passed by its frame pointer */
};

/* One stack that owns values. NODE is published last; 0 means "claimed, not filled". */
struct rec_stack {
    uint32_t node;
    uint32_t flags; /* enum rec_stack_flag */
};

/*
 * The heap values of one stack in one slot. Requested bytes. Per event they are stored in the
 * order allocations, bytes, live.
 * Live blocks are allocations - frees; freed bytes are bytes - live_bytes. A block is freed in the
 * slot of the thread that frees it: single slots may go negative, the sum over slots does not.
 * At the global peak the stack held: epoch == header.peak_epoch ? saved_bytes : live_bytes.
 */
struct rec_counter {
    uint64_t allocations;
    uint64_t bytes;
    uint64_t frees;
    int64_t live_bytes;
    int64_t saved_bytes;
    uint64_t epoch;
    uint64_t temporary; /* freed before the thread's next allocation */
    uint32_t size_mark; /* 0: no allocation yet. Below REC_SIZES_MANY: all had the size
                           size_mark - 1. Else REC_SIZES_MANY | classes << 16 |
                           first octave << 8 | octaves */
    uint32_t histogram; /* file offset / REC_HISTOGRAM_UNIT of a struct rec_histogram, or 0 */
};

#define REC_COUNTERS_PER_PAGE 64u
#define REC_HISTOGRAM_UNIT    64u

/*
 * Sizes of single allocations. Most stacks only ever allocate one size, which size_mark holds; a
 * histogram is made for the second. Both words change in one 64-bit store.
 *
 * A size s falls into class c of its value v = s ? s - 1 : 0: v < 8: c = v; else with e = position
 * of v's highest bit: c = 8 * (e - 2) + ((v >> (e - 3)) & 7). So each power of two (an octave) has
 * eight classes, c / 8 is the octave, and all powers of two are upper limits of classes.
 * count[i] belongs to class 8 * first octave + i; there are 8 * octaves of them. All from "classes"
 * on are 0: it is for the recorder, which need not look at max_bytes below the highest class.
 * If there was no room for a histogram, size_mark is REC_SIZES_MANY and histogram 0: sizes unknown.
 * The last size of a thread that still runs may not be counted yet.
 */
#define REC_SIZES_MANY          0x80000000u
#define REC_SIZES_FIRST(mark)   ((mark) >> 8 & 0xff)
#define REC_SIZES_OCTAVES(mark) ((mark)&0xff)
#define REC_SIZES_CLASSES(mark) ((mark) >> 16 & 0x3ff)
#define REC_OCTAVE_CLASSES      8u
#define REC_OCTAVES             62u

struct rec_histogram {
    uint64_t max_bytes; /* the largest single size */
    uint64_t reserved[7];
    uint64_t count[]; /* a unit per octave */
};

/*
 * One allocation or free in detail mode, or several merged ones of the same stack. KIND_COUNT is
 * published last; 0: not filled, the extent's events end here.
 * STACK is the stack that allocated, or the stack that freed.
 */
struct rec_event {
    uint64_t ns; /* since start_monotonic_ns; of the first one */
    uint64_t bytes;
    uint32_t stack;
    uint32_t kind_count; /* REC_EVENT_FREE or 0, and how many */
};

#define REC_EVENT_FREE        0x80000000u
#define REC_EVENT_COUNT(word) ((word)&0x7fffffffu)

/*
 * One node of a slot's call tree: a function as it was reached through its parents. It is the
 * entry of the shadow stack as well: a path can be open only once, so the open call of a node is
 * kept in the node.
 *
 * Nodes are named by their place in the file: offset / REC_CALL_BYTES; 0 is no node. The root of a
 * slot's tree is rec_thread.call_root. Several nodes may stand for one path (a handler made one
 * while the interrupted code made the same; twins): a reader adds them up.
 *
 * Times are in ticks of rec_header.clock_kind, raw: the recorder's own cost is in them.
 * Exclusive time is inclusive - that of the children; a call that is open counts up to the end,
 * without what the recording stood still since: rec_header.paused_ticks - rec_thread.paused_ticks.
 * Under REC_SPECIAL_ELIDED every node holds the exclusive time of its function in `inclusive`, the
 * calls nested in it are its siblings, and shortest and longest are not kept.
 */
struct rec_call {
    uint64_t function; /* its address, or enum rec_special; published last */
    uint64_t frame;    /* where the function's frame begins (its CFA); UINT64_MAX: not open */
    uint64_t site;     /* return address of the last call */
    uint64_t start;    /* of the open call; REC_CALL_NO_START: none, or only just entered */
    uint64_t inclusive;
    uint64_t calls;
    uint32_t hook_return; /* low half of the return address of the entry hook */
    uint32_t parent;      /* node; 0 at the root */
    uint32_t generation;  /* of the address map when the node was made */
    uint16_t depth;       /* steps from the root */
    uint16_t site_words;  /* from the entry hook's caller's stack pointer to the return address;
                             UINT16_MAX: not found; REC_CALL_TIMELESS: its time is its caller's */
    uint64_t shortest;    /* of the calls that ended; UINT64_MAX: none did */
    uint64_t longest;
    uint64_t off_cpu_ns; /* of the exclusive time, what the thread was not running */
    uint64_t child[4];   /* node << 32 | (function + generation, low half): the first four */
    uint32_t stack;      /* stack id that its heap use is booked on; 0: none yet */
    uint32_t twin;       /* node of the same path for a second call that is open meanwhile */
};

#define REC_CALL_NO_START ((uint64_t)INT64_MAX) /* later than any start */
#define REC_CALL_TIMELESS 0xfffeu
#define REC_CALL_BYTES    128u
#define REC_CALL_SHIFT    7

/* What the timer samples of one stack in one slot add up to. */
struct rec_sample {
    uint64_t samples; /* signals */
    uint64_t ns;      /* the time that they stand for: 1 + overruns intervals each */
};

#define REC_SAMPLES_PER_PAGE 256u

/*
 * One point of a slot's samples over time, or several neighbouring ones: NS is that of the last,
 * STACK that of one of them, LENGTH_US the time that all of them stand for, rounded down (the rest
 * goes into the next point). NS is published last. When a slot has REC_SAMPLINGS of them, every
 * two become one.
 */
struct rec_sampling {
    uint64_t ns; /* since start_monotonic_ns, plus 1; 0: not filled */
    uint32_t stack;
    uint32_t length_us;
};

#define REC_SAMPLINGS 8192u

/* What the samples' time is (rec_header.sample_clock). */
enum rec_sample_clock {
    REC_SAMPLE_NONE = 0, /* no samples were asked for */
    REC_SAMPLE_CPU = 1,  /* CPU time of each thread */
    REC_SAMPLE_WALL = 2, /* CLOCK_MONOTONIC: waiting counts too */
};

/* Why samples ended before the process did (rec_header.sample_end). */
enum rec_sample_end {
    REC_SAMPLE_END_NONE = 0,
    REC_SAMPLE_END_SIGNALS = 1, /* the program uses all real-time signals itself */
    REC_SAMPLE_END_SANDBOX = 2, /* it has put itself under a seccomp filter */
};

/*
 * One finished call that took at least rec_thread.resolution_ticks; shorter ones are in the sums of
 * their node alone. NODE is published last; 0: not filled. When the room for spans is used up the
 * resolution doubles and shorter spans go: until that is through, and if the process is killed in
 * it, some are there twice, or are shorter than the resolution. Every open call above a span's has
 * a span too once it ends: it takes longer.
 */
struct rec_span {
    uint64_t start;
    uint64_t ticks; /* from its start to its end, raw */
    uint32_t node;  /* of rec_call */
    uint32_t stack; /* 0: the thread's own; else a number of its, of the stack of a fibre */
};

/* In rec_thread.resolution_ticks: there was no room for any span. */
#define REC_RESOLUTION_NONE ((uint64_t)INT64_MAX)

/* What the ticks of rec_call are (rec_header.clock_kind). */
enum rec_clock {
    REC_CLOCK_NONE = 0,        /* no function hook has run */
    REC_CLOCK_MONOTONIC = 1,   /* nanoseconds of CLOCK_MONOTONIC */
    REC_CLOCK_TSC = 2,         /* time stamp counter */
    REC_CLOCK_TSC_PRECISE = 3, /* the same, fenced */
};

/* The two clocks read at one moment. */
struct rec_clock_point {
    uint64_t ticks;
    uint64_t ns; /* CLOCK_MONOTONIC */
};

enum rec_thread_flag {
    REC_THREAD_TASK = 1u << 0, /* no thread: tasks of that name, on whatever thread */
};

/* One slot. TID is published last; 0 means "claimed, not filled". */
struct rec_thread {
    uint32_t tid;         /* of the thread that took it last */
    uint32_t times_taken; /* how many threads have added here */
    char name[16];        /* as of the taking, NUL padded */
    uint64_t first_ns;    /* monotonic, when it was first taken */
    uint64_t last_ns;     /* monotonic, when it was last given back; 0: in use or never */
    uint64_t last_ticks;  /* of the last exit hook; later entries are in their nodes */
    uint32_t call_root;   /* node of the call tree, see struct rec_call; 0: no hook has run */
    uint32_t flags;            /* enum rec_thread_flag */
    uint64_t resolution_ticks; /* calls that take less have no span, see struct rec_span */
    uint64_t spans_lost;       /* calls that should have one: in a handler, while spans moved */
    uint64_t paused_ticks;     /* of rec_header.paused_ticks, what its open calls leave out */
    uint64_t reserved[6];
};

enum rec_module_flag {
    REC_MODULE_MAIN = 1u << 0,     /* the program itself */
    REC_MODULE_VDSO = 1u << 1,     /* no file: the kernel's page */
    REC_MODULE_RECORDER = 1u << 2, /* the recorder itself: samples meet it */
};

/* One loaded module. START is published last; 0 means "claimed, not filled". */
struct rec_module {
    uint64_t start;            /* first mapped address */
    uint64_t end;              /* first address behind it */
    uint64_t bias;             /* address in memory - address in the file's own numbering */
    uint32_t first_generation; /* valid from this generation */
    uint32_t last_generation;  /* to this one; UINT32_MAX while it is loaded */
    struct rec_text path;
    uint32_t flags; /* enum rec_module_flag */
    uint32_t build_id_bytes;
    uint8_t build_id[32];
    uint64_t reserved[5];
};

/* One point of live bytes over time. NS is published last. */
struct rec_moment {
    uint64_t ns; /* since start_monotonic_ns, plus 1; 0: not filled */
    int64_t live_bytes;
};

#define REC_MOMENTS 2048u

/*
 * Page 0. MAGIC is published last at the start, END_NS last at the end.
 * Sums that losses are counted in never stop the recording.
 */
struct rec_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_bytes; /* sizeof(struct rec_header) */
    uint32_t byte_order;
    uint32_t page_bytes;
    uint32_t content;            /* enum rec_content */
    uint32_t machine;            /* ELF e_machine of the program */
    uint64_t start_realtime_ns;  /* CLOCK_REALTIME at the start */
    uint64_t start_monotonic_ns; /* CLOCK_MONOTONIC at the same moment */
    uint64_t end_ns;             /* CLOCK_MONOTONIC at the end, 0: none */
    uint32_t end_reason;         /* enum rec_end */
    uint32_t exit_status;        /* of _exit() */
    uint32_t pid;
    uint32_t parent_pid;
    uint32_t family_pid; /* the process in which the user put the preload */
    uint32_t uid;
    int32_t utc_offset_s;                         /* local time - UTC at the start */
    uint32_t generation;                          /* of the address map, now */
    uint64_t size_threshold_bytes;                /* only larger allocations are recorded */
    uint64_t reservation_bytes;                   /* the file's size while it is recorded */
    uint64_t used_pages;                          /* pages handed out, page 0 included */
    uint64_t extent_count;                        /* entries claimed in the extent table */
    uint64_t extent_segment[REC_EXTENT_SEGMENTS]; /* page numbers */
    uint64_t node_count;                          /* nodes claimed, the root included */
    uint64_t stack_count;                         /* stack ids claimed; id 0 is never used */
    uint64_t thread_count;                        /* slots claimed */
    uint64_t module_count;                        /* modules claimed */
    int64_t live_bytes;           /* now; pending amounts of running threads are missing */
    int64_t peak_bytes;           /* the largest live_bytes so far */
    uint64_t peak_epoch;          /* raised with each new peak, see rec_counter */
    uint64_t pending_bound_bytes; /* largest pending amount a thread may have held back */
    uint64_t max_threads;         /* largest number of threads alive at once */
    uint64_t moment_step;         /* events between two moments of the timeline, now */
    uint64_t moment_count;
    /* losses, each an exact count */
    uint64_t before_start_allocations; /* served from the static arena */
    uint64_t before_start_bytes;
    uint64_t nested_calls;        /* heap calls inside our own hook, not recorded */
    uint64_t guard_takeovers;     /* hooks that a signal handler jumped out of */
    uint64_t stacks_unknown;      /* events whose stack could not be walked or kept */
    uint64_t events_lost;         /* heap events that could not be booked at all */
    uint64_t unknown_frees;       /* blocks that were not ours; 0 with a threshold */
    uint64_t full_ns;             /* when the reservation or the disk was full, 0: never */
    uint64_t children;            /* forked children seen */
    uint64_t resolver_seen;       /* 1 once a resolver was started for it */
    uint64_t events_budget_bytes; /* room for events, see events_merged_ns */
    uint64_t events_bytes;        /* pages of events handed out so far */
    uint64_t events_merged_ns; /* from this moment on events of one stack were merged, 0: never */
    uint64_t events_merged;    /* how many */
    struct rec_text program;   /* path of the executable */
    struct rec_text arguments; /* argv, NUL separated */
    struct rec_text directory; /* working directory at the start */
    struct rec_text base_name; /* BASE, without a directory */
    struct rec_text host;      /* node name */
    struct rec_text config;    /* THAG_PROFILER as given */
    uint32_t clock_kind;       /* enum rec_clock */
    uint32_t clock_last;       /* 1 or 2: the later clock_point, published last; 0: none yet */
    /* Two moments give the clock's rate; the later one is renewed now and then, also in programs
     * that are killed. */
    struct rec_clock_point clock_point[3];
    uint32_t cost_inside;  /* of an enter and exit hook pair, 1/1024 ticks: what lies between the */
    uint32_t cost_outside; /* two clock reads, and what lies outside and is the caller's */
    uint64_t call_count;   /* nodes handed out */
    uint64_t calls_folded; /* calls left to their caller: no room for a node */
    uint64_t clock_steps_back; /* calls that ended before they began, counted as 0 ticks */
    uint32_t sample_clock;     /* enum rec_sample_clock */
    uint32_t sample_hz;        /* as asked for */
    uint64_t sample_lost_ns;   /* time of threads that let no signal through up to the end */
    uint64_t sample_refused;   /* threads that the kernel gave no timer */
    uint32_t sample_end;       /* enum rec_sample_end */
    uint32_t reserved_word;
    uint64_t paused_ticks;     /* that the recording stood still; see rec_thread */
};

/* A reader meets files of other compilers and machines: the sizes are part of the format. */
#define REC_PIN(type, size) _Static_assert(sizeof(type) == (size), #type " has another size")
REC_PIN(struct rec_text, 16);
REC_PIN(struct rec_extent, 32);
REC_PIN(struct rec_node, 16);
REC_PIN(struct rec_stack, 8);
REC_PIN(struct rec_counter, 64);
REC_PIN(struct rec_histogram, 64);
REC_PIN(struct rec_event, 24);
REC_PIN(struct rec_call, 128);
REC_PIN(struct rec_span, 24);
REC_PIN(struct rec_clock_point, 16);
REC_PIN(struct rec_sample, 16);
REC_PIN(struct rec_sampling, 16);
REC_PIN(struct rec_thread, 128);
REC_PIN(struct rec_module, 128);
REC_PIN(struct rec_moment, 16);
REC_PIN(struct rec_header, 704);
_Static_assert(sizeof(struct rec_header) <= REC_PAGE_BYTES, "the header is one page");
_Static_assert(offsetof(struct rec_header, extent_segment) % 8 == 0, "published words are aligned");
_Static_assert(offsetof(struct rec_call, shortest) == 64, "what every call writes is one line");

#endif
