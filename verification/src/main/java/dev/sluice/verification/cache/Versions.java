package dev.sluice.verification.cache;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Judges reads of rows whose versions grow, while they happen. Thread-safe. */
final class Versions {
  private static final int REMEMBERED = 2_000;
  private static final int REPORTED = 10;
  private static final int EVENTS = 40;

  /** The known writes of a key: by when it was over that a version had been written. */
  private static final class Key {
    final AtomicLong done = new AtomicLong();
    final ConcurrentSkipListMap<Long, Long> doneAt = new ConcurrentSkipListMap<>();
    final Queue<String> events = new ConcurrentLinkedQueue<>();
  }

  private final List<Key> keys;
  private final long boundNanos;
  private final long start = System.nanoTime();
  private final Set<String> rolledBack = ConcurrentHashMap.newKeySet();
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();
  private final AtomicLong wrong = new AtomicLong();
  private final AtomicLong oldest = new AtomicLong();

  /**
   * Nothing was written yet.
   *
   * @param bound for how long after a write was over a read may still begin that returns less
   */
  Versions(int keys, Duration bound) {
    this.keys = Stream.generate(Key::new).limit(keys).toList();
    this.boundNanos = bound.toNanos();
  }

  /** A write is over: it committed, and its cache said so. */
  void done(int key, VersionedTable.Row row, long began, String by) {
    long now = System.nanoTime();
    Key known = keys.get(key);
    known.doneAt.put(row.version(), now);
    known.done.accumulateAndGet(row.version(), Math::max);
    if (known.doneAt.size() > REMEMBERED) {
      known.doneAt.pollFirstEntry();
    }
    note(known, by + " wrote " + row.text(), began, now);
  }

  void rolledBack(String stamp) {
    rolledBack.add(stamp);
  }

  void crashed(int key, String by) {
    long now = System.nanoTime();
    note(keys.get(key), by + " died after its commit", now, now);
  }

  /** {@return the greatest version whose write is over} */
  long floor(int key) {
    return keys.get(key).done.get();
  }

  /**
   * A read is over.
   *
   * @param floor what {@link #floor} said before it began
   * @param began when it began
   */
  void read(int key, long floor, VersionedTable.Row row, long began, String by) {
    Key known = keys.get(key);
    if (rolledBack.contains(row.stamp())) {
      wrong(known, by + " read " + row.text() + ", which was rolled back");
    }
    if (row.version() >= floor) {
      return;
    }
    long newerSince =
        known.doneAt.tailMap(row.version(), false).values().stream()
            .mapToLong(Long::longValue)
            .min()
            .orElse(began);
    long age = began - newerSince;
    oldest.accumulateAndGet(age, Math::max);
    if (age > boundNanos) {
      note(known, by + " read " + row.text(), began, System.nanoTime());
      wrong(
          known,
          "%s read %s of key %d, although version %d was done %d us before it began"
              .formatted(by, row.text(), keys.indexOf(known), floor, age / 1000));
    }
  }

  void wrong(String what) {
    wrong.incrementAndGet();
    if (violations.size() < REPORTED) {
      violations.add(what);
    }
  }

  private void wrong(Key key, String what) {
    wrong(what + System.lineSeparator() + "    " + String.join("; ", key.events));
  }

  private void note(Key key, String what, long began, long ended) {
    key.events.add("%d-%d us %s".formatted((began - start) / 1000, (ended - start) / 1000, what));
    if (key.events.size() > EVENTS) {
      key.events.poll();
    }
  }

  long wrong() {
    return wrong.get();
  }

  Duration oldest() {
    return Duration.ofNanos(oldest.get());
  }

  List<String> violations() {
    return List.copyOf(violations);
  }
}
