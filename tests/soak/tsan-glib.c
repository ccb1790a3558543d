/* tsan-glib.c — tells ThreadSanitizer where GLib hands memory from one thread to another.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GLib is not instrumented, and its mutexes are futexes, so every use of them would look like a
 * race. The functions here stand before GLib's (the program comes first in the search for symbols),
 * call them, and tell the sanitiser what they promise: what happened before one thread let go
 * happens before the other takes hold. Only in the build for ThreadSanitizer; no lock is added.
 *
 * What each promises: a mutex, what its documentation says; a condition, that waiting unlocks and
 * locks; a reference count, that whoever frees sees what all others did; a source or a task, that
 * the callback sees what was done before it was handed over. Inside GLib calls are bound directly
 * and do not come by here; between libraries, and from us, they do.
 */
#include <dlfcn.h>
#include <gio/gio.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* The function of that name in GLib itself, looked up once: dlsym takes a lock. */
#define NEXT(name)                                              \
  ({                                                            \
    static gpointer known;                                      \
    gpointer found = __atomic_load_n(&known, __ATOMIC_ACQUIRE); \
    if (!found) {                                               \
      found = dlsym(RTLD_NEXT, #name);                          \
      __atomic_store_n(&known, found, __ATOMIC_RELEASE);        \
    }                                                           \
    (__typeof__(&name)) found;                                  \
  })

/* ---- Locks ---------------------------------------------------------------------------------- */

void
g_mutex_lock(GMutex *mutex)
{
  NEXT(g_mutex_lock)(mutex);
  __tsan_acquire(mutex);
}

void
g_mutex_unlock(GMutex *mutex)
{
  __tsan_release(mutex);
  NEXT(g_mutex_unlock)(mutex);
}

void
g_cond_wait(GCond *cond, GMutex *mutex)
{
  __tsan_release(mutex);
  NEXT(g_cond_wait)(cond, mutex);
  __tsan_acquire(mutex);
}

gboolean
g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
  __tsan_release(mutex);
  gboolean signalled = NEXT(g_cond_wait_until)(cond, mutex, end);
  __tsan_acquire(mutex);
  return signalled;
}

/* ---- Reference counts ----------------------------------------------------------------------- */

void(g_object_unref)(gpointer object)
{
  __tsan_release(object);
  __tsan_acquire(object);
  NEXT(g_object_unref)(object);
}

void
g_bytes_unref(GBytes *bytes)
{
  if (bytes) {
    __tsan_release(bytes);
    __tsan_acquire(bytes);
  }
  NEXT(g_bytes_unref)(bytes);
}

/* Ours are inline calls of these two. */
gboolean(g_atomic_ref_count_dec)(gatomicrefcount *count)
{
  __tsan_release((gpointer) count);
  gboolean last = NEXT(g_atomic_ref_count_dec)(count);
  if (last)
    __tsan_acquire((gpointer) count);
  return last;
}

/* ---- Sources -------------------------------------------------------------------------------- */

typedef struct {
  GSourceFunc function;
  gpointer data;
  GDestroyNotify notify;
} Handed;

static gboolean
run_handed(gpointer data)
{
  Handed *handed = data;
  __tsan_acquire(handed);
  return handed->function(handed->data);
}

static void
free_handed(gpointer data)
{
  Handed *handed = data;
  __tsan_acquire(handed);
  if (handed->notify)
    handed->notify(handed->data);
  g_free(handed);
}

void
g_source_set_callback(GSource *source, GSourceFunc function, gpointer data, GDestroyNotify notify)
{
  /* The callbacks of other kinds of source take other arguments; they do not change threads. */
  if (source->source_funcs != &g_idle_funcs && source->source_funcs != &g_timeout_funcs) {
    NEXT(g_source_set_callback)(source, function, data, notify);
    return;
  }
  Handed *handed = g_new(Handed, 1);
  *handed = (Handed){function, data, notify};
  __tsan_release(handed);
  NEXT(g_source_set_callback)(source, run_handed, handed, free_handed);
}

/* ---- Tasks ---------------------------------------------------------------------------------- */

#define TASK_KEY "tsan-glib-function"

static void
run_task(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  __tsan_acquire(task);
  GTaskThreadFunc function = (GTaskThreadFunc) g_object_get_data(G_OBJECT(task), TASK_KEY);
  function(task, source, data, cancellable);
  __tsan_release(task);
}

void
g_task_run_in_thread(GTask *task, GTaskThreadFunc function)
{
  g_object_set_data(G_OBJECT(task), TASK_KEY, (gpointer) function);
  __tsan_release(task);
  NEXT(g_task_run_in_thread)(task, run_task);
}

/* The result may be taken before the thread's function has returned. */
#define RETURNS(name, type)          \
  void name(GTask *task, type value) \
  {                                  \
    __tsan_release(task);            \
    NEXT(name)(task, value);         \
  }
RETURNS(g_task_return_boolean, gboolean)
RETURNS(g_task_return_error, GError *)

void
g_task_return_pointer(GTask *task, gpointer value, GDestroyNotify notify)
{
  __tsan_release(task);
  NEXT(g_task_return_pointer)(task, value, notify);
}

gpointer
g_task_propagate_pointer(GTask *task, GError **error)
{
  __tsan_acquire(task);
  return NEXT(g_task_propagate_pointer)(task, error);
}

gboolean
g_task_propagate_boolean(GTask *task, GError **error)
{
  __tsan_acquire(task);
  return NEXT(g_task_propagate_boolean)(task, error);
}
