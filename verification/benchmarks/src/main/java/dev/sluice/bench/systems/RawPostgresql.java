package dev.sluice.bench.systems;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The least that a fenced lock in a table can cost: two statements, each committed by itself, and
 * no waiting. Nobody else may want the lock.
 */
final class RawPostgresql implements LockSystem {
  private static final String TAKE =
      "INSERT INTO raw_lock (name, token, owner, until)"
          + " VALUES (?, 1, ?, clock_timestamp() + interval '30 s')"
          + " ON CONFLICT (name) DO UPDATE SET token = raw_lock.token + 1,"
          + " owner = excluded.owner, until = excluded.until"
          + " WHERE raw_lock.until < clock_timestamp() RETURNING token";

  private static final String GIVE =
      "UPDATE raw_lock SET owner = NULL, until = '-infinity' WHERE name = ? AND owner = ?";

  private final HikariDataSource pool;

  RawPostgresql(String uri) {
    this.pool = Pool.open(uri);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    String owner = UUID.randomUUID().toString();
    return new Mutex() {
      @Override
      public void acquire() throws SQLException {
        try (Connection connection = pool.getConnection();
            PreparedStatement take = connection.prepareStatement(TAKE)) {
          take.setString(1, name);
          take.setString(2, owner);
          try (ResultSet token = take.executeQuery()) {
            if (!token.next()) {
              throw new IllegalStateException(name + " is locked by another");
            }
          }
        }
      }

      @Override
      public void release() throws SQLException {
        try (Connection connection = pool.getConnection();
            PreparedStatement give = connection.prepareStatement(GIVE)) {
          give.setString(1, name);
          give.setString(2, owner);
          if (give.executeUpdate() != 1) {
            throw new IllegalStateException("lock " + name + " was lost");
          }
        }
      }
    };
  }

  @Override
  public void close() {
    pool.close();
  }
}
