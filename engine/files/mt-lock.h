/* mt-lock.h — a file that one program writes, and nobody else meanwhile. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernel keeps the lock, on the file itself: no file beside it says so, and whatever ends the
 * program lets go. Only those who ask for it too are kept away. It goes beside the locks of SQLite,
 * which are lost when any other thread of the program closes the same file (fcntl(2)).
 */
#ifndef MT_LOCK_H
#define MT_LOCK_H

#include <stdbool.h>

typedef struct {
  int fd;
  bool is_made; /* the file was not there */
} mt_lock;
#define MT_LOCK_NONE ((mt_lock){.fd = -1})

/* Of the file at path, which is made, empty, if it is not there. False: another program has it, or
 * another thread of this one. What cannot be locked counts as locked: no regular file, one that may
 * not be written, a file system that knows no locks. */
bool mt_lock_take(mt_lock *lock, const char *path);
void mt_lock_release(mt_lock *lock);
/* The same, and if it was made and nobody wrote to it, the file goes away. */
void mt_lock_undo(mt_lock *lock, const char *path);

#endif
