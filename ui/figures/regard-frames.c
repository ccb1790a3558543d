/* regard-frames.c — figures that follow each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-frames.h"

#include "figures/regard-language.h"

/* Milliseconds. */
#define FIRST  1500
#define LAST   3000
#define OTHERS 800

struct _RegardFrames {
  gatomicrefcount ref_count;
  RegardFramesKind kind;
  guint n;
  gpointer subject; /* of all figures; or the matrices, a GPtrArray */
  GStrv labels;     /* [n] of matrices; NULL: steps are counted */
  RegardFigureStyle style;
  RegardLanguage language;
  union {
    RegardStepsOptions steps;
    RegardTreeOptions tree;
    RegardWalkthroughOptions inside;
  } look;
  RegardFigure *(*new_figure)(const RegardFrames *frames, guint i);
  GDestroyNotify free_subject;
};

/* Takes the subject. */
static RegardFrames *
new_frames(RegardFramesKind kind, guint n, gpointer subject, GDestroyNotify free_subject,
           const RegardFigureStyle *style, RegardFigure *(*new_figure)(const RegardFrames *, guint))
{
  RegardFrames *frames = g_new0(RegardFrames, 1);
  g_atomic_ref_count_init(&frames->ref_count);
  frames->kind = kind;
  frames->n = n;
  frames->subject = subject;
  frames->free_subject = free_subject;
  frames->style = *style;
  frames->new_figure = new_figure;
  frames->language = regard_language_get();
  return frames;
}

/* ---- Steps of a translation ------------------------------------------------------------------ */

static RegardFigure *
new_step(const RegardFrames *frames, guint i)
{
  RegardStepsOptions look = frames->look.steps;
  look.step = i;
  return regard_figure_new_steps(frames->subject, &look, &frames->style);
}

RegardFrames *
regard_frames_new_steps(RegardSteps *steps, const RegardStepsOptions *look,
                        const RegardFigureStyle *style)
{
  RegardFrames *frames = new_frames(REGARD_FRAMES_STEPS, steps->n, regard_steps_ref(steps),
                                    regard_subject_unref, style, new_step);
  frames->look.steps = *look;
  frames->look.steps.one_layout = TRUE;
  return frames;
}

/* ---- The beam growing ------------------------------------------------------------------------ */

static RegardFigure *
new_tree(const RegardFrames *frames, guint i)
{
  RegardSteps *steps = frames->subject;
  RegardTreeOptions look = frames->look.tree;
  look.step = (int) i;
  look.hides_later = TRUE;
  return regard_figure_new_tree(&steps, 1, &look, &frames->style);
}

RegardFrames *
regard_frames_new_tree(RegardSteps *steps, const RegardTreeOptions *look,
                       const RegardFigureStyle *style)
{
  RegardFrames *frames = new_frames(REGARD_FRAMES_TREE, (guint) steps->steps->n_steps,
                                    regard_steps_ref(steps), regard_subject_unref, style, new_tree);
  frames->look.tree = *look;
  /* A folded item is of several steps. */
  frames->look.tree.fold = FALSE;
  frames->look.tree.ghost = NULL;
  return frames;
}

/* ---- Inside ---------------------------------------------------------------------------------- */

static RegardFigure *
new_inside(const RegardFrames *frames, guint i)
{
  RegardWalkthroughOptions look = frames->look.inside;
  look.step = i + 1;
  return regard_figure_new_walkthrough(frames->subject, &look, &frames->style);
}

RegardFrames *
regard_frames_new_walkthrough(RegardWalkthrough *inside, const RegardWalkthroughOptions *look,
                              const RegardFigureStyle *style)
{
  RegardFrames *frames =
      new_frames(REGARD_FRAMES_INSIDE, REGARD_WALKTHROUGH_N_STEPS, regard_walkthrough_ref(inside),
                 regard_subject_unref, style, new_inside);
  frames->look.inside = *look;
  frames->look.inside.says_step = frames->look.inside.one_layout = TRUE;
  return frames;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static RegardFigure *
new_matrix(const RegardFrames *frames, guint i)
{
  const GPtrArray *matrices = frames->subject;
  return regard_figure_new_matrix(matrices->pdata[i], &frames->style);
}

static void
free_matrices(gpointer matrices)
{
  g_ptr_array_unref(matrices);
}

/* Before the badges that it has. */
static void
add_badge(RegardMatrix *matrix, const char *badge)
{
  g_autoptr(GStrvBuilder) badges = g_strv_builder_new();
  g_strv_builder_add(badges, badge);
  g_strv_builder_addv(badges, (const char **) matrix->badges);
  g_strfreev(matrix->badges);
  matrix->badges = g_strv_builder_end(badges);
}

RegardFrames *
regard_frames_new_matrices(RegardMatrix *const *matrices, const char *const *labels, guint n,
                           const RegardFigureStyle *style)
{
  GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify) regard_matrix_unref);
  RegardFrames *frames =
      new_frames(REGARD_FRAMES_MATRICES, n, all, free_matrices, style, new_matrix);
  float lo = n ? matrices[0]->lo : 0, hi = n ? matrices[0]->hi : 1;
  for (guint i = 1; i < n; i++) {
    lo = MIN(lo, matrices[i]->lo);
    hi = MAX(hi, matrices[i]->hi);
  }
  for (guint i = 0; i < n; i++) {
    RegardMatrix *m = regard_matrix_ref(matrices[i]);
    m->lo = lo;
    m->hi = hi;
    add_badge(m, labels[i]);
    g_ptr_array_add(all, m);
  }
  frames->labels = g_new0(char *, n + 1);
  for (guint i = 0; i < n; i++)
    frames->labels[i] = g_strdup(labels[i]);
  return frames;
}

/* ---- All of them ----------------------------------------------------------------------------- */

RegardFrames *
regard_frames_ref(RegardFrames *frames)
{
  g_atomic_ref_count_inc(&frames->ref_count);
  return frames;
}

void
regard_frames_unref(RegardFrames *frames)
{
  if (!frames || !g_atomic_ref_count_dec(&frames->ref_count))
    return;
  frames->free_subject(frames->subject);
  g_strfreev(frames->labels);
  g_free(frames);
}

RegardFramesAbout
regard_frames_get_about(const RegardFrames *frames)
{
  const gboolean is_matrices = frames->kind == REGARD_FRAMES_MATRICES;
  return (RegardFramesAbout){
      .kind = frames->kind,
      .subject = is_matrices ? ((GPtrArray *) frames->subject)->pdata[0] : frames->subject,
      .look = is_matrices ? NULL : (gconstpointer) &frames->look,
      .style = &frames->style,
      .language = frames->language,
  };
}

guint
regard_frames_count(const RegardFrames *frames)
{
  return frames->n;
}

RegardFigure *
regard_frames_new_figure(const RegardFrames *frames, guint i)
{
  REGARD_IN_LANGUAGE(frames->language);
  return frames->new_figure(frames, i);
}

char *
regard_frames_dup_label(const RegardFrames *frames, guint i)
{
  REGARD_IN_LANGUAGE(frames->language);
  return frames->labels ? g_strdup(frames->labels[i])
                        : regard_strdup_printf(_("Step %u of %u"), i + 1, frames->n);
}

double
regard_frames_needed_width(const RegardFrames *frames, double font_pt)
{
  if (frames->kind != REGARD_FRAMES_TREE || !frames->n)
    return 0;
  g_autoptr(RegardFigure) figure = regard_frames_new_figure(frames, 0);
  return regard_figure_tree_width(figure, font_pt, NULL);
}

guint
regard_frames_ms(const RegardFrames *frames, guint i)
{
  return i + 1 == frames->n ? LAST : i == 0 ? FIRST : OTHERS;
}
