package dev.sluice.flashsale.desk;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.ScriptException;

/** Makes the tables of the sample, unless they are there. */
public final class Tables {
  private static final int TRIES = 10;

  private Tables() {}

  /**
   * Makes them. Several instances may do so at the same time. PostgreSQL refuses the second
   * instance while the first one makes a table, so the second one tries again and finds it there.
   *
   * @param database H2 in its PostgreSQL mode, or PostgreSQL
   * @throws SQLException if the database cannot be reached
   * @throws ScriptException if the database refuses a statement
   */
  public static void create(DataSource database) throws SQLException {
    ResourceDatabasePopulator script =
        new ResourceDatabasePopulator(new ClassPathResource("schema.sql"));
    for (int tries = 1; ; tries++) {
      try (Connection connection = database.getConnection()) {
        script.populate(connection);
        return;
      } catch (SQLException | ScriptException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }
}
