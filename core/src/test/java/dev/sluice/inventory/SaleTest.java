package dev.sluice.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Terms of sales, and options: both sides of each border. */
class SaleTest {

  @Test
  void termsWithinTheirBordersAreTaken() {
    Sale sale = Sale.epoch(Sale.MAX).total(Sale.MAX).hold(Sale.MAX_HOLD).drained();
    assertThat(sale.isDrained()).isTrue();
    assertThat(sale.hold()).isEqualTo(Duration.ofDays(365));
    assertThat(Sale.epoch(1).total(0).hold(Duration.ofMillis(1)).hold())
        .isEqualTo(Duration.ofMillis(1));
    assertThat(Sale.epoch(1).total(0).between(Instant.EPOCH, Sale.NEVER))
        .isEqualTo(Sale.epoch(1).total(0));
  }

  @Test
  void othersAreRefusedWithRuleAndValue() {
    assertRefused("epoch must be 1 to 2^53 - 1: 0", () -> Sale.epoch(0).total(1));
    assertRefused("epoch", () -> Sale.epoch(Sale.MAX + 1).total(1));
    assertRefused("total must be 0 to 2^53 - 1: -1", () -> Sale.epoch(1).total(-1));
    assertRefused("total", () -> Sale.epoch(1).total(Sale.MAX + 1));
    assertRefused("hold", () -> Sale.epoch(1).total(1).hold(Duration.ofNanos(999_999)));
    assertRefused("hold", () -> Sale.epoch(1).total(1).hold(Sale.MAX_HOLD.plusNanos(1)));
    assertRefused("hold", () -> Sale.epoch(1).total(1).hold(Duration.ofMillis(-1)));
    Instant noon = Instant.parse("2026-01-01T12:00:00Z");
    assertRefused("closesAt must be after", () -> Sale.epoch(1).total(1).between(noon, noon));
    assertRefused(
        "opensAt", () -> Sale.epoch(1).total(1).between(Instant.EPOCH.minusNanos(1), noon));
    assertRefused("closesAt", () -> Sale.epoch(1).total(1).between(noon, Sale.NEVER.plusNanos(1)));
  }

  @Test
  void optionsHaveBordersToo() {
    InventoryOptions options = InventoryOptions.defaults();
    assertRefused("timeout", () -> options.timeout(Duration.ofMillis(9)));
    assertRefused("timeout", () -> options.timeout(Duration.ofMinutes(1).plusNanos(1)));
    assertRefused("soldOutMemo", () -> options.soldOutMemo(Duration.ofNanos(-1)));
    assertRefused("soldOutMemo", () -> options.soldOutMemo(Duration.ofSeconds(10).plusNanos(1)));
    DrainOptions drain = DrainOptions.defaults();
    assertRefused("batch", () -> drain.batch(0));
    assertRefused("batch", () -> drain.batch(10_001));
    assertRefused("takeOver", () -> drain.takeOver(Duration.ofMillis(999)));
    assertRefused("takeOver", () -> drain.takeOver(Duration.ofHours(1).plusNanos(1)));
    assertRefused("attempts", () -> drain.attempts(0));
    assertRefused("attempts", () -> drain.attempts(101));
    assertRefused(
        "state",
        () ->
            LedgerEntry.claimId(1)
                .epoch(1)
                .claimant("ann")
                .quantity(1)
                .requestId("r")
                .state(ClaimState.QUEUED));
  }

  private static void assertRefused(String what, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(what);
  }
}
