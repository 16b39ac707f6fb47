package dev.sluice.jdbc.verbs;

import dev.sluice.jdbc.rows.EventListeners;
import dev.sluice.jdbc.rows.GrantTable;
import dev.sluice.jdbc.rows.LockMessages;
import dev.sluice.jdbc.rows.RowTransactions;
import dev.sluice.jdbc.rows.SqlSession;
import dev.sluice.jdbc.rows.Table;
import dev.sluice.jdbc.signals.Watcher;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.States;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantNews;
import dev.sluice.state.grant.GrantRow;
import dev.sluice.state.grant.GrantState;
import dev.sluice.text.Names;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Locks, or semaphores and read-write locks, in rows: {@link GrantState} decides. Safe for use by
 * many threads.
 */
public final class JdbcGrants implements GrantBackend {

  private final GrantKind kind;
  private final RowTransactions transactions;
  private final EventListeners listeners;
  private final Watcher watcher;
  private final GrantTable table;

  /** Null if each step begins by reading the row. */
  private final @Nullable FastLocks fast;

  public JdbcGrants(
      GrantKind kind,
      RowTransactions transactions,
      EventListeners listeners,
      Watcher watcher,
      String table,
      @Nullable FastLocks fast) {
    this.kind = kind;
    this.transactions = transactions;
    this.listeners = listeners;
    this.watcher = watcher;
    this.table = new GrantTable(transactions.executor().dialect(), table, kind);
    this.fast = fast;
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    String name = request.name();
    return run(
        "acquire " + name,
        name,
        request.client(),
        session -> {
          GrantStep<GrantReply> done = fast == null ? null : fast.acquire(session, request);
          if (done == null) {
            done =
                step(
                    session,
                    name,
                    SqlSession.Sync.FULL,
                    (now, state, post) -> state.acquire(now, request, post));
          }
          if (done.reply() instanceof GrantReply.Granted
              && watcher.owesNews(kind.word(), name, request.client())) {
            // the client's poll was faster than the watcher
            deliver(request.client(), new LockMessage(LockMessage.Kind.GRANTED, name));
          }
          return done;
        });
  }

  @Override
  public CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlMicros) {
    String name = attempt.name();
    String client = attempt.client();
    return run(
        "renew " + name,
        name,
        client,
        (now, state, post) -> state.renew(now, client, attempt.attempt(), ttlMicros));
  }

  @Override
  public CompletionStage<Boolean> release(GrantAttempt attempt, int keep) {
    String name = attempt.name();
    String client = attempt.client();
    return run(
        "release " + name,
        name,
        client,
        session -> {
          expectEnd(name, client);
          GrantStep<Boolean> done = fast == null ? null : fast.release(session, attempt);
          return done != null
              ? done
              : step(
                  session,
                  name,
                  // one that is lost in a crash leaves the grant until the end of its TTL
                  keep == 0 ? SqlSession.Sync.NORMAL : SqlSession.Sync.FULL,
                  (now, state, post) -> state.release(now, client, attempt.attempt(), keep, post));
        });
  }

  @Override
  public Optional<Delay> delay() {
    return kind != GrantKind.LOCK
        ? Optional.empty()
        : Optional.of(
            (attempt, delayMicros) ->
                run(
                    "release " + attempt.name(),
                    attempt.name(),
                    attempt.client(),
                    session -> {
                      expectEnd(attempt.name(), attempt.client());
                      return step(
                          session,
                          attempt.name(),
                          SqlSession.Sync.FULL,
                          (now, state, post) ->
                              state.releaseAfter(
                                  now, attempt.client(), attempt.attempt(), delayMicros));
                    }));
  }

  /** A client that ends its grant of a lock gets no message about it. */
  private void expectEnd(String name, String client) {
    if (kind == GrantKind.LOCK) {
      watcher.unwatch(kind.word(), name, client);
    }
  }

  @Override
  public Optional<Force> force() {
    return kind != GrantKind.LOCK
        ? Optional.empty()
        : Optional.of(
            (name, token) ->
                run(
                    "force release of " + name,
                    name,
                    null,
                    (now, state, post) -> state.forceRelease(now, token, post)));
  }

  @Override
  public Optional<Resize> resize() {
    return kind != GrantKind.PERMIT
        ? Optional.empty()
        : Optional.of(
            (name, capacity) ->
                run(
                    "resize " + name,
                    name,
                    null,
                    (now, state, post) -> state.resize(now, capacity, post)));
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return transactions.peek(
        "inspect " + name, table, name, (now, state, post) -> state.inspect(now));
  }

  /** Runs a step in a session. */
  @FunctionalInterface
  private interface Action<T> {
    GrantStep<T> in(SqlSession session) throws SQLException;
  }

  private <T> CompletableFuture<T> run(
      String what,
      String name,
      @Nullable String client,
      States.Decision<GrantState, LockMessage, T> decision) {
    return run(what, name, client, session -> step(session, name, SqlSession.Sync.FULL, decision));
  }

  /**
   * Runs a step. Steps on one name are taken one after the other, so what a client watches for
   * begins with what its own last step left. Other clients go on from what they know.
   *
   * @param client whose step it is, null for none
   */
  private <T> CompletableFuture<T> run(
      String what, String name, @Nullable String client, Action<T> action) {
    return transactions
        .executor()
        .run(
            what,
            kind.word() + " " + name,
            session -> {
              GrantStep<T> done = action.in(session);
              if (client != null) {
                watch(name, client, done);
              }
              return done.reply();
            });
  }

  private void watch(String name, String client, GrantStep<?> done) {
    GrantNews known = GrantNews.of(client, done.state());
    watcher.watch(
        kind.word(),
        table,
        name,
        client,
        known.isWaiting(),
        done.version(),
        TimeUnit.MICROSECONDS.toNanos(known.until() - done.now()),
        (state, post) ->
            known.sendReminders(state, (to, news) -> post.send(to, LockMessages.text(news))));
  }

  private void deliver(String client, LockMessage message) {
    listeners.deliver(new EventListeners.Message(kind.word(), client, LockMessages.text(message)));
  }

  private <T> GrantStep<T> step(
      SqlSession session,
      String name,
      SqlSession.Sync sync,
      States.Decision<GrantState, LockMessage, T> decision)
      throws SQLException {
    RowTransactions.Done<GrantState, GrantRow, T> done =
        transactions.inSession(
            session,
            kind.word(),
            table,
            List.of(name),
            (now, states, post) ->
                decision.decide(
                    now,
                    states.get(0),
                    (client, message) -> post.send(client, LockMessages.text(message))),
            sync);
    Table.Row<GrantState, GrantRow> row = done.rows().get(0);
    if (fast != null) {
      fast.remember(row);
    }
    return new GrantStep<>(done.reply(), row.state, row.version, done.now());
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    String sql =
        "SELECT name FROM "
            + table.table()
            + " WHERE kind = ? AND forget_at > "
            + table.dialect().now
            + " ORDER BY name LIMIT ?";
    return transactions
        .executor()
        .run(
            "names of kind " + kind.word(),
            session -> {
              List<String> names = new ArrayList<>();
              try (PreparedStatement statement = session.prepare(sql)) {
                statement.setString(1, kind.word());
                statement.setInt(2, limit);
                try (ResultSet row = statement.executeQuery()) {
                  while (row.next()) {
                    names.add(Names.decode(session.dialect.key(row, 1)));
                  }
                }
              }
              return names;
            });
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    listeners.listen(kind.word(), client, LockMessages.to(listener));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unlisten(String client) {
    listeners.unlisten(kind.word(), client);
  }
}
