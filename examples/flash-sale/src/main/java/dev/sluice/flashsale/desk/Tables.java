package dev.sluice.flashsale.desk;

import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** Makes the tables of the sample, unless they are there. */
public final class Tables {
  private static final int TRIES = 10;

  private Tables() {}

  /**
   * Makes them. PostgreSQL refuses the second instance while the first one makes a table, so the
   * second one tries again and finds it there.
   */
  public static void create(DataSource database) {
    ResourceDatabasePopulator script =
        new ResourceDatabasePopulator(new ClassPathResource("schema.sql"));
    for (int tries = 1; ; tries++) {
      try {
        script.execute(database);
        return;
      } catch (DataAccessException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }
}
