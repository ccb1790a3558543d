/* regard-frames.h — figures that follow each other: what an animation shows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each frame is what the model computed; nothing stands between two of them. All have one layout
 * and one scale, so that what moves from frame to frame is what changed.
 */
#pragma once

#include "figures/regard-figure-steps.h"
#include "figures/regard-figure-tree.h"
#include "figures/regard-walkthrough.h"

G_BEGIN_DECLS

typedef struct _RegardFrames RegardFrames;

/* A figure for each step of a translation; the step of the look does not matter. */
RegardFrames *regard_frames_new_steps(RegardSteps *steps, const RegardStepsOptions *look,
                                      const RegardFigureStyle *style);
/* The tree of hypotheses as it was after each step of the search. */
RegardFrames *regard_frames_new_tree(RegardSteps *steps, const RegardTreeOptions *look,
                                     const RegardFigureStyle *style);
/* The eight steps of Inside. */
RegardFrames *regard_frames_new_walkthrough(RegardWalkthrough *inside,
                                            const RegardWalkthroughOptions *look,
                                            const RegardFigureStyle *style);
/* Matrices of the same tokens, such as a head at several checkpoints of a training; labels [n] say
 * in the pictures which one it is. References are taken; all get the range that holds the values of
 * each, and so nobody else may have seen the matrices. */
RegardFrames *regard_frames_new_matrices(RegardMatrix *const *matrices, const char *const *labels,
                                         guint n, const RegardFigureStyle *style);
/* Nothing of them changes, so that threads share them. */
RegardFrames *regard_frames_ref(RegardFrames *frames);
void regard_frames_unref(RegardFrames *frames);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardFrames, regard_frames_unref)

/* What they show; borrowed. */
typedef enum {
  REGARD_FRAMES_STEPS,    /* subject: RegardSteps, look: RegardStepsOptions */
  REGARD_FRAMES_TREE,     /* RegardSteps, RegardTreeOptions */
  REGARD_FRAMES_INSIDE,   /* RegardWalkthrough, RegardWalkthroughOptions */
  REGARD_FRAMES_MATRICES, /* the first matrix, NULL */
} RegardFramesKind;
typedef struct {
  RegardFramesKind kind;
  gpointer subject;
  gconstpointer look;
  const RegardFigureStyle *style;
  RegardLanguage language;
} RegardFramesAbout;
RegardFramesAbout regard_frames_get_about(const RegardFrames *frames);

guint regard_frames_count(const RegardFrames *frames);
/* In the language in force when the frames were made. Caller frees. */
RegardFigure *regard_frames_new_figure(const RegardFrames *frames, guint i);
/* "Step 3 of 8". Caller frees. */
char *regard_frames_dup_label(const RegardFrames *frames, guint i);
/* In points, where letters get smaller in less, as those of a tree; 0: they do not. */
double regard_frames_needed_width(const RegardFrames *frames, double font_pt);
/* How long it is seen, in milliseconds: the first one until one has found one's way, the last one
 * until one has read it. */
guint regard_frames_ms(const RegardFrames *frames, guint i);

G_END_DECLS
