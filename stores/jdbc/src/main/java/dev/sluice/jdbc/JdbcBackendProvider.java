package dev.sluice.jdbc;

import dev.sluice.Finding;
import dev.sluice.jdbc.dialect.JdbcUrls;
import dev.sluice.jdbc.doctor.JdbcDoctor;
import dev.sluice.jdbc.rows.Connections;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens {@code jdbc:postgresql:}, {@code jdbc:mariadb:}, {@code jdbc:mysql:}, {@code jdbc:h2:} and
 * {@code jdbc:sqlite:} URLs, with the settings of {@link JdbcBackendBuilder#url}.
 *
 * @since 0.1
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
    JdbcBackendBuilder builder =
        JdbcBackend.builder().url(uri).requestTimeout(settings.requestTimeout());
    if (settings.namespace() != null) {
      builder.namespace(settings.namespace());
    }
    requireDriver(Namespace.without(uri));
    return builder.build();
  }

  /** Examines the store without opening a backend, which might create tables. */
  @Override
  public List<Finding> examine(List<String> uris, BackendSettings settings) {
    List<Finding> findings = new ArrayList<>();
    int seconds = (int) Math.max(1, settings.requestTimeout().toSeconds());
    for (String whole : uris) {
      String prefix =
          JdbcBackendBuilder.prefix(JdbcBackend.PREFIX, settings.forUri(whole).namespace());
      String uri = Namespace.without(whole);
      requireDriver(JdbcUrls.check(uri));
      String where = JdbcUrls.place(uri);
      if (JdbcUrls.isMissingFile(uri)) {
        findings.add(
            new Finding(
                Finding.Severity.INFO,
                "no-file-yet",
                where,
                "there is no such file",
                "nothing: the first use makes it",
                "use it"));
        continue;
      }
      try (Connection connection = Connections.connect(uri, settings.requestTimeout())) {
        findings.addAll(
            JdbcDoctor.examine(where, connection, prefix, JdbcUrls.isOursAlone(uri), seconds));
      } catch (SQLException e) {
        findings.add(BackendProvider.unreachable(where, String.valueOf(e.getMessage())));
      }
    }
    return findings;
  }

  private static void requireDriver(String url) {
    try {
      DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "no driver for "
              + JdbcUrls.place(url)
              + " on the class path: add the jar of "
              + JdbcUrls.driver(url),
          e);
    }
  }
}
