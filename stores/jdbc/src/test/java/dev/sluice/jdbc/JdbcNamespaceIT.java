package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.Doctor;
import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.inventory.Sale;
import dev.sluice.limit.Limit;
import dev.sluice.lock.Lease;
import dev.sluice.spi.BackendSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A namespace has tables of its own. */
class JdbcNamespaceIT {
  private static final Duration AGES = Duration.ofSeconds(30);
  private static final String SHOP = "shop-staging";

  private static String with(String url, String namespace) {
    String sign = url.startsWith("jdbc:h2:") ? ";" : url.contains("?") ? "&" : "?";
    return url + sign + "namespace=" + namespace;
  }

  private static Sluice connect(String url) {
    return Sluice.builder().uri(url).requestTimeout(AGES).build();
  }

  private static void useEverything(Sluice sluice) throws Exception {
    sluice.semaphore("x", 2).acquire(AGES).close();
    assertThat(sluice.latch("x").trySetCount(1)).isTrue();
    Limit hourly = Limit.gcra(1, Duration.ofHours(1));
    assertThat(sluice.rateLimiter("x", hourly).tryAcquire("k").allowed()).isTrue();
    sluice.inventory("x").open(Sale.epoch(1).total(1));
    assertThat(sluice.inventory("x").claim("me", 1, "r").isClaimed()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void namesOfTwoNamespacesNeverMeet(Dialect dialect) throws Exception {
    try (Database database = Databases.empty(dialect)) {
      String url = database.url();
      for (String each : List.of(url, with(url, SHOP), with(url, "shop"))) {
        database.execute(JdbcBackend.ddl(each).split(";"));
      }
      try (Sluice plain = connect(url);
          Sluice staging = connect(with(url, SHOP));
          Sluice shop = Sluice.builder().uri(url).namespace("shop").requestTimeout(AGES).build()) {
        assertThat(staging.describe()).isEqualTo(plain.describe() + " in namespace " + SHOP);
        try (Lease first = plain.lock("x").tryAcquire().orElseThrow();
            Lease second = staging.lock("x").tryAcquire().orElseThrow();
            Lease third = shop.lock("x").tryAcquire().orElseThrow()) {
          for (Sluice each : List.of(plain, staging, shop)) {
            useEverything(each);
          }
          first.checkHeld();
          second.checkHeld();
          third.checkHeld();
        }
        staging.lock("only here").tryAcquire().orElseThrow().close();
        assertThat(staging.inspect().lockNames(9).names())
            .containsExactlyInAnyOrder("x", "only here");
        assertThat(plain.inspect().lockNames(9).names()).containsExactly("x");
        assertThat(shop.inspect().lockNames(9).names()).containsExactly("x");
      }
    }
  }

  @Test
  void theTablesOfANamespaceAreNamedAfterIt() {
    String ddl = JdbcBackend.ddl("jdbc:postgresql:?namespace=" + SHOP);
    assertThat(ddl)
        .contains("sluice_shop_staging_locks", "sluice_shop_staging_claims")
        .doesNotContain("sluice_locks");
    assertThat(JdbcBackend.ddl("jdbc:postgresql:")).isEqualTo(JdbcBackend.ddl(Dialect.POSTGRESQL));
    assertThat(JdbcBackendBuilder.prefix("app.sluice_", null)).isEqualTo("app.sluice_");
    assertThat(JdbcBackendBuilder.prefix("app.sluice_", "a-1")).isEqualTo("app.sluice_a_1_");
  }

  @Test
  void theDoctorLooksAtTheTablesOfTheNamespace(@TempDir Path folder) throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("s.db");
    connect(url).close();
    assertThat(Doctor.examine(List.of(url))).isEmpty();
    assertThat(Doctor.examine(List.of(with(url, SHOP))))
        .extracting(Finding::id, Finding::what)
        .containsExactly(tuple("no-tables-yet", "there is no table 'sluice_shop_staging_locks'"));
    try (Sluice shop = connect(with(url, SHOP))) {
      assertThat(shop.diagnose()).isEmpty();
    }
    assertThat(Doctor.examine(List.of(with(url, SHOP)))).isEmpty();
  }

  @Test
  void whatIsSetComesBeforeTheUrl(@TempDir Path folder) {
    String url = with("jdbc:sqlite:" + folder.resolve("s.db"), SHOP);
    BackendSettings other = new BackendSettings(AGES, "other");
    try (var backend = new JdbcBackendProvider().open(url, other);
        var built = JdbcBackend.builder().url(url).namespace("built").build();
        var named = JdbcBackend.builder().url(url).build()) {
      assertThat(backend.describe()).endsWith(" in namespace other");
      assertThat(built.describe()).endsWith(" in namespace built");
      assertThat(named.describe()).endsWith(" in namespace " + SHOP);
    }
  }

  @Test
  void aBadOneIsRefusedBeforeAnythingIsAsked() {
    String url = "jdbc:postgresql://127.0.0.1:1/x?namespace=Shop";
    for (Runnable use :
        List.<Runnable>of(
            () -> connect(url).close(),
            () -> Doctor.examine(List.of(url)),
            () -> JdbcBackend.ddl(url),
            () -> JdbcBackend.builder().namespace("Shop"))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("namespace must be 1 to 32 of a-z, 0-9 and '-'")
          .hasMessageEndingWith(": 'Shop'");
    }
    JdbcBackendBuilder together =
        JdbcBackend.builder()
            .url("jdbc:postgresql://127.0.0.1:1/x")
            .tablePrefix("app." + "p".repeat(25))
            .namespace("n".repeat(32));
    assertThatThrownBy(together::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("tablePrefix and namespace must be short enough")
        .hasMessageContaining("together at most 56 characters");
  }
}
