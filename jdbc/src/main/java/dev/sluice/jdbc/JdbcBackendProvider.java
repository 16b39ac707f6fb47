package dev.sluice.jdbc;

import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import java.util.List;

/**
 * Opens {@code jdbc:postgresql:}, {@code jdbc:mariadb:}, {@code jdbc:mysql:}, {@code jdbc:h2:} and
 * {@code jdbc:sqlite:} URLs, with the settings of {@link JdbcBackendBuilder#url}.
 */
public final class JdbcBackendProvider implements BackendProvider {

  /** For {@link java.util.ServiceLoader}. */
  public JdbcBackendProvider() {}

  @Override
  public List<String> schemes() {
    return List.of("jdbc");
  }

  @Override
  public Backend open(String uri, BackendSettings settings) {
    return JdbcBackend.builder().url(uri).requestTimeout(settings.requestTimeout()).build();
  }
}
