package dev.sluice.verification.torture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Another application at the database of a run. */
final class ForeignClient {
  private final String url;

  ForeignClient(String url) {
    this.url = url;
  }

  /** Makes the tables as an application does in its migrations. */
  void makeTables() {
    try (InputStream ddl =
            ForeignClient.class.getResourceAsStream(
                "/dev/sluice/jdbc/dialect/schema-postgresql.sql");
        Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      if (ddl == null) {
        throw new IllegalStateException("sluice-jdbc is not on the class path");
      }
      statement.execute(new String(ddl.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException | SQLException e) {
      throw new IllegalStateException("the tables could not be made", e);
    }
  }

  /**
   * Carries out statements, of which the first begins a transaction, and gives it up after a while.
   *
   * @return whether the database let it
   */
  boolean hold(long millis, String... statements) throws InterruptedException {
    return during(millis, "ROLLBACK", statements);
  }

  /**
   * Takes the locks away, as their table is kept for so long that no token is ahead of the clock.
   *
   * @param lead by how much one may be
   * @param statements begin a transaction that keeps everybody else out
   * @return what happened, nothing if the database did not let it
   */
  String deleteLocks(Duration lead, Fault.Notes notes, String... statements)
      throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(statements));
    all.add("DELETE FROM sluice_locks");
    long from = System.nanoTime();
    notes.amnesia();
    if (!during(lead.toMillis(), "COMMIT", all.toArray(String[]::new))) {
      return "";
    }
    notes.emptied(System.nanoTime() - from);
    return "a stranger deleted all locks";
  }

  private boolean during(long millis, String end, String... statements)
      throws InterruptedException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
      ServerFaults.pass(millis);
      statement.execute(end);
      return true;
    } catch (SQLException e) {
      return false; // the database is busy, or has no table yet
    }
  }

  /** {@return the first column of what a query finds, as text} */
  List<String> ask(String query) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        found.add(String.valueOf(rows.getString(1)));
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }
}
