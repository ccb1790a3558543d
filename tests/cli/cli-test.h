/* cli-test.h — regard-cli as a user meets it: arguments and input in, output and status out. Or
 * another program of commands, which REGARD_CLI names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>
#include <json.h>

/* What one run of the program left behind. */
typedef struct {
  char *line; /* what was run */
  int status; /* exit status; -N if it was killed by signal N */
  char *out;
  gsize out_length;
  char *err;
} CliRun;

/* Run regard-cli with these arguments (strings up to NULL) and this input (NULL: none). */
CliRun *cli_run(const char *input, ...) G_GNUC_NULL_TERMINATED;
CliRun *cli_run_bytes(const char *input, gsize length, ...) G_GNUC_NULL_TERMINATED;
void cli_run_free(CliRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliRun, cli_run_free)

/* A running regard-cli to talk with through pipes: path of the program. */
const char *cli_program(void);

/* A temporary folder for this program's files, removed when it ends. */
const char *cli_scratch(void);
/* A path in it; caller frees. */
char *cli_scratch_path(const char *name);
/* Path of a file of the source tree; caller frees. */
char *cli_source_path(const char *name);
/* A file in it that holds this text. Path; caller frees. */
char *cli_scratch_file(const char *name, const char *text);
/* What a file holds, which must be there; length may be NULL. Caller frees. */
char *cli_contents(const char *path, gsize *length);

/* Asserts: status as expected, and standard error says so in a sentence that holds `what`. Both
 * return the run. */
CliRun *cli_assert_status(CliRun *run, int status);
CliRun *cli_assert_complains(CliRun *run, int status, const char *what);
/* cli_run of what must end with 0; and where nothing else of it is asked for. */
#define cli_run_ok(...)   cli_assert_status(cli_run(__VA_ARGS__), 0)
#define cli_succeeds(...) cli_run_free(cli_run_ok(__VA_ARGS__))
/* The same of what must fail with this status and a sentence that holds `what`. */
#define cli_run_refused(status, what, ...) cli_assert_complains(cli_run(__VA_ARGS__), status, what)
#define cli_refuses(status, what, ...)     cli_run_free(cli_run_refused(status, what, __VA_ARGS__))
/* log p in nats of a translation of the source with these changes, a line each, as capture has it.
 */
double cli_logprob(const char *source, const char *target, const char *changes);
/* Asserts that the text is one JSON value. Caller puts it. */
json_object *cli_assert_json(const char *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_object, json_object_put)
/* The member, which must be there; as a text, a number, or an array's length. Borrowed. */
json_object *cli_json_member(json_object *object, const char *name);
const char *cli_json_string(json_object *object, const char *name);
double cli_json_number(json_object *object, const char *name);
gsize cli_json_length(json_object *object, const char *name);
