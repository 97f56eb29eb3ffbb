/* CAIRN's embedding API: a checked program inside a C or C++ program.
 *
 * A virtual machine (cairn_vm) holds what its programs may do: limits, capabilities, host functions. A module
 * (cairn_module) is one program, checked and running: its functions are called by name, with the host's own memory lent
 * for the call. Two modules share nothing.
 *
 * Threads. A cairn_vm may be used from any thread, one at a time. A module is used only on the thread that loaded it
 * (its heap belongs to that thread); cairn_interrupt alone may be called from any thread. Modules on different threads
 * run at the same time.
 *
 * Traps. A failed guard inside a call, on whatever thread of the program, ends the call with CAIRN_TRAPPED and leaves the
 * module dead: no cleanup ran, and only cairn_restart or cairn_module_free may follow. The host and other modules are
 * unharmed.
 *
 * Strings are UTF-8 with a NUL; those that a function returns belong to the object they were asked of and live until it
 * is freed, or until the next call that says so. */
/* NOLINTBEGIN: names and types as C has them */
#ifndef CAIRN_H
#define CAIRN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(CAIRN_BUILDING)
#define CAIRN_API __attribute__((visibility("default")))
#else
#define CAIRN_API
#endif

typedef struct cairn_vm cairn_vm;
typedef struct cairn_module cairn_module;
typedef struct cairn_function cairn_function;
typedef struct cairn_session cairn_session;
typedef struct cairn_diagnostics cairn_diagnostics;

typedef enum cairn_status {
  CAIRN_OK = 0,
  CAIRN_REFUSED,      /* the program is refused: see its diagnostics */
  CAIRN_TRAPPED,      /* a guard failed: see the trap; the module is dead */
  CAIRN_DEAD,         /* the module has trapped before */
  CAIRN_BAD_ARGUMENT, /* the host's call does not fit: see cairn_problem */
} cairn_status;

/* What a program may ask of its host. Nothing is allowed by default. */
enum {
  CAIRN_INPUT = 1 << 0,       /* read from open descriptors, standard input among them */
  CAIRN_OUTPUT = 1 << 1,      /* write to open descriptors (std.io); print and println need no capability */
  CAIRN_FILES = 1 << 2,       /* open, remove, rename files */
  CAIRN_SOCKETS = 1 << 3,     /* make connections */
  CAIRN_ENVIRONMENT = 1 << 4, /* arguments and environment variables (needs CAIRN_FILES and CAIRN_INPUT as well) */
  CAIRN_TIME = 1 << 5,        /* clocks and sleeping */
  CAIRN_PROCESSES = 1 << 6,   /* the process's identity */
  CAIRN_MACHINE = 1 << 7,     /* typed assembly and memory-mapped input and output */
  CAIRN_RINGS = 1 << 8,       /* rings of kernel operations */
  CAIRN_FOREIGN = 1 << 9,     /* the system's C symbols behind `extern` declarations */
  CAIRN_EVERYTHING = (1 << 10) - 1,
};

typedef enum cairn_tier { CAIRN_TIER_AUTO = 0, CAIRN_TIER_INTERPRETER, CAIRN_TIER_BASELINE, CAIRN_TIER_OPTIMIZING } cairn_tier;

/* Takes what the program prints: `to_error` tells print from eprint. Called on whatever thread prints, one call for each
 * print of at most 4096 bytes. */
typedef void (*cairn_output)(void *context, bool to_error, const char *bytes, size_t count);

typedef struct cairn_options {
  size_t size;              /* sizeof(cairn_options), so that later versions may add fields */
  cairn_tier tier;
  uint32_t capabilities;    /* of CAIRN_INPUT ... */
  uint64_t memory_bytes;    /* most a module's heap and thread stacks may hold; 0: no limit */
  uint64_t stack_bytes;     /* of each thread's call stack; 0: 8 MiB */
  uint64_t steps;           /* loop turns and calls of a module, all its threads together; 0: no limit */
  uint64_t wall_ms;         /* of one call; 0: no limit. A native that waits in the kernel is not interrupted */
  uint64_t tasks;           /* tasks of a module at one time; 0: 64 */
  uint32_t lanes;           /* of a module's lane pool; 0: as CAIRN_LANES says, else one for each core */
  bool emulate;             /* device regions run on host threads */
  const char *device_target; /* "sm_90", for the rules that depend on it; null: none */
  bool shares_gpu;          /* device work in the GPU's primary context, whose streams and memory the host lends */
  cairn_output output;      /* null: the process's standard output and error */
  void *output_context;
} cairn_options;

/* The options a null pointer stands for: nothing allowed, no limits but the number of tasks. */
CAIRN_API cairn_options cairn_default_options(void);

/* ---------------------------------------------------------------------------------------------------- values */

typedef enum cairn_kind {
  CAIRN_VOID = 0,
  CAIRN_BOOL,
  CAIRN_U8,
  CAIRN_U16,
  CAIRN_U32,
  CAIRN_U64, /* usize as well */
  CAIRN_I8,
  CAIRN_I16,
  CAIRN_I32,
  CAIRN_I64,
  CAIRN_F32,
  CAIRN_F64,
  CAIRN_F16, /* storage floats: their bits, in `u64` */
  CAIRN_BF16,
  CAIRN_F8E4M3,
  CAIRN_F8E5M2,
  CAIRN_ENUM,   /* a tag-only enum: its tag, in `u64` */
  CAIRN_RECORD, /* a copyable record or sum: `data` points to `count` bytes of it, laid out as C lays out the struct */
  CAIRN_VIEW,   /* `count` elements at `data`, lent for the call */
  CAIRN_BORROW, /* one value at `data`, lent for the call */
} cairn_kind;

/* One argument or result. Integers of every width travel in `u64` or `i64`, converted to their own width (a value that
 * does not fit is CAIRN_BAD_ARGUMENT). */
typedef struct cairn_value {
  cairn_kind kind;
  cairn_kind element; /* CAIRN_VIEW, CAIRN_BORROW: of what; CAIRN_VOID: not said, and not compared */
  union {
    bool boolean;
    uint64_t u64;
    int64_t i64;
    float f32;
    double f64;
    struct {
      void *data;
      size_t count;
    } memory;
  } as;
} cairn_value;

/* ---------------------------------------------------------------------------------------------------- machines */

/* Null when memory is spent or an option is out of range. Options are copied. */
CAIRN_API cairn_vm *cairn_vm_new(const cairn_options *options);
/* Its modules are freed first. Not from a host function. */
CAIRN_API void cairn_vm_free(cairn_vm *vm);
CAIRN_API const char *cairn_version(void);

/* Called when the program calls a host function. `result` arrives with the kind the function returns (its record, when
 * it is one, with storage) and is filled in. Null when all went well; else why the program is to trap, a string that
 * lives until the next call. Runs on whatever thread of the program calls it, so a program with tasks or lanes may call
 * it from several at once. On the module's own thread it may call functions of the same module. */
typedef const char *(*cairn_host_function)(void *context, const cairn_value *arguments, size_t count, cairn_value *result);

/* Gives every module loaded from now on a function of the host. `declaration` is a CAIRN signature with its effects, as
 * an extern's: "fn price(symbol:u32) -> f64 effects(io)". Programs reach it as `host.price`, inside `unsafe`, after
 * `import host;`, or declare an extern of the same name and signature themselves. The effects are trusted as written.
 * CAIRN_REFUSED when the declaration is none, or its name is taken. */
CAIRN_API cairn_status cairn_register(cairn_vm *vm, const char *declaration, cairn_host_function function, void *context);

/* ---------------------------------------------------------------------------------------------------- programs */

/* Checks and readies a program: a source file, a project's folder or manifest, or a bundle made by `cairn build`. Null
 * when it is refused or cannot be read; *diagnostics, where given, is then set, and freed by the host. */
CAIRN_API cairn_module *cairn_load(cairn_vm *vm, const char *path, cairn_diagnostics **diagnostics);
/* The same of `count` bytes of source, called `name` in positions. */
CAIRN_API cairn_module *cairn_load_source(cairn_vm *vm, const char *name, const char *source, size_t count,
                                          cairn_diagnostics **diagnostics);
/* The same of `count` bytes of a bundle. */
CAIRN_API cairn_module *cairn_load_bundle(cairn_vm *vm, const void *bundle, size_t count,
                                          cairn_diagnostics **diagnostics);
/* Not from a host function that the module called: then nothing happens. */
CAIRN_API void cairn_module_free(cairn_module *module);
/* A fresh instance of the same program: after a trap, or to start over. Functions found before stay good. */
CAIRN_API cairn_status cairn_restart(cairn_module *module);
/* Asks the module's running call to stop with a trap of kind "interrupt". From any thread, also when nothing runs: then
 * the next call stops. */
CAIRN_API void cairn_interrupt(cairn_module *module);
/* Why the last call of this module that gave CAIRN_BAD_ARGUMENT did. */
CAIRN_API const char *cairn_problem(const cairn_module *module);
/* Bytes the module's heap holds now; counted only with a memory limit. */
CAIRN_API uint64_t cairn_memory_used(const cairn_module *module);

/* Runs `fn main`; *result, where given, is its value (0 when it returns none). */
CAIRN_API cairn_status cairn_run_main(cairn_module *module, int32_t *result);

/* ---------------------------------------------------------------------------------------------------- sessions */

/* A program that grows by what is entered, as `cairn repl` and the notebook kernel run it: declarations, statements and
 * expressions, each checked as the next part of one function and then run. What the machine allows and registers holds
 * for it, but the device stream; the limits are those of each statement. Used on the thread that made it;
 * cairn_session_interrupt alone may be called from any.
 *
 * `path`: a program whose declarations are in scope; null: none. Null when that program is refused; *diagnostics, where
 * given, is then set, and freed by the host. */
CAIRN_API cairn_session *cairn_session_new(cairn_vm *vm, const char *path, cairn_diagnostics **diagnostics);
/* With what its bindings own; the machine frees what is left. Not from a host function that an entry called. */
CAIRN_API void cairn_session_free(cairn_session *session);

typedef struct cairn_entry {
  const char *value; /* of the last expression, as text; null: there was none, or it has no value */
  const char *type;  /* of the same */
  const void *png;   /* the same as a picture, when it is a std.image.Image; else null */
  size_t png_bytes;
  const char *code;    /* of what was refused ("E-MOVED"), or the kind of the trap; empty: neither */
  const char *problem; /* why the entry failed, as the command line shows it; empty when it did not */
  const char *notes;   /* what happened besides: bindings that a trap made the session forget */
} cairn_entry;

/* Enters `count` bytes: one entry or several, a line or lines each, run in order up to the first that fails.
 * CAIRN_REFUSED leaves the session as it was before that entry; CAIRN_TRAPPED does, but for owners that the entry named,
 * which are forgotten, and with them every binding when tasks were running. The session lives on in both cases. *entry,
 * where given, is filled and lives until the session's next call. */
CAIRN_API cairn_status cairn_session_enter(cairn_session *session, const char *text, size_t count, cairn_entry *entry);
/* Whether a text is a whole entry, and not the beginning of one of more lines. */
CAIRN_API bool cairn_is_complete_entry(const char *text, size_t count);
/* Asks what runs to stop with a trap of kind "interrupt"; when nothing runs, what is entered next. */
CAIRN_API void cairn_session_interrupt(cairn_session *session);

/* ---------------------------------------------------------------------------------------------------- the program */

/* Runs a command of the program `cairn`, which is this call and nothing else: `argv` as `main` has it, with the
 * program's name first. Gives the exit status. A command acts as a process does: it uses descriptors 0 to 2 and the
 * working folder, `test` and `verify` fork, `repl`, `kernel`, `lsp` and time limits set signal handlers, and a trap of a
 * program that `run` runs ends the process as abort does. `kernel` starts the process's own executable again, with
 * `argv`. For programs that are to be survived there is cairn_load. */
CAIRN_API int cairn_command_line(int argc, const char *const *argv);

/* ---------------------------------------------------------------------------------------------------- diagnostics */

CAIRN_API size_t cairn_diagnostics_count(const cairn_diagnostics *diagnostics);
typedef struct cairn_diagnostic {
  const char *code; /* "E-MOVED" */
  const char *message;
  const char *help; /* how to mend it; may be empty */
  const char *file; /* empty: no position */
  uint32_t line;    /* from 1 */
  uint32_t column;  /* from 1, in code points */
} cairn_diagnostic;
CAIRN_API cairn_diagnostic cairn_diagnostics_at(const cairn_diagnostics *diagnostics, size_t index);
/* All of them as text for people, and as the JSON record of `cairn check --json`. */
CAIRN_API const char *cairn_diagnostics_text(const cairn_diagnostics *diagnostics);
CAIRN_API const char *cairn_diagnostics_json(const cairn_diagnostics *diagnostics);
CAIRN_API void cairn_diagnostics_free(cairn_diagnostics *diagnostics);

/* ---------------------------------------------------------------------------------------------------- functions */

/* Functions a host can call: public ones (every one of the root module) whose parameters and result can cross: scalars,
 * copyable records and sums, views and single borrows of them. */
CAIRN_API size_t cairn_function_count(const cairn_module *module);
CAIRN_API cairn_function *cairn_function_at(cairn_module *module, size_t index);
/* By name: "area", "geo.area", "total_by[4]". Null when there is none that can be called. */
CAIRN_API cairn_function *cairn_find(cairn_module *module, const char *name);
CAIRN_API const char *cairn_function_name(const cairn_function *function);
/* "(n:usize, out:rw<f32>[n], k:f32) -> u64" */
CAIRN_API const char *cairn_function_signature(const cairn_function *function);
/* The labels of its effect row, ", " between two; empty for none. */
CAIRN_API const char *cairn_function_effects(const cairn_function *function);

typedef struct cairn_parameter {
  const char *name;
  const char *type;    /* as written: "rw<f32>[n]" */
  cairn_kind kind;
  cairn_kind element;  /* CAIRN_VIEW, CAIRN_BORROW */
  bool writable;       /* CAIRN_VIEW, CAIRN_BORROW: rw */
  uint64_t size;       /* bytes of the value, of an element, or of what is borrowed */
  uint64_t alignment;  /* of the same */
  ptrdiff_t extent_of; /* the parameter that is the length of this view; -1: none */
} cairn_parameter;
CAIRN_API size_t cairn_parameter_count(const cairn_function *function);
CAIRN_API cairn_parameter cairn_parameter_at(const cairn_function *function, size_t index);
CAIRN_API cairn_parameter cairn_result_of(const cairn_function *function);

typedef struct cairn_trap {
  const char *kind;    /* "bounds", "overflow", "interrupt", "limit", ... */
  const char *message; /* "trap: bounds: index 9, length 9" */
  const char *file;    /* empty: no position */
  uint32_t line;
  uint32_t column;
  const char *text;    /* all of it, with the calls that led there, as the command line prints it */
} cairn_trap;

/* Calls a function. One argument for each parameter, in order; parameters that are the length of a view may all be left
 * out. Guards on what is lent (alignment, null, overlap of what is written, an enum's tag) trap like any other. *result,
 * where given, receives the value; for a record its `as.memory` names storage of the host. *trap, where given, is filled
 * on CAIRN_TRAPPED and lives until the next call. */
CAIRN_API cairn_status cairn_call(cairn_function *function, const cairn_value *arguments, size_t count, cairn_value *result,
                                  cairn_trap *trap);
/* The same call, but its device work is queued on the stream (a CUstream of the primary context) and nothing waits for
 * it: for functions that never wait on the host (devices, 21). A guard that fails in it shows when the host next
 * synchronizes, and at the module's next call. */
CAIRN_API cairn_status cairn_enqueue(cairn_function *function, void *stream, const cairn_value *arguments, size_t count,
                                     cairn_value *result, cairn_trap *trap);
/* The module's synchronous device work runs on the stream from now on; on its own again with null. Makes now what device
 * work needs and else makes when it first comes. */
CAIRN_API cairn_status cairn_device_stream(cairn_module *module, void *stream, cairn_trap *trap);
/* The trap that left the module dead; false when it lives. */
CAIRN_API bool cairn_last_trap(const cairn_module *module, cairn_trap *trap);

#ifdef __cplusplus
}
#endif

#endif
/* NOLINTEND */
