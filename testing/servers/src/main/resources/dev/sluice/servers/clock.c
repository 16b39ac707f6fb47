/* Preloaded into one server. A test writes two numbers to a file: by how much its wall clock is shifted, and the moment
 * at which it is held (0: it runs). The monotonic clock stays. No memory is allocated and no symbol looked up, so it
 * works below any allocator. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct setting {
  int64_t shift; /* microseconds */
  int64_t held;  /* microseconds since the epoch; 0 lets the clock run */
};

static struct setting none;
static volatile struct setting *setting;

static volatile struct setting *read_setting(void) {
  if (!setting) {
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY) : -1;
    void *mapped = file < 0 ? MAP_FAILED : mmap(0, sizeof none, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) {
      close(file);
    }
    setting = mapped == MAP_FAILED ? &none : (volatile struct setting *) mapped;
  }
  return setting;
}

int clock_gettime(clockid_t clock, struct timespec *answer) {
  int result = syscall(SYS_clock_gettime, clock, answer);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    volatile struct setting *now = read_setting();
    int64_t micros = now->held;
    if (!micros) {
      micros = answer->tv_sec * 1000000LL + answer->tv_nsec / 1000 + now->shift;
    }
    answer->tv_sec = micros / 1000000;
    answer->tv_nsec = micros % 1000000 * 1000;
  }
  return result;
}

int gettimeofday(struct timeval *answer, void *zone) {
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  (void) zone;
  if (answer) {
    answer->tv_sec = now.tv_sec;
    answer->tv_usec = now.tv_nsec / 1000;
  }
  return result;
}

time_t time(time_t *answer) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (answer) {
    *answer = now.tv_sec;
  }
  return now.tv_sec;
}
