package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.InventoryInfo;
import dev.sluice.inventory.Sale;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.PermitInfo;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Values that a client returns about itself, and about several names in one call. */
class ClientFiguresTest {

  /** As an owner at the store, where two clients with one identity would be one. */
  @Test
  void clientsHaveIdentitiesOf128BitsThatDiffer() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      try (Sluice sluice = Sluice.connect("memory:")) {
        assertThat(Base64.getUrlDecoder().decode(sluice.clientId())).hasSize(16);
        assertThat(seen.add(sluice.clientId())).isTrue();
      }
    }
  }

  @Test
  void severalLocksAreLookedAtTogether() {
    try (Sluice sluice = Sluice.connect("memory:");
        Lease lease = sluice.lock("b").tryAcquire().orElseThrow()) {
      List<LockInfo> infos = sluice.inspect().locks(List.of("a", "b", "c"));
      assertThat(infos).extracting(LockInfo::name).containsExactly("a", "b", "c");
      assertThat(infos.get(0).holder()).isEmpty();
      assertThat(infos.get(1).holder().orElseThrow().token()).isEqualTo(lease.token());
      assertThat(sluice.inspect().locks(List.of())).isEmpty();
      assertThatThrownBy(() -> sluice.inspect().locks(List.of("a", "")))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void listsAreSortedAndSayWhetherThereIsMore() {
    try (Sluice sluice = Sluice.connect("memory:");
        Lease b = sluice.lock("b").tryAcquire().orElseThrow();
        Lease a = sluice.lock("a").tryAcquire().orElseThrow()) {
      assertThat(b.token()).isNotEqualTo(0);
      assertThat(a.token()).isNotEqualTo(0);
      assertThat(sluice.inspect().lockNames(2)).isEqualTo(new NamePage(List.of("a", "b"), false));
      assertThat(sluice.inspect().lockNames(1).names()).hasSize(1);
      assertThat(sluice.inspect().lockNames(1).more()).isTrue();
      assertThat(sluice.inspect().lockNames(Integer.MAX_VALUE).more()).isFalse();
    }
  }

  @Test
  void severalInventoriesAreLookedAtTogether() {
    try (Sluice sluice = Sluice.connect("memory:")) {
      sluice.inventory("b").open(Sale.epoch(1).total(7));
      assertThat(sluice.inspect().inventories(List.of("a", "b")))
          .extracting(InventoryInfo::total)
          .containsExactly(0L, 7L);
      assertThat(sluice.inspect().inventory("b")).isEqualTo(sluice.inventory("b").info());
      assertThat(sluice.inspect().inventoryNames(9)).isEqualTo(new NamePage(List.of("b"), false));
    }
  }

  @Test
  void severalSemaphoresAreLookedAtTogether() {
    try (Sluice sluice = Sluice.connect("memory:");
        Lease lease = sluice.semaphore("s", 3).tryAcquire(2).orElseThrow()) {
      assertThat(lease.token()).isPositive();
      assertThat(sluice.inspect().permits(List.of("r", "s")))
          .extracting(PermitInfo::available)
          .containsExactly(0, 1);
    }
  }

  @Test
  void locksInUseTellWhatBecameOfThem() {
    try (Sluice sluice = Sluice.connect("memory:")) {
      assertThat(sluice.lockStats()).isEmpty();
      try (Lease lease = sluice.lock("a").tryAcquire().orElseThrow()) {
        assertThat(lease.token()).isPositive();
        assertThat(sluice.lockStats()).containsOnly(Map.entry("a", new LockStats(1, 1, 0)));
      }
    }
  }

  @Test
  void limitersAndFiltersInUseAreListed() {
    try (Sluice sluice = Sluice.connect("memory:")) {
      assertThat(sluice.rateLimiters()).isEmpty();
      assertThat(sluice.bloomFilterNames()).isEmpty();
      RateLimiter limiter =
          sluice.rateLimiter("login", Limit.gcra(1, Duration.ofSeconds(1)).burst(5));
      sluice.bloomFilter("ids", Funnel.utf8(), BloomSpec.of(100, 0.01));
      sluice.bloomFilter("ids", Funnel.utf8());
      assertThat(sluice.rateLimiters()).containsExactly(limiter);
      assertThat(sluice.bloomFilterNames()).containsExactly("ids");
      assertThat(limiter.busiestKeys()).isEmpty();
      limiter.tryAcquire("alice");
      limiter.reserve("bob", 1, Duration.ofSeconds(1));
      limiter.tryAcquire("alice");
      limiter.peek("carol", 1);
      assertThat(limiter.busiestKeys()).containsOnlyKeys("alice", "bob");
    }
  }
}
