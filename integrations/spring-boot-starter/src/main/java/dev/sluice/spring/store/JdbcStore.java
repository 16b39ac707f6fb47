package dev.sluice.spring.store;

import dev.sluice.BackendException;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.jdbc.JdbcBackendBuilder;
import dev.sluice.spi.Backend;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.spring.internal.SluiceStartException;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;

/** Opens the application's DataSource. */
final class JdbcStore {
  private final JdbcStoreProperties settings;

  JdbcStore(JdbcStoreProperties settings) {
    this.settings = settings;
  }

  /**
   * {@return the DataSource of the settings, or the only one, or the primary one}
   *
   * @throws SettingException if the settings name none
   * @throws SluiceStartException if they name nothing and there are several
   */
  DataSource dataSource(ListableBeanFactory beans) {
    String name = settings.dataSource();
    List<String> names =
        List.of(
            BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                beans, DataSource.class, true, false));
    if (!name.isEmpty()) {
      if (!names.contains(name)) {
        throw new SettingException(
            "sluice.jdbc.data-source",
            "must be the name of a bean of type DataSource, one of "
                + String.join(", ", names)
                + ": '"
                + name
                + "'");
      }
      return beans.getBean(name, DataSource.class);
    }
    DataSource only = beans.getBeanProvider(DataSource.class).getIfUnique();
    if (only == null) {
      throw new SluiceStartException(
          "Sluice is to work on the application's DataSource, and there are several: "
              + String.join(", ", names),
          "Name one by sluice.jdbc.data-source, or mark one as @Primary.");
    }
    return only;
  }

  /**
   * Connects.
   *
   * @throws SluiceStartException if that fails
   * @throws SettingException if the namespace breaks its rule
   */
  Backend open(DataSource source, SluiceProperties properties) {
    JdbcBackendBuilder builder = JdbcBackend.builder().dataSource(source);
    String namespace = properties.namespace();
    if (namespace != null) {
      SettingException.at("sluice.namespace", () -> builder.namespace(namespace));
    }
    try {
      return builder
          .requestTimeout(properties.requestTimeout())
          .tablePrefix(settings.tablePrefix())
          .createTables(
              switch (settings.initializeSchema()) {
                case ALWAYS -> true;
                case NEVER -> false;
                case EMBEDDED -> EmbeddedDatabaseConnection.isEmbedded(source);
              })
          .build();
    } catch (IllegalArgumentException | UnsupportedOperationException | BackendException e) {
      throw SluiceStartException.ofDataSource(e);
    }
  }
}
