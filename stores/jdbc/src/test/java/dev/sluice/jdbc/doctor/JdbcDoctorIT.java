package dev.sluice.jdbc.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Doctor;
import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.jdbc.Database;
import dev.sluice.jdbc.Databases;
import dev.sluice.jdbc.Dialect;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.jdbc.dialect.SqlDialect;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Findings of the doctor at real databases, which it does not change. */
class JdbcDoctorIT {
  @TempDir Path folder;

  private static List<String> ids(List<Finding> findings) {
    return findings.stream().map(finding -> finding.severity() + " " + finding.id()).toList();
  }

  private static List<String> examine(Database database) throws SQLException {
    try (Connection connection = database.connect()) {
      return ids(JdbcDoctor.examine("here", connection, JdbcBackend.PREFIX, false, 5));
    }
  }

  @ParameterizedTest
  @EnumSource
  void tablesAreMissedUntilTheyAreThere(Dialect dialect) throws SQLException {
    try (Database database = Databases.empty(dialect)) {
      assertThat(examine(database)).contains("ERROR tables");
      database.execute(JdbcBackend.ddl(dialect).split(";"));
      assertThat(examine(database)).doesNotContain("ERROR tables", "ERROR rights", "WARNING clock");
    }
  }

  @Test
  void settingsOfPostgresqlThatForget() throws SQLException {
    try (Database database = Databases.empty(Dialect.POSTGRESQL)) {
      database.execute(JdbcBackend.ddl(Dialect.POSTGRESQL).split(";"));
      assertThat(examine(database)).containsExactly("WARNING fsync");
      try (Connection connection = database.connect();
          var statement = connection.createStatement()) {
        statement.execute("SET synchronous_commit = off");
        statement.execute("SET default_transaction_read_only = on");
        assertThat(ids(JdbcDoctor.examine("here", connection, JdbcBackend.PREFIX, false, 5)))
            .containsExactly("ERROR read-only", "WARNING fsync", "WARNING synchronous-commit");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, jdbc:postgresql://db/shop, false, WARNING no-tls",
    "POSTGRESQL, jdbc:postgresql://db/shop?sslmode=verify-full, false, WARNING no-tls",
    "POSTGRESQL, jdbc:postgresql://db/shop, true, WARNING tls-unverified",
    "POSTGRESQL, jdbc:postgresql://db/shop?sslmode=require, true, WARNING tls-unverified",
    "POSTGRESQL, jdbc:postgresql://db/shop?a=b&sslmode=verify-full, true,",
    "POSTGRESQL, jdbc:postgresql://db/shop?ssl=true&a=b, true,",
    "POSTGRESQL, jdbc:postgresql://db/shop?ssl=false, true, WARNING tls-unverified",
    "POSTGRESQL,"
        + " jdbc:postgresql://db/shop?ssl=true&sslfactory=org.postgresql.ssl.NonValidatingFactory,"
        + " true, WARNING tls-unverified",
    "MARIADB, jdbc:mariadb://db/shop, false, WARNING no-tls",
    "MARIADB, jdbc:mariadb://db/shop?sslMode=trust, true, WARNING tls-unverified",
    "MARIADB, jdbc:mariadb://db/shop?useSsl=true&trustServerCertificate=true, true,"
        + " WARNING tls-unverified",
    "MARIADB, jdbc:mariadb://db/shop?useSsl=true, true,",
    "MARIADB, jdbc:mysql://db/shop?sslMode=REQUIRED, true, WARNING tls-unverified",
    "MARIADB, jdbc:mysql://db/shop?sslMode=VERIFY_IDENTITY, true,"
  })
  void theWayToAnotherMachineIsEncryptedAndVerified(
      Dialect dialect, String url, boolean encrypted, String finding) {
    assertThat(
            ids(
                JdbcDoctor.transport(
                    "here", SqlDialect.valueOf(dialect.name()), url, false, encrypted)))
        .isEqualTo(finding == null ? List.of() : List.of(finding));
    assertThat(
            JdbcDoctor.transport("here", SqlDialect.valueOf(dialect.name()), url, true, encrypted))
        .isEmpty();
  }

  /** A real server, which calls the address of its client another machine's. */
  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, SELECT coalesce(inet_client_addr, SELECT 'f'",
    "MARIADB, 'SELECT substring_index(user()', SELECT '192.0.2.7'"
  })
  void aConnectionFromAnotherMachineWithoutTlsIsFound(Dialect dialect, String query, String instead)
      throws SQLException {
    try (Database database = Databases.empty(dialect);
        Connection connection = database.connect()) {
      assertThat(ids(JdbcDoctor.examine("here", connection, JdbcBackend.PREFIX, false, 5)))
          .doesNotContain("WARNING no-tls");
      Connection remote =
          proxy(
              Connection.class,
              connection,
              (name, arguments, result) ->
                  name.equals("createStatement")
                      ? proxy(Statement.class, (Statement) result, swap(query, instead))
                      : result);
      assertThat(ids(JdbcDoctor.examine("here", remote, JdbcBackend.PREFIX, false, 5)))
          .contains("WARNING no-tls");
    }
  }

  private interface Change {
    Object to(String method, Object[] arguments, Object result) throws SQLException;
  }

  private static Change swap(String query, String instead) {
    return (name, arguments, result) ->
        name.equals("executeQuery") && ((String) arguments[0]).startsWith(query)
            ? ((ResultSet) result).getStatement().executeQuery(instead)
            : result;
  }

  private static <T> T proxy(Class<T> type, T target, Change change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return change.to(method.getName(), arguments, method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void rightsThatAreLacking() throws SQLException {
    try (Database database = Databases.empty(Dialect.POSTGRESQL)) {
      database.execute(JdbcBackend.ddl(Dialect.POSTGRESQL).split(";"));
      database.execute("CREATE ROLE reader", "GRANT SELECT ON sluice_locks TO reader");
      try (Connection connection = database.connect();
          var statement = connection.createStatement()) {
        statement.execute("SET ROLE reader");
        assertThat(ids(JdbcDoctor.examine("here", connection, JdbcBackend.PREFIX, false, 5)))
            .filteredOn("ERROR rights"::equals)
            .hasSize(4);
      } finally {
        database.execute("DROP OWNED BY reader", "DROP ROLE reader");
      }
    }
  }

  @Test
  void settingsOfMariadbThatForget() throws SQLException {
    try (Database database = Databases.empty(Dialect.MARIADB)) {
      database.execute(JdbcBackend.ddl(Dialect.MARIADB).split(";"));
      assertThat(examine(database)).containsExactly("WARNING flush-log");
    }
  }

  @Test
  void aFileThatIsNotThereIsNotMade() {
    Path file = folder.resolve("none.db");
    assertThat(ids(Doctor.examine(List.of("jdbc:sqlite:" + file))))
        .containsExactly("INFO no-file-yet");
    assertThat(file).doesNotExist();
  }

  @Test
  void aFileInUseIsAsItShouldBe() throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("used.db");
    try (Sluice sluice = Sluice.connect(url)) {
      sluice.lock("a").acquire(Duration.ofSeconds(10)).close();
      assertThat(sluice.diagnose()).isEmpty();
    }
    assertThat(Doctor.examine(List.of(url))).isEmpty();
    assertThat(ids(Doctor.examine(List.of(url + "?synchronous=OFF"))))
        .containsExactly("WARNING synchronous");
  }

  @Test
  void aFileOfAnotherKindIsNotReached() throws Exception {
    Path file = Files.writeString(folder.resolve("letter.txt"), "Dear reader, ".repeat(100));
    assertThat(ids(Doctor.examine(List.of("jdbc:sqlite:" + file))))
        .containsExactly("ERROR unreachable");
  }

  @Test
  void aDriverThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> Doctor.examine(List.of("jdbc:mysql://host/db?password=hush")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no driver for jdbc:mysql://host/db on the class path: add the jar of"
                + " com.mysql:mysql-connector-j");
    assertThatThrownBy(() -> Sluice.connect("jdbc:mysql://bob:hush@host/db"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:mysql://***@host/db");
  }
}
