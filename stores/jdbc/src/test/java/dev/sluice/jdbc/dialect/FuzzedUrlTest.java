package dev.sluice.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.Fuzz;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random URLs of databases with a password, which no message may show. */
@Timeout(60)
class FuzzedUrlTest {
  private static final String SECRET = "hunter2";

  @Test
  void noSecretIsShown() {
    Fuzz.each(
        4_000,
        fuzz -> {
          String secret = SECRET + fuzz.text(2) + SECRET;
          String url =
              fuzz.pick(
                      "jdbc:postgresql:",
                      "jdbc:mysql:",
                      "jdbc:MariaDB:",
                      "jdbc:h2:",
                      "jdbc:oracle:",
                      "jdbc:")
                  + fuzz.pick(
                      "//user:" + secret + "@host:1/db",
                      "//host/db?user=a&password=" + secret,
                      "//host/db;password=" + secret,
                      "//address=(host=h)(user=u)(password=" + secret + ")/db",
                      "//user:" + secret + "@host/db?password=" + secret + "&a=b");
          assertThat(JdbcUrls.place(url)).as(url).doesNotContain(SECRET);
          try {
            assertThat(JdbcUrls.check(url)).isEqualTo(url);
            assertThat(JdbcUrls.driver(url)).isNotEmpty();
          } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).as(url).doesNotContain(SECRET);
          }
        });
  }
}
