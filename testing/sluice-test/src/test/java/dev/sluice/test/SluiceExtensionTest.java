package dev.sluice.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.memory.ManualTime;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@SluiceTest
class SluiceExtensionTest {
  private static final Set<Sluice> SEEN = new HashSet<>();
  private static Sluice ofTheClass;
  private Sluice before;

  SluiceExtensionTest(Sluice sluice) {
    ofTheClass = sluice;
  }

  @BeforeEach
  void before(Sluice sluice) {
    before = sluice;
  }

  @AfterAll
  static void clientsOfTestsAreClosed() {
    assertThat(SEEN)
        .hasSizeGreaterThan(1)
        .allSatisfy(
            sluice ->
                assertThatThrownBy(() -> sluice.lock("seat").tryAcquire())
                    .isInstanceOf(IllegalStateException.class));
  }

  @RepeatedTest(2)
  void aTestHasAStoreOfItsOwn(Sluice sluice) {
    assertThat(sluice).isSameAs(before).isNotSameAs(ofTheClass);
    assertThat(sluice.lock("seat").tryAcquire()).isPresent();
    SEEN.add(sluice);
  }

  @Test
  void leasesRunOutWhenTheTestSaysSo(Sluice sluice, ManualTime time) {
    Lease fixed =
        sluice.lock("fixed", LockOptions.fixed(Duration.ofSeconds(30))).tryAcquire().orElseThrow();
    Lease renewed = sluice.lock("renewed").tryAcquire().orElseThrow();

    time.advance(Duration.ofSeconds(31));

    assertThat(fixed.state()).isEqualTo(LeaseState.LOST);
    assertThat(sluice.lock("fixed").tryAcquire()).isPresent();
    assertThat(renewed.state()).isEqualTo(LeaseState.HELD);
  }

  @Test
  void permitsComeBackWhenTheTestSaysSo(Sluice sluice, ManualTime time) {
    RateLimiter logins = sluice.rateLimiter("logins", Limit.fixedWindow(1, Duration.ofMinutes(1)));
    assertThat(logins.tryAcquire("ann").allowed()).isTrue();
    assertThat(logins.tryAcquire("ann").allowed()).isFalse();

    time.advance(Duration.ofMinutes(1));

    assertThat(logins.tryAcquire("ann").allowed()).isTrue();
  }

  @Test
  void anotherProcessIsAnotherClient(Sluice sluice, MemoryBackend store, ManualTime time) {
    try (Sluice other = Sluice.builder().backend(store).time(time, time).build();
        Lease lease = other.lock("seat").tryAcquire().orElseThrow()) {
      assertThat(sluice.lock("seat").tryAcquire()).isEmpty();
      assertThat(sluice.inspect().lock("seat").lastToken()).isGreaterThanOrEqualTo(lease.token());
    }
  }
}
