package dev.sluice.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Sluice;
import dev.sluice.limit.Limit;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class CacheOptionsTest {
  private static final Function<Long, String> TEXT = String::valueOf;
  private static final Codec<String> UTF8 = Codec.utf8();
  private static final CacheOptions<Long, String> PLAIN = CacheOptions.of(TEXT, UTF8);

  @Test
  void everyMethodReturnsAChangedCopy() {
    CacheOptions<Long, String> all =
        PLAIN
            .ttl(Duration.ofSeconds(1))
            .jitter(0.2)
            .absentTtl(Duration.ofSeconds(2))
            .near(3)
            .nearTtl(Duration.ofSeconds(4))
            .nearStaleness(Duration.ofSeconds(5))
            .staleOnError(Duration.ofSeconds(6))
            .earlyRefresh(0.7)
            .softTimeout(Duration.ofSeconds(8))
            .hardTimeout(Duration.ofSeconds(9))
            .consistency(Consistency.STRONG)
            .serial()
            .deadline(Duration.ofSeconds(10))
            .fillLease(Duration.ofSeconds(11))
            .intent(Duration.ofSeconds(12))
            .fallback(Limit.fixedWindow(13, Duration.ofSeconds(1)));
    assertThat(all.ttl()).hasSeconds(1);
    assertThat(all.jitter()).isEqualTo(0.2);
    assertThat(all.absentTtl()).hasSeconds(2);
    assertThat(all.near()).isEqualTo(3);
    assertThat(all.nearTtl()).hasSeconds(4);
    assertThat(all.nearStaleness()).hasSeconds(5);
    assertThat(all.staleOnError()).hasSeconds(6);
    assertThat(all.earlyRefresh()).isEqualTo(0.7);
    assertThat(all.softTimeout()).contains(Duration.ofSeconds(8));
    assertThat(all.hardTimeout()).contains(Duration.ofSeconds(9));
    assertThat(all.consistency()).isEqualTo(Consistency.STRONG);
    assertThat(all.isSerial()).isTrue();
    assertThat(all.deadline()).hasSeconds(10);
    assertThat(all.fillLease()).hasSeconds(11);
    assertThat(all.intent()).hasSeconds(12);
    assertThat(all.fallback()).isEqualTo(Limit.fixedWindow(13, Duration.ofSeconds(1)));
    assertThat(PLAIN).as("the base").isEqualTo(CacheOptions.of(TEXT, UTF8)).isNotEqualTo(all);
  }

  @Test
  void defaultsAreThoseOfTheDocumentation() {
    assertThat(PLAIN.ttl()).hasMinutes(10);
    assertThat(PLAIN.jitter()).isEqualTo(0.1);
    assertThat(PLAIN.absentTtl()).hasSeconds(60);
    assertThat(PLAIN.near()).isZero();
    assertThat(PLAIN.nearTtl()).hasMinutes(1);
    assertThat(PLAIN.nearStaleness()).hasSeconds(1);
    assertThat(PLAIN.staleOnError()).isZero();
    assertThat(PLAIN.earlyRefresh()).isZero();
    assertThat(PLAIN.softTimeout()).isEmpty();
    assertThat(PLAIN.hardTimeout()).isEmpty();
    assertThat(PLAIN.consistency()).isEqualTo(Consistency.EVENTUAL);
    assertThat(PLAIN.isSerial()).isFalse();
    assertThat(PLAIN.deadline()).hasMillis(100);
    assertThat(PLAIN.fillLease()).hasSeconds(3);
    assertThat(PLAIN.intent()).hasSeconds(10);
    assertThat(PLAIN.fallback()).isEqualTo(Limit.tokenBucket(100, Duration.ofSeconds(1)));
  }

  @Test
  void equalOptionsAreEqual() {
    CacheOptions<Long, String> one = PLAIN.near(10).ttl(Duration.ofSeconds(1));
    CacheOptions<Long, String> same = PLAIN.ttl(Duration.ofSeconds(1)).near(10);
    assertThat(one).isEqualTo(same).hasSameHashCodeAs(same).hasToString(same.toString());
    assertThat(one).isNotEqualTo(one.near(11)).isNotEqualTo("near");
  }

  @Test
  void oneValueIsTheBaseOfManyCaches() {
    try (Sluice sluice = Sluice.connect("memory:")) {
      GuardedCache<Long, String> one = GuardedCache.create(sluice, "one", PLAIN, key -> "1");
      GuardedCache<Long, String> two = GuardedCache.create(sluice, "two", PLAIN, key -> "2");
      assertThat(one.get(7L)).contains("1");
      assertThat(two.get(7L)).contains("2");
    }
  }

  @Test
  void contradictionsAreRefusedWhenTheCacheIsMade() {
    CacheOptions<Long, String> soft = PLAIN.softTimeout(Duration.ofSeconds(1));
    try (Sluice sluice = Sluice.connect("memory:")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> GuardedCache.create(sluice, "x", soft))
          .withMessage("softTimeout needs staleOnError: nothing could be served");
      assertThat(GuardedCache.create(sluice, "x", soft.staleOnError(Duration.ofSeconds(1))))
          .isNotNull();
    }
  }
}
