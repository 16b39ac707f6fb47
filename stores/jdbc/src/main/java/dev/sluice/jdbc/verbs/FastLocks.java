package dev.sluice.jdbc.verbs;

import dev.sluice.jdbc.dialect.SqlDialect;
import dev.sluice.jdbc.rows.Rows;
import dev.sluice.jdbc.rows.SqlSession;
import dev.sluice.jdbc.rows.Table;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantRow;
import dev.sluice.state.grant.GrantState;
import dev.sluice.state.grant.Tombstone;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Uncontended acquires and releases, in one statement each, on PostgreSQL. Safe for use by many
 * threads.
 */
public final class FastLocks {
  /*
   * Who remembers the row as its own last step left it need not read it: a row that still has that
   * version still says the same. What depends on the clock is computed in the statement, by the
   * rules of GrantState, which then repeats the decision with the clock's answer for what is to be
   * remembered next. A row of another version is not touched, and the step is taken the long way.
   *
   * A release commits without waiting for the disk. If the database loses it in a crash, the lock
   * is held until the end of its TTL, as if the holder had died; what commits later, such as the
   * next grant, makes it last. A grant never does so: a lost one would be given twice. The version
   * of a release that was lost may still be remembered, so another step must not arrive at it: a
   * release raises the version by a random number.
   */
  private static final int MAX_COUNT = 10_000;

  /** The limit keeps versions of a row in constant use from running out. */
  private static final int MAX_RAISE = 1 << 20;

  private record Known(long version, GrantRow row) {
    GrantState state(String name) {
      return row.state(name, GrantKind.LOCK);
    }
  }

  private final String acquire;
  private final String release;
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  public FastLocks(String prefix) {
    this.acquire = SqlDialect.POSTGRESQL.withPrefix("acquire", prefix);
    this.release = SqlDialect.POSTGRESQL.withPrefix("release", prefix);
  }

  /** Caches the row that a step wrote. */
  void remember(Table.Row<GrantState, GrantRow> row) {
    if (row.version > 0) {
      remember(row.name, new Known(row.version, GrantRow.of(row.state)));
    }
  }

  private void remember(String name, Known now) {
    if (known.size() >= MAX_COUNT) {
      known.clear(); // to forget costs one statement more
    }
    known.merge(name, now, (a, b) -> a.version > b.version ? a : b);
  }

  /** Grants a free lock, or returns null without an effect; then the general step decides. */
  @Nullable GrantStep<GrantReply> acquire(SqlSession session, GrantRequest request)
      throws SQLException {
    Known last = known.remove(request.name());
    if (last == null || last.row.grant() != null || last.row.waiting() > 0) {
      return null;
    }
    if (!isGranted(last, last.row.lastUse(), request)) {
      return null;
    }
    session.writes();
    try (PreparedStatement statement = session.prepare(acquire)) {
      statement.setString(1, request.client());
      statement.setLong(2, request.attempt());
      statement.setInt(3, request.block());
      statement.setLong(4, request.ttlMicros());
      statement.setString(5, Rows.key(request.name()));
      statement.setLong(6, last.version);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          session.wroteNothing();
          return null;
        }
        long now = row.getLong(1);
        GrantState state = last.state(request.name());
        GrantReply reply = state.acquire(now, request, (client, message) -> {});
        if (!(reply instanceof GrantReply.Granted granted) || granted.token() != row.getLong(2)) {
          return null; // the row was not as remembered; a retry reads the current one
        }
        return done(request.name(), last.version + 1, state, reply, now);
      }
    }
  }

  private static boolean isGranted(Known last, long now, GrantRequest request) {
    return last.state(request.name()).acquire(now, request, (client, message) -> {})
        instanceof GrantReply.Granted;
  }

  private <T> GrantStep<T> done(String name, long version, GrantState state, T reply, long now) {
    remember(name, new Known(version, GrantRow.of(state)));
    return new GrantStep<>(reply, state, version, now);
  }

  /** Releases a lock without waiters; null without an effect. */
  @Nullable GrantStep<Boolean> release(SqlSession session, GrantAttempt attempt)
      throws SQLException {
    String name = attempt.name();
    String client = attempt.client();
    long number = attempt.attempt();
    Known last = known.remove(name);
    GrantRow.Held grant = last == null ? null : last.row.grant();
    if (last == null
        || grant == null
        || grant.attempt() != number
        || !grant.client().equals(client)
        || last.row.waiting() > 0
        || isOfAnother(last.row.over(), client, number)) {
      return null;
    }
    int raise = ThreadLocalRandom.current().nextInt(1, MAX_RAISE);
    session.writes();
    try (PreparedStatement statement = session.prepare(release)) {
      statement.setInt(1, raise);
      statement.setString(2, client);
      statement.setLong(3, number);
      statement.setString(4, Rows.key(name));
      statement.setLong(5, last.version);
      statement.setString(6, client);
      statement.setLong(7, number);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          session.wroteNothing();
          return null;
        }
        long now = row.getLong(1);
        GrantState state = last.state(name);
        boolean freed = state.release(now, client, number, 0, (to, message) -> {});
        return done(name, last.version + raise, state, freed, now);
      }
    }
  }

  /** Whether the columns contain an end that must be kept beside the new one. */
  private static boolean isOfAnother(@Nullable Tombstone over, String client, long attempt) {
    return over != null && !(over.client().equals(client) && over.attempt() <= attempt);
  }
}
