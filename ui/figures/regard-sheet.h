/* regard-sheet.h — several pictures as one figure of a paper: panels in a mosaic.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sheet holds all that it is drawn from: captures of attention, and drawings of pictures that are
 * made of something else. So it looks the same wherever it is opened. A panel is what an export
 * would have written, frozen. Panels stand in a mosaic of letters, "AB;CC" as Matplotlib has it:
 * rows are separated by semicolons, a letter that is repeated is a panel that spans several places,
 * and a dot is a place without one.
 *
 * Cells of matrices are equally large in all panels; labels that the panel beside or above has are
 * not repeated; one colour bar serves all panels of one quantity and scale, with a range that holds
 * those of all.
 *
 * A sheet is changed by who has its only reference, and copied otherwise. No GTK here.
 */
#pragma once

#include "figures/regard-colormap.h"
#include "figures/regard-drawing.h"
#include "figures/regard-figure-matrix.h"
#include "figures/regard-lines.h"
#include "figures/regard-subject.h"

G_BEGIN_DECLS

/* ---- The mosaic ------------------------------------------------------------------------------
 */

#define REGARD_MOSAIC_MOST_SIDE 12
/* Letters from A to Z. */
#define REGARD_SHEET_MOST_PANELS 26
/* For the letter of no panel. */
#define REGARD_MOSAIC_HOLE '.'

typedef struct {
  guint rows, cols;
  char at[REGARD_MOSAIC_MOST_SIDE][REGARD_MOSAIC_MOST_SIDE]; /* a letter, or a hole */
} RegardMosaic;
typedef struct {
  guint row, col, n_rows, n_cols;
} RegardMosaicPlace;

/* FALSE with *reason, a sentence that is translated and the caller frees: it is no mosaic. */
gboolean regard_mosaic_parse(const char *text, RegardMosaic *mosaic, char **reason);
char *regard_mosaic_dup_text(const RegardMosaic *mosaic);
/* FALSE: it has no such letter. */
gboolean regard_mosaic_find(const RegardMosaic *mosaic, char letter, RegardMosaicPlace *place);
/* Its letters in the order of reading, ended by zero; how many. */
guint regard_mosaic_letters(const RegardMosaic *mosaic, char letters[REGARD_SHEET_MOST_PANELS + 1]);
/* A letter for one more panel, at the end: in a hole, else in a new row or column. 0: there is no
 * room. */
char regard_mosaic_add(RegardMosaic *mosaic);
/* Its places become holes; rows and columns that have nothing else are taken out. */
void regard_mosaic_remove(RegardMosaic *mosaic, char letter);

/* ---- Panels ----------------------------------------------------------------------------------
 */

/* How attention of a capture is shown. */
typedef struct _RegardAttentionLook RegardAttentionLook;
struct _RegardAttentionLook {
  mt_capture *capture; /* also the difference of two */
  RegardScope scope;
  RegardForm form; /* lines: of one matrix, or of the chosen heads */
  double lines_share;
  RegardLinesOrientation orientation;
  /* Lines of these tokens are seen, 1 for each that is isolated; NULL: of all. */
  guint8 *rows, *cols;
  guint n_rows, n_cols;
  RegardMatrixSpec spec; /* chosen: [layers * heads], or NULL */
  gboolean has_received; /* the strip below */
};

/* Takes a reference of the capture, and copies of the arrays, all of which were borrowed. */
void regard_attention_look_own(RegardAttentionLook *look);

typedef struct {
  char letter;
  char *title;    /* in place of its own; NULL: its own */
  char *sentence; /* the label of its text where panels are of several; NULL: its first words */
  /* One of the three. */
  gboolean is_attention;
  RegardAttentionLook look; /* owned */
  GPtrArray *matrices;      /* of RegardMatrix, frozen and on one scale; never changed */
  RegardDrawing *drawing;
  RegardScale scale;
  const RegardColormap *colormap; /* of a drawing: of its cells; NULL: nothing is told by them */
  int pinned_row, pinned_col;
  /* Of all but attention, which has them of its capture. */
  char **caption; /* its sentences */
  char *name;     /* what it is, in a few words */
  char *model;    /* or NULL */
} RegardPanel;
/* Most matrices of a panel. */
#define REGARD_PANEL_MOST_MATRICES 8

void regard_panel_free(RegardPanel *panel);
RegardPanel *regard_panel_copy(const RegardPanel *panel);
/* What a figure shows, frozen: as attention or as matrices if it is that, else as a drawing at this
 * width. NULL: it is too much to be kept. */
RegardPanel *regard_panel_new(RegardFigure *figure, double width_pt, double font_pt);
/* Attention, by a capture of which a reference is taken; everything else is as at first. */
RegardPanel *regard_panel_new_attention(mt_capture *capture, mt_attention_kind kind);
/* In a few words: "Cross-attention · layer 5 · head 5". Caller frees. */
char *regard_panel_describe(const RegardPanel *panel);
/* The text that it is of, as it was translated, borrowed; NULL: it is not known. */
const char *regard_panel_text(const RegardPanel *panel);
/* The label of its text: its own, or the first words, "The animal didn't…". Caller frees; NULL: the
 * text is not known. */
char *regard_panel_dup_sentence(const RegardPanel *panel);

/* ---- The sheet -------------------------------------------------------------------------------
 */

typedef enum {
  REGARD_LETTERS_PARENTHESES, /* (a) */
  REGARD_LETTERS_SMALL,       /* a */
  REGARD_LETTERS_CAPITAL,     /* A */
  REGARD_LETTERS_NONE,
  REGARD_N_LETTERS
} RegardLetters;
typedef enum {
  REGARD_LETTERS_BESIDE, /* at the left of the title */
  REGARD_LETTERS_ABOVE,  /* on a line of its own, at the left */
  REGARD_LETTERS_BELOW,  /* in the middle below, as subcaptions */
  REGARD_N_LETTERS_AT
} RegardLettersAt;
/* "parentheses", "small", "capital", "none"; "beside", "above", "below"; and NULL. */
extern const char *const regard_letters_ids[REGARD_N_LETTERS + 1];
extern const char *const regard_letters_at_ids[REGARD_N_LETTERS_AT + 1];

#define REGARD_SHEET_LEAST_WIDTH 20.0
#define REGARD_SHEET_MOST_WIDTH  1000.0
#define REGARD_SHEET_LEAST_FONT  3.0
#define REGARD_SHEET_MOST_FONT   36.0

typedef struct {
  RegardSubject subject;
  RegardMosaic mosaic;
  GPtrArray *panels; /* of RegardPanel, by their letters; each stands in the mosaic */
  double width_mm, font_pt;
  /* Of columns, 0: so wide that cells are equal, else shares of the width; of rows, 0: as high as
   * is needed, else millimetres. */
  double columns[REGARD_MOSAIC_MOST_SIDE], rows[REGARD_MOSAIC_MOST_SIDE];
  RegardLetters letters;
  RegardLettersAt letters_at;
  gboolean bold;    /* letters */
  gboolean one_bar; /* where panels allow it */
  gboolean equal;   /* cells, and labels once */
  gboolean dark;
  gboolean is_english; /* else in the language of the window */
  guint left_out;      /* RegardFigureElements */
  char *venue;         /* id; or NULL */
} RegardSheet;
REGARD_DECLARE_SUBJECT(RegardSheet, regard_sheet)

/* A sheet without panels, as it is at first: 160 mm wide, in 7 pt. */
RegardSheet *regard_sheet_new(void);
RegardSheet *regard_sheet_copy(const RegardSheet *sheet);
/* Borrowed; NULL: there is none. */
RegardPanel *regard_sheet_find(const RegardSheet *sheet, char letter);
/* What stands for a panel in the picture and in captions: "(a)", by the order of reading. Caller
 * frees; "" without letters. */
char *regard_sheet_dup_letter(const RegardSheet *sheet, char letter);
/* The same for messages: without letters, that of the mosaic. */
char *regard_sheet_name_panel(const RegardSheet *sheet, char letter);
/* Whether panels are of different texts, so that each has to say of which. */
gboolean regard_sheet_has_sentences(const RegardSheet *sheet);
/* The captures of its panels, none of which is a difference, each once, in the order of reading:
 * borrowed. Caller unrefs the list. */
GPtrArray *regard_sheet_list_captures(const RegardSheet *sheet);
/* The label of a text, in all panels of it; NULL or "": its first words. */
void regard_sheet_name_sentence(RegardSheet *sheet, const char *text, const char *label);
/* In the place of the letter's panel, which must be in the mosaic; takes the panel. */
void regard_sheet_set(RegardSheet *sheet, char letter, RegardPanel *panel);
/* At the end; takes the panel. FALSE: there is no room. */
gboolean regard_sheet_add(RegardSheet *sheet, RegardPanel *panel);
void regard_sheet_remove(RegardSheet *sheet, char letter);
/* Another mosaic; widths and heights of rows and columns begin anew. Panels whose letters it does
 * not have are taken out. */
void regard_sheet_set_mosaic(RegardSheet *sheet, const RegardMosaic *mosaic);
/* Exchanges two panels. */
void regard_sheet_swap(RegardSheet *sheet, char a, char b);

/* ---- Heads by texts (regard-sheet-grid.c) ------------------------------------------------------
 */

/* The same of another capture; what is marked in words that it does not have is let go. FALSE, and
 * it is as it was: it is no attention, or that capture does not have the head. */
gboolean regard_panel_set_capture(RegardPanel *panel, mt_capture *capture);
/* Each head of the sheet of each of its texts, heads in rows and texts in columns, or the reverse.
 * FALSE with *reason, a sentence that is translated and the caller frees: panels are something
 * else, or there would be too many. The sheet is as it was then. */
gboolean regard_sheet_arrange(RegardSheet *sheet, gboolean texts_in_rows, char **reason);
/* The same heads of one more text; FALSE as above, when the sheet is not to be used. */
gboolean regard_sheet_add_text(RegardSheet *sheet, mt_capture *capture, char **reason);

/* ---- The picture -----------------------------------------------------------------------------
 */

/* A reference of the sheet, which must not change any more, is taken. Its width and font are those
 * that it is drawn with; regard_sheet_get_size says those of the sheet. Pictures only: of numbers
 * it has no files. */
RegardFigure *regard_figure_new_sheet(RegardSheet *sheet);

/* Why panels that should have one colour bar have their own, a sentence, translated; NULL: they
 * have one, or it is not wanted. Caller frees. */
char *regard_sheet_bar_problem(RegardFigure *figure);

/* Where panels came to stand, in points. */
typedef struct {
  char letter;
  RegardRect box;                 /* its place in the mosaic */
  double cell_width, cell_height; /* of a matrix; 0: it is none */
} RegardSheetPlace;
typedef struct {
  double height;
  RegardSheetPlace places[REGARD_SHEET_MOST_PANELS];
  guint n;
  double columns[REGARD_MOSAIC_MOST_SIDE + 1]; /* middle of the gaps, edges of the sheet included */
  double rows[REGARD_MOSAIC_MOST_SIDE + 1];
} RegardSheetLayout;
void regard_sheet_lay_out(RegardFigure *figure, double width_pt, double font_pt,
                          RegardSheetLayout *layout);

/* ---- The caption -----------------------------------------------------------------------------
 */

typedef enum {
  REGARD_CAPTION_PLAIN,
  REGARD_CAPTION_LATEX,
  REGARD_CAPTION_MARKDOWN,
  REGARD_N_CAPTIONS
} RegardCaptionForm;
/* "plain", "latex", "markdown", and NULL. */
extern const char *const regard_caption_ids[REGARD_N_CAPTIONS + 1];

/* "(a) …. (b) …. …": of each panel what is its own, then what is true of all. Caller frees. */
char *regard_sheet_caption(RegardFigure *figure, RegardCaptionForm form);

/* For regard-sheet-caption.c: the sentences of each panel, NULL where a letter has none; borrowed.
 */
char **regard_sheet_panel_caption(RegardFigure *figure, guint i);
const RegardSheet *regard_figure_get_sheet(RegardFigure *figure);

G_END_DECLS
