package dev.sluice.jdbc.verbs;

import dev.sluice.jdbc.rows.Inboxes;
import dev.sluice.jdbc.rows.Janitor;
import dev.sluice.jdbc.rows.LockMail;
import dev.sluice.jdbc.rows.LockTable;
import dev.sluice.jdbc.rows.RowSteps;
import dev.sluice.jdbc.rows.Session;
import dev.sluice.jdbc.signals.Watcher;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.LockRow;
import dev.sluice.state.LockState;
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

/** Locks in rows: {@link LockState} decides. Safe for use by many threads. */
public final class JdbcLocks implements GrantBackend {
  private static final String KIND = "lock";

  /** A decision about a lock. */
  private interface Verb<T> {
    T decide(long now, LockState state, LockState.Post post);
  }

  private final RowSteps rowSteps;
  private final Inboxes inboxes;
  private final Watcher watcher;
  private final LockTable table;

  /** Null where each step begins by reading the row. */
  private final @Nullable FastLocks fast;

  public JdbcLocks(
      RowSteps rowSteps,
      Inboxes inboxes,
      Watcher watcher,
      LockTable table,
      @Nullable FastLocks fast) {
    this.rowSteps = rowSteps;
    this.inboxes = inboxes;
    this.watcher = watcher;
    this.table = table;
    this.fast = fast;
  }

  @Override
  public CompletionStage<GrantReply> acquire(GrantRequest request) {
    String name = request.name();
    return rowSteps
        .steps()
        .run(
            "acquire " + name,
            lane(name),
            session -> {
              GrantReply reply = fast == null ? null : fast.acquire(session, request);
              if (reply != null) {
                watch(request, reply, 0);
                return reply;
              }
              RowSteps.Done<LockState, LockRow, GrantReply> done =
                  step(
                      session,
                      name,
                      Session.Sync.FULL,
                      (now, state, post) -> state.acquire(now, request, post));
              watch(request, done.reply(), done.rows().get(0).version);
              return done.reply();
            });
  }

  private void watch(GrantRequest request, GrantReply reply, long version) {
    String client = request.client();
    boolean holds = reply instanceof GrantReply.Granted;
    if (!holds && !(reply instanceof GrantReply.Queued)) {
      watcher.unwatch(KIND, request.name(), client);
      return;
    }
    if (holds && watcher.owesNews(KIND, request.name(), client)) { // the client's poll was faster
      LockMessage late = new LockMessage(LockMessage.Kind.GRANTED, request.name());
      inboxes.deliver(new Inboxes.Letter(KIND, client, LockMail.text(late)));
    }
    // who waits polls, and who holds renews: then it goes on
    long micros = holds ? request.ttlMicros() : LockProtocol.HEARTBEAT_MICROS;
    watcher.watch(
        KIND,
        table,
        request.name(),
        client,
        !holds,
        version,
        TimeUnit.MICROSECONDS.toNanos(micros),
        (state, post) -> news(state.row(), request, holds, post));
  }

  /** What a row says that the client has not heard. */
  private void news(LockRow row, GrantRequest request, boolean holds, RowSteps.Post post) {
    LockRow.Grant grant = row.grant();
    boolean mine =
        grant != null
            && grant.client().equals(request.client())
            && grant.attempt() == request.attempt();
    LockMessage.Kind news = null;
    if (!holds) {
      news = mine ? LockMessage.Kind.GRANTED : null;
    } else if (grant == null || !mine) {
      news = LockMessage.Kind.TAKEN;
    } else if (grant.wanted()) {
      news = LockMessage.Kind.WANTED;
    }
    if (news != null) {
      post.send(request.client(), LockMail.text(new LockMessage(news, request.name())));
    }
  }

  @Override
  public CompletionStage<RenewReply> renew(
      String name, String client, long attempt, long ttlMicros) {
    return step(
            "renew " + name,
            name,
            Session.Sync.FULL,
            (now, state, post) -> state.renew(now, client, attempt, ttlMicros))
        .thenApply(
            reply -> {
              watcher.goOn(KIND, name, client, TimeUnit.MICROSECONDS.toNanos(ttlMicros));
              return reply;
            });
  }

  @Override
  public CompletionStage<Boolean> release(String name, String client, long attempt, int keep) {
    return rowSteps
        .steps()
        .run(
            "release " + name,
            lane(name),
            session -> {
              watcher.unwatch(KIND, name, client); // in line behind the acquire that it ends
              Boolean freed = fast == null ? null : fast.release(session, name, client, attempt);
              return freed != null
                  ? freed
                  // a release that is lost in a crash leaves the lock until the end of its TTL
                  : step(
                          session,
                          name,
                          Session.Sync.NORMAL,
                          (now, state, post) -> state.release(now, client, attempt, post))
                      .reply();
            });
  }

  @Override
  public Optional<Delay> delay() {
    return Optional.of(
        (name, client, attempt, delayMicros) -> {
          watcher.unwatch(KIND, name, client);
          return step(
              "release " + name,
              name,
              Session.Sync.FULL,
              (now, state, post) -> state.releaseAfter(now, client, attempt, delayMicros));
        });
  }

  @Override
  public Optional<Force> force() {
    return Optional.of(
        (name, token) ->
            step(
                "force release of " + name,
                name,
                Session.Sync.FULL,
                (now, state, post) -> state.forceRelease(now, token, post)));
  }

  @Override
  public CompletionStage<PermitInfo> inspect(String name) {
    return rowSteps.peek(
        "inspect " + name, table, name, (now, state, post) -> PermitInfo.of(state.inspect(now)));
  }

  private <T> CompletableFuture<T> step(String what, String name, Session.Sync sync, Verb<T> verb) {
    return rowSteps
        .steps()
        .run(what, lane(name), session -> step(session, name, sync, verb).reply());
  }

  private static String lane(String name) {
    return KIND + " " + name;
  }

  private <T> RowSteps.Done<LockState, LockRow, T> step(
      Session session, String name, Session.Sync sync, Verb<T> verb) throws SQLException {
    RowSteps.Done<LockState, LockRow, T> done =
        rowSteps.inSession(
            session,
            KIND,
            table,
            List.of(name),
            (now, states, post) ->
                verb.decide(
                    now,
                    states.get(0),
                    (client, message) -> post.send(client, LockMail.text(message))),
            sync);
    if (fast != null) {
      fast.remember(done.rows().get(0));
    }
    return done;
  }

  @Override
  public CompletionStage<List<String>> names(int limit) {
    String sql =
        "SELECT name FROM " + table.table() + " WHERE NOT (" + over() + ") ORDER BY name LIMIT ?";
    return rowSteps
        .steps()
        .run(
            "names of locks",
            session -> {
              List<String> names = new ArrayList<>();
              try (PreparedStatement statement = session.prepare(sql)) {
                statement.setInt(1, limit);
                try (ResultSet row = statement.executeQuery()) {
                  while (row.next()) {
                    names.add(Names.decode(session.dialect.key(row, 1)));
                  }
                }
              }
              return names;
            });
  }

  /** The rule of {@link LockState#isForgettable}. */
  private String over() {
    String now = table.dialect().now;
    long retention = LockProtocol.RETENTION_MICROS;
    return String.format(
        "fence < %s - %d AND last_use < %s - %d AND (client IS NULL OR expires_at <= %s)",
        now, retention, now, retention, now);
  }

  /** Deletes some rows that nobody needs any more; true if there are likely to be more. */
  public boolean sweep(Session session) throws SQLException {
    return Janitor.sweep(session, table.table(), false, over());
  }

  @Override
  public CompletionStage<Void> listen(String client, Consumer<LockMessage> listener) {
    inboxes.listen(KIND, client, LockMail.to(listener));
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void unlisten(String client) {
    inboxes.unlisten(KIND, client);
  }
}
