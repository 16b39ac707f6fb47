package dev.sluice.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * In which rows clients of this process have an interest. They are watched as long as it lasts,
 * which is what the state says at each step of this process. Safe for use by many threads.
 */
final class Interests {
  private record Key(String kind, String name, String client) {}

  private final Steps steps;
  private final Inboxes inboxes;
  private final Watcher watcher;

  /** When they end, by {@link System#nanoTime}. */
  private final Map<Key, Long> ends = new ConcurrentHashMap<>();

  Interests(Steps steps, Inboxes inboxes, Watcher watcher) {
    this.steps = steps;
    this.inboxes = inboxes;
    this.watcher = watcher;
  }

  /**
   * A step saw a row, or wrote it.
   *
   * @param kind of the state
   * @param table where it is
   * @param codec of the state
   * @param row as it is now
   * @param now the database's clock
   */
  <S> void note(
      String kind, Table<S, ?> table, Rows.Codec<S> codec, Table.Row<S, ?> row, long now) {
    for (String client : inboxes.clients(kind)) {
      Key key = new Key(kind, row.name, client);
      long left = codec.concernedUntil(row.state, client) - now;
      if (left <= 0) {
        end(key);
        continue;
      }
      long nanos = TimeUnit.MICROSECONDS.toNanos(left);
      watcher.watch(
          kind,
          table,
          row.name,
          client,
          codec.isUrgent(row.state, client),
          row.version,
          (state, post) -> codec.remind(row.name, state, client, post));
      if (ends.put(key, System.nanoTime() + nanos) == null) {
        steps.in(nanos, () -> endInTime(key));
      }
    }
  }

  private void endInTime(Key key) {
    Long end = ends.get(key);
    if (end != null) {
      long left = end - System.nanoTime();
      if (left > 0) { // it was lengthened
        steps.in(left, () -> endInTime(key));
      } else if (ends.remove(key, end)) {
        watcher.unwatch(key.kind, key.name, key.client);
      }
    }
  }

  private void end(Key key) {
    if (ends.remove(key) != null) {
      watcher.unwatch(key.kind, key.name, key.client);
    }
  }
}
