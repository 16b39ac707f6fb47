package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spi.CacheValue;
import dev.sluice.state.CacheState;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Checks the contract of caches: on each store that decides wrongly a test must fail. */
class CacheContractCatchesFaultsTest {

  @Test
  void fillWithoutALookAtTheLease() {
    Supplier<CacheState> faulty =
        () ->
            new CacheState() {
              @Override
              protected boolean isHeld(long now, String client, long attempt) {
                return true;
              }
            };
    assertCaught(faulty, "c2_invalidationDuringALoadIsNotLost");
    assertCaught(faulty, "c2_fillThatWasDelayedIsRefused");
    assertCaught(faulty, "c2_whoBeganBeforeAWriteWasAnnouncedStoresNothing");
  }

  @Test
  void invalidationThatLeavesTheLeaseAlive() {
    Supplier<CacheState> faulty =
        () ->
            new CacheState() {
              @Override
              public void invalidate(long now, String client, long attempt, List<String> woken) {
                intents.remove(new Owner(client, attempt));
                value = null;
              }
            };
    assertCaught(faulty, "c2_invalidationDuringALoadIsNotLost");
    assertCaught(faulty, "c2_clearDuringALoadIsNotLost");
  }

  @Test
  void putThatLeavesTheLeaseAlive() {
    assertCaught(
        () ->
            new CacheState() {
              @Override
              public void put(long now, CacheValue stored, List<String> woken) {
                Owner loads = lease;
                super.put(now, stored, woken);
                lease = loads;
              }
            },
        "c2_putDuringALoadIsNotLost");
  }

  @Test
  void intentThatNeverEnds() {
    assertCaught(
        () ->
            new CacheState() {
              @Override
              protected long intended(long now) {
                return intents.values().stream().mapToLong(Long::longValue).max().isPresent()
                    ? now + 1_000_000
                    : now;
              }
            },
        "c2_writerThatDiesKeepsNothingFromBeingCachedForLong");
  }

  @Test
  void intentThatNobodyHeeds() {
    assertCaught(
        () ->
            new CacheState() {
              @Override
              protected long intended(long now) {
                return now;
              }
            },
        "c2_nothingIsStoredWhileAWriteIsAnnounced");
  }

  @Test
  void leaseThatOutlivesItsEnd() {
    assertCaught(
        () ->
            new CacheState() {
              @Override
              protected boolean isLeased(long now) {
                return lease != null;
              }
            },
        "c1_loaderThatDiesCostsItsLeaseAtMost");
  }

  @Test
  void leaseForEverybody() {
    assertCaught(
        () ->
            new CacheState() {
              @Override
              protected boolean isLeased(long now) {
                return false;
              }
            },
        "c1_oneLoadForTheFleetAtEachExpiry");
  }

  @Test
  void absenceThatOutlivesItsTime() {
    assertCaught(
        () ->
            new CacheState() {
              @Override
              protected void store(long now, CacheValue stored) {
                super.store(
                    now, stored.bytes() == null ? new CacheValue(null, 60_000_000, 0) : stored);
              }
            },
        "c3_absentHasALifeOfItsOwn");
  }

  @Test
  void waitersThatNobodyWakes() {
    assertCaught(
        () ->
            new CacheState() {
              @Override
              protected void endLease(List<String> woken) {
                lease = null;
              }
            },
        "c1_oneLoadForTheFleetAtEachExpiry");
  }

  private static void assertCaught(Supplier<CacheState> faulty, String test) {
    assertThatCode(() -> run(MemoryStore.onManualTime(), test))
        .as("without the fault")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> run(MemoryStore.faultyCaches(faulty), test))
        .as(test)
        .isInstanceOf(AssertionError.class);
  }

  private static void run(StoreUnderTest store, String test) throws Throwable {
    ContractRun.run(
        new MemoryCacheContractTest() {
          @Override
          protected StoreUnderTest openStore() {
            return store;
          }
        },
        test);
  }
}
