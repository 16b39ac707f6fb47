package dev.sluice.jdbc.rows;

import dev.sluice.SluiceException;
import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.rows.EventListeners.Message;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One atomic step: reads rows and the database's clock, decides, writes the changes, commits, and
 * then sends messages. Safe for use by many threads.
 */
public final class RowTransactions {

  /** Sends messages to clients after the step. */
  @FunctionalInterface
  public interface Post {
    void send(String client, String text);
  }

  /**
   * A function of the clock and the state, which it may change; it may run again on a new state.
   */
  @FunctionalInterface
  public interface Decision<S, T> {
    T decide(long now, S state, Post post);
  }

  /** The result of a step, and its time by the database's clock. */
  public record Done<S, I, T>(T reply, List<Table.Row<S, I>> rows, long now) {}

  private record Outcome<T>(@Nullable T reply, @Nullable SluiceException refusal) {}

  private final SqlExecutor executor;
  private final EventListeners listeners;
  private final boolean locking;
  private final boolean notifies;

  /**
   * @param executor runs them
   * @param listeners of this process
   * @param locking whether rows are locked before they are read
   * @param notifies whether messages to other processes are sent through the database
   */
  public RowTransactions(
      SqlExecutor executor, EventListeners listeners, boolean locking, boolean notifies) {
    this.executor = executor;
    this.listeners = listeners;
    this.notifies = notifies;
    // SQLite has one writer at a time: a transaction that will write locks before it reads
    this.locking = locking || executor.dialect() == SqlDialect.SQLITE;
  }

  public SqlExecutor executor() {
    return executor;
  }

  /**
   * Runs a step on rows of one table.
   *
   * @param what names it in messages
   * @param kind of the messages
   * @param table the table
   * @param names which rows; a name twice is one row
   * @param decision what to do; what it changed is stored also where it fails with a {@link
   *     SluiceException}
   * @param sync what SQLite does about the commit
   */
  <S, I, T> CompletableFuture<Done<S, I, T>> decide(
      String what,
      String kind,
      Table<S, I> table,
      List<String> names,
      Decision<List<S>, T> decision,
      SqlSession.Sync sync) {
    String lane = kind + " " + names.get(0);
    return executor.run(
        what, lane, session -> inSession(session, kind, table, names, decision, sync));
  }

  /** Runs the step on an open connection. */
  public <S, I, T> Done<S, I, T> inSession(
      SqlSession session,
      String kind,
      Table<S, I> table,
      List<String> names,
      Decision<List<S>, T> decision,
      SqlSession.Sync sync)
      throws SQLException {
    List<String> inOrder = List.copyOf(new TreeSet<>(names)); // so that no two wait in a circle
    if (session.dialect == SqlDialect.SQLITE) {
      session.sync(sync);
    }
    if (locking) {
      session.begin();
    }
    Table.Found<S, I> found =
        locking && session.dialect != SqlDialect.SQLITE
            ? table.lock(session, inOrder)
            : table.look(session, inOrder);
    List<Message> messages = new ArrayList<>(0);
    List<S> states =
        names.stream().map(name -> found.rows().get(inOrder.indexOf(name)).state).toList();
    Outcome<T> outcome = outcome(decision, found.now(), states, kind, messages);
    if (isChanged(table, found)) {
      write(session, table, found.rows(), messages);
    } else {
      session.abandon();
    }
    messages.forEach(listeners::deliver);
    if (outcome.refusal != null) {
      throw outcome.refusal;
    }
    @SuppressWarnings("NullAway") // a decision may well answer null
    Done<S, I, T> done = new Done<>(outcome.reply, found.rows(), found.now());
    return done;
  }

  private static <S, T> Outcome<T> outcome(
      Decision<S, T> decision, long now, S state, String kind, List<Message> messages) {
    try {
      return new Outcome<>(
          decision.decide(
              now, state, (client, text) -> messages.add(new Message(kind, client, text))),
          null);
    } catch (SluiceException e) {
      return new Outcome<>(null, e);
    }
  }

  private static <S, I> boolean isChanged(Table<S, I> table, Table.Found<S, I> found) {
    for (Table.Row<S, I> row : found.rows()) {
      if (table.differs(row.before, table.image(row.state))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Writes all rows or none, also rows that were only read, because they are part of one decision.
   */
  private <S, I> void write(
      SqlSession session, Table<S, I> table, List<Table.Row<S, I>> rows, List<Message> messages)
      throws SQLException {
    List<Message> remote =
        notifies
            ? messages.stream().filter(message -> !listeners.has(message)).toList()
            : List.of();
    boolean transaction = locking || rows.size() > 1 || !remote.isEmpty();
    if (transaction && !locking) {
      session.begin();
    }
    session.writes();
    for (Table.Row<S, I> row : rows) {
      table.write(session, row, table.image(row.state));
    }
    if (!remote.isEmpty()) {
      session.notify(remote);
    }
    if (transaction) {
      session.commit();
    }
  }

  /**
   * Reads a row without writing.
   *
   * @param what names it in messages
   * @param table the table
   * @param name which row
   * @param decision what to answer; the state is its own, and messages go nowhere
   */
  public <S, I, T> CompletableFuture<T> peek(
      String what, Table<S, I> table, String name, Decision<S, T> decision) {
    return executor.run(
        what,
        session -> {
          Table.Found<S, I> found = table.look(session, List.of(name));
          return decision.decide(found.now(), found.rows().get(0).state, (client, text) -> {});
        });
  }
}
