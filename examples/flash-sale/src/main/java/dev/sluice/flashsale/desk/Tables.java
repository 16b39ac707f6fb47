package dev.sluice.flashsale.desk;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Makes the tables of the sample, unless they are there. */
public final class Tables {
  private static final int TRIES = 10;

  private Tables() {}

  /**
   * Makes them. Several instances may do so at once: who comes second to a table on PostgreSQL is
   * refused while the first one makes it, and finds it there when he tries again.
   *
   * @param database H2 in its PostgreSQL mode, or PostgreSQL
   * @throws SQLException if the database fails
   */
  public static void create(DataSource database) throws SQLException {
    String[] statements = read().replaceAll("--[^\n]*", "").split(";", -1);
    for (int tries = 1; ; tries++) {
      try (Connection connection = database.getConnection();
          Statement statement = connection.createStatement()) {
        for (String sql : statements) {
          if (!sql.isBlank()) {
            statement.execute(sql);
          }
        }
        return;
      } catch (SQLException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }

  private static String read() {
    try (InputStream file = Tables.class.getResourceAsStream("/schema.sql")) {
      if (file == null) {
        throw new IllegalStateException("schema.sql is not on the class path");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
