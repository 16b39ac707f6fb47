package dev.sluice.jdbc.signals;

import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.rows.EventListeners;
import dev.sluice.jdbc.rows.RowTransactions;
import dev.sluice.jdbc.rows.Rows;
import dev.sluice.jdbc.rows.SqlExecutor;
import dev.sluice.jdbc.rows.SqlSession;
import dev.sluice.jdbc.rows.Table;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Polls the names that this process waits for, on databases without notifications. One query reads
 * all changed rows of a table, at random intervals. Safe for use by many threads.
 */
public final class Watcher implements Rows.Observer {
  private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A query to SQLite is an in-process call. */
  private static final long MAX_NANOS_IN_PROCESS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long RARELY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MAX_CONCURRENT = 100;

  /** Derives the messages of a state for a client. */
  @FunctionalInterface
  public interface Look<S> {
    void look(S state, RowTransactions.Post post);
  }

  private record Key(String kind, String name, String client) {}

  /** One client's watch of one name. */
  private static final class Watch<S> {
    final Table<S, ?> table;
    final Look<S> look;
    final boolean urgent;
    final long ends;
    long since = System.nanoTime();
    volatile boolean hasSaid;
    long dueAt;
    long version;

    Watch(Table<S, ?> table, Look<S> look, boolean urgent, long version, long nanos) {
      this.table = table;
      this.look = look;
      this.urgent = urgent;
      this.version = version;
      this.ends = since + nanos;
      plan(since);
    }

    /** Continues an earlier watch, unless the client waits for something else now. */
    Watch<S> after(Watch<?> known) {
      if (!urgent && !known.urgent) {
        since = known.since;
        dueAt = known.dueAt;
      }
      return this;
    }

    boolean isOver(long now) {
      return now - ends > 0;
    }

    /** A waiter is polled for on every round, a holder less often the longer it holds. */
    final void plan(long now) {
      long age = now - since;
      dueAt = urgent ? now : now + Math.min(RARELY_NANOS, Math.max(MAX_NANOS / 2, age / 8));
    }
  }

  private final SqlExecutor executor;
  private final EventListeners listeners;
  private final long longest;
  private final Map<Key, Watch<?>> watches = new ConcurrentHashMap<>();
  private final AtomicBoolean planned = new AtomicBoolean();
  private volatile boolean told;

  /** A notification that arrived before the listener was added causes one look. */
  private volatile boolean owed;

  private volatile Runnable onInterest = () -> {};
  private volatile boolean closed;

  public Watcher(SqlExecutor executor, EventListeners listeners) {
    this.executor = executor;
    this.listeners = listeners;
    this.longest = executor.dialect() == SqlDialect.SQLITE ? MAX_NANOS_IN_PROCESS : MAX_NANOS;
  }

  /** Sets the task that runs when a watch exists; it must not block. */
  void onInterest(Runnable task) {
    onInterest = task;
  }

  /** Whether a client waits for messages. */
  boolean isInterested() {
    long now = System.nanoTime();
    watches.values().removeIf(watch -> watch.isOver(now));
    return !watches.isEmpty();
  }

  /** Whether the database sends notifications from here on, so that one look is enough. */
  void told(boolean told) {
    this.told = told;
    owed = told;
    plan();
  }

  @Override
  public <S> void note(
      String kind, Table<S, ?> table, Rows.Codec<S> codec, Table.Row<S, ?> row, long now) {
    for (String client : listeners.clients(kind)) {
      watch(
          kind,
          table,
          row.name,
          client,
          codec.isUrgent(row.state, client),
          row.version,
          TimeUnit.MICROSECONDS.toNanos(codec.concernedUntil(row.state, client) - now),
          (state, post) -> codec.remind(row.name, state, client, post));
    }
  }

  /**
   * Watches a name for a client, and replaces the client's earlier watch.
   *
   * @param kind of what
   * @param table where it is
   * @param name which
   * @param client the receiver
   * @param urgent whether the client can do nothing until a message arrives
   * @param version of the row that the client knows
   * @param nanos how long the news may matter to the client; none or less: not at all
   * @param look finds the news
   */
  public <S> void watch(
      String kind,
      Table<S, ?> table,
      String name,
      String client,
      boolean urgent,
      long version,
      long nanos,
      Look<S> look) {
    if (nanos <= 0) {
      unwatch(kind, name, client);
      return;
    }
    Watch<S> made = new Watch<>(table, look, urgent, version, nanos);
    watches.merge(new Key(kind, name, client), made, (known, same) -> made.after(known));
    onInterest.run();
    plan();
  }

  /** Whether a client waits here for a message that only polling can bring. */
  public boolean owesNews(String kind, String name, String client) {
    Watch<?> watch = watches.get(new Key(kind, name, client));
    return !told && watch != null && watch.urgent && !watch.hasSaid;
  }

  public void unwatch(String kind, String name, String client) {
    watches.remove(new Key(kind, name, client));
  }

  private void plan() {
    if ((!told || owed) && !closed && !watches.isEmpty() && planned.compareAndSet(false, true)) {
      executor.in(ThreadLocalRandom.current().nextLong(longest / 5, longest), this::look);
    }
  }

  private void look() {
    Map<String, Map<Key, Watch<?>>> due = new HashMap<>();
    long now = System.nanoTime();
    boolean all = owed;
    owed = false;
    for (Map.Entry<Key, Watch<?>> each : watches.entrySet()) {
      if (each.getValue().isOver(now)) {
        watches.remove(each.getKey(), each.getValue());
      } else if (all || now - each.getValue().dueAt >= 0) {
        each.getValue().plan(now);
        due.computeIfAbsent(each.getKey().kind, kind -> new HashMap<>())
            .put(each.getKey(), each.getValue());
      }
    }
    if (due.isEmpty() || told && !all || closed) {
      lookAgain();
      return;
    }
    executor
        .does(
            "looking for news",
            session -> {
              for (Map<Key, Watch<?>> each : due.values()) {
                lookAt(session, each);
              }
            })
        .whenComplete(
            (done, failure) -> {
              if (all && failure != null) {
                owed = true;
              }
              lookAgain(); // what failed is polled for by the clients that wait
            });
  }

  private void lookAgain() {
    planned.set(false);
    plan();
  }

  /** Reads the rows of watches of one kind, which share a table. */
  @SuppressWarnings("unchecked") // a watch was made with a look for the states of its table
  private <S> void lookAt(SqlSession session, Map<Key, Watch<?>> due) throws SQLException {
    Map<String, List<Key>> byName = new HashMap<>();
    for (Key key : due.keySet()) {
      byName.computeIfAbsent(key.name, name -> new ArrayList<>()).add(key);
    }
    Table<S, ?> table = (Table<S, ?>) due.values().iterator().next().table;
    List<String> names = List.copyOf(byName.keySet());
    for (int from = 0; from < names.size(); from += MAX_CONCURRENT) {
      List<String> some = names.subList(from, Math.min(names.size(), from + MAX_CONCURRENT));
      for (Table.Row<S, ?> row : table.look(session, some).rows()) {
        for (Key key : byName.getOrDefault(row.name, List.of())) {
          Watch<S> watch = (Watch<S>) due.get(key);
          if (watch != null && watch.version != row.version && watches.get(key) == watch) {
            watch.version = row.version;
            if (watch.urgent && watch.hasSaid) {
              // it acts on it already, and starts another watch if it has to go on waiting
              continue;
            }
            watch.look.look(
                row.state,
                (client, text) -> {
                  watch.hasSaid = true;
                  listeners.deliver(new EventListeners.Message(key.kind, client, text));
                });
          }
        }
      }
    }
  }

  public void close() {
    closed = true;
    watches.clear();
  }
}
