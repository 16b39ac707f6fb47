package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.BackendSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A namespace has nodes of its own below the path. */
class ZooKeeperNamespaceIT {
  private static final LockOptions LONG = LockOptions.renewing(Duration.ofSeconds(30));
  private static final Duration AGES = Duration.ofSeconds(30);

  @Test
  void namesOfTwoNamespacesNeverMeet() throws Exception {
    String uri = "zookeeper://" + SharedServers.servers() + "/namespaces";
    try (Sluice plain = Sluice.builder().uri(uri).requestTimeout(AGES).build();
        Sluice staging =
            Sluice.builder().uri(uri + "?namespace=shop-staging").requestTimeout(AGES).build();
        Sluice shop = Sluice.builder().uri(uri).namespace("shop").requestTimeout(AGES).build()) {
      assertThat(staging.describe()).isEqualTo(plain.describe() + " in namespace shop-staging");
      Lease first = plain.lock("x", LONG).tryAcquire().orElseThrow();
      Lease second = staging.lock("x", LONG).tryAcquire().orElseThrow();
      Lease third = shop.lock("x", LONG).tryAcquire().orElseThrow();
      for (Sluice each : List.of(plain, staging, shop)) {
        assertThat(each.semaphore("x", 1, LONG).tryAcquire()).isPresent();
        assertThat(each.inspect().lockNames(9).names()).containsExactly("x");
        assertThat(each.inspect().permitNames(9).names()).containsExactly("x");
      }
      assertThat(SharedServers.hand().getChildren().forPath("/namespaces"))
          .containsExactlyInAnyOrder("sluice", "sluice-shop", "sluice-shop-staging");
      first.close();
      second.checkHeld();
      third.checkHeld();
      assertThat(shop.lock("x", LONG).tryAcquire()).isEmpty();
      assertThat(staging.diagnose()).noneMatch(finding -> finding.id().equals("rights"));
    }
  }

  @Test
  void whatIsSetComesBeforeTheUri() {
    String uri = "zookeeper://" + SharedServers.servers() + "/first?namespace=shop";
    BackendSettings other = new BackendSettings(AGES, "other");
    try (var opened = new ZooKeeperBackendProvider().open(uri, other);
        var named = ZooKeeperBackend.builder().uri(uri).build();
        var over =
            ZooKeeperBackend.builder().client(SharedServers.hand()).namespace("shop").build()) {
      assertThat(opened.describe()).endsWith("/first in namespace other");
      assertThat(named.describe()).endsWith("/first in namespace shop");
      assertThat(over.describe()).endsWith(" in namespace shop");
    }
  }

  @Test
  void aBadOneIsRefusedBeforeAnythingIsAsked() {
    assertThatThrownBy(() -> Sluice.connect("zookeeper://127.0.0.1:1?namespace=a/b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("namespace must be 1 to 32 of a-z, 0-9 and '-'")
        .hasMessageEndingWith(": 'a/b'");
    assertThatThrownBy(() -> ZooKeeperBackend.builder().namespace(""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
