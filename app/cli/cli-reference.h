/* cli-reference.h — A beside B: the same words in another model, with other changes, or at another
 * precision.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-engine.h"

G_BEGIN_DECLS

/* As typed; NULL: as B. */
typedef struct {
  const char *changes; /* "none", or a change; NULL: none, too */
  const char *model;
  const char *precision;
  const char *text;  /* of another sentence; NULL: that of B */
  gboolean each_own; /* each its own translation, aligned; FALSE: A's, in both */
} CliReferenceOptions;
/* Of a command that can compare what has other tokens. */
#define CLI_REFERENCE_OPTIONS_OTHER(r)                                                   \
  {CLI_OPTION_TEXT,                                                                      \
   "reference-text",                                                                     \
   0,                                                                                    \
   &(r).text,                                                                            \
   "TEXT",                                                                               \
   "A reads another sentence; tokens are aligned, those of one side hatched"},           \
  {                                                                                      \
    CLI_OPTION_FLAG, "each-own", 0, &(r).each_own, NULL,                                 \
        "A and B have their own translation each, aligned, instead of that of A in both" \
  }
#define CLI_REFERENCE_OPTIONS(r)                                                          \
  {CLI_OPTION_TEXT,                                                                       \
   "reference",                                                                           \
   0,                                                                                     \
   &(r).changes,                                                                          \
   "CHANGE",                                                                              \
   "A, the reference, is the model without changes (none), or with CHANGE"},              \
      {CLI_OPTION_TEXT,                                                                   \
       "reference-model",                                                                 \
       0,                                                                                 \
       &(r).model,                                                                        \
       "DIR",                                                                             \
       "A is another model with as many layers and heads, such as another checkpoint"},   \
  {                                                                                       \
    CLI_OPTION_TEXT, "reference-precision", 0, &(r).precision, "P",                       \
        "A reads weights as stored, or rounded to f16, bf16, bf16-all, int8 or int8-all;" \
        " attention too"                                                                  \
  }

typedef struct {
  CliEngine own; /* of A, where it is another model or precision … */
  gboolean has_own;
  CliEngine *engine;   /* … and the one that A runs in */
  mt_changes *changes; /* of A */
} CliReference;

static inline gboolean
cli_reference_is_wanted(const CliReferenceOptions *options)
{
  return options->changes || options->model || options->precision || options->text;
}
/* engine: B, which must outlive it. Anything but CLI_DONE has been reported. */
CliStatus cli_reference_open(const CliCommand *command, const CliReferenceOptions *options,
                             const CliEngineOptions *of_b, CliEngine *engine,
                             CliReference *reference);
void cli_reference_clear(CliReference *reference);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliReference, cli_reference_clear)

/* What A says. NULL: *error. */
mt_translation *cli_reference_translate(const CliCommand *command, CliReference *reference,
                                        const char *text, const char *target, mt_error *error);
/* The attention of A, and of B for A's words; flags as of mt_session_capture, of B. FALSE, which
 * has been reported. */
gboolean cli_reference_capture(const CliCommand *command, CliReference *reference, CliEngine *b,
                               const mt_translation *translation, unsigned flags, mt_capture **of_a,
                               mt_capture **of_b);
/* What B says when it is given the words of A, piece by piece, for another text. NULL: *error. */
mt_translation *cli_reference_force(CliEngine *b, const char *text, const mt_translation *of_a,
                                    mt_error *error);
/* As cli_reference_capture, each of its own translation. */
gboolean cli_reference_capture_each(const CliCommand *command, CliReference *reference,
                                    CliEngine *b, const mt_translation *translation_a,
                                    const mt_translation *translation_b, unsigned flags,
                                    mt_capture **of_a, mt_capture **of_b);

G_END_DECLS
