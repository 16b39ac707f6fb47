package dev.sluice.jdbc.signals;

import dev.sluice.jdbc.rows.Inboxes;
import dev.sluice.jdbc.rows.Rows;
import dev.sluice.jdbc.rows.Steps;
import dev.sluice.jdbc.rows.Table;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * In which rows clients of this process have an interest. They are watched as long as it lasts,
 * which is what the state says at each step of this process. Safe for use by many threads.
 */
public final class Interests implements Rows.Observer {
  private record Key(String kind, String name, String client) {}

  /** Changed by the map's own computations only. */
  private static final class Ending {
    /** By {@link System#nanoTime}. */
    long at;

    @Nullable Future<?> alarm;

    Ending(long at) {
      this.at = at;
    }
  }

  private final Steps steps;
  private final Inboxes inboxes;
  private final Watcher watcher;

  private final Map<Key, Ending> endings = new ConcurrentHashMap<>();

  public Interests(Steps steps, Inboxes inboxes, Watcher watcher) {
    this.steps = steps;
    this.inboxes = inboxes;
    this.watcher = watcher;
  }

  @Override
  public <S> void note(
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
      long at = System.nanoTime() + nanos;
      endings.compute(
          key,
          (same, known) -> {
            if (known != null) {
              known.at = at;
              return known;
            }
            Ending made = new Ending(at);
            made.alarm = steps.in(nanos, () -> endInTime(key, made));
            return made;
          });
    }
  }

  private void endInTime(Key key, Ending ending) {
    boolean[] over = {false};
    endings.computeIfPresent(
        key,
        (same, known) -> {
          if (known != ending) {
            return known; // that one ended, and has an alarm of its own
          }
          long left = known.at - System.nanoTime();
          if (left > 0) { // it was lengthened
            known.alarm = steps.in(left, () -> endInTime(key, known));
            return known;
          }
          over[0] = true;
          return null;
        });
    if (over[0]) {
      watcher.unwatch(key.kind, key.name, key.client);
    }
  }

  private void end(Key key) {
    Ending ended = endings.remove(key);
    if (ended != null) {
      Future<?> alarm = ended.alarm;
      if (alarm != null) {
        alarm.cancel(false);
      }
      watcher.unwatch(key.kind, key.name, key.client);
    }
  }
}
