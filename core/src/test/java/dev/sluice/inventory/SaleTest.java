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
    Sale sale = Sale.of(Sale.MAX, Sale.MAX).withHold(Sale.MAX_HOLD).withDrain();
    assertThat(sale.drained()).isTrue();
    assertThat(sale.hold()).isEqualTo(Duration.ofDays(365));
    assertThat(Sale.of(1, 0).withHold(Duration.ofMillis(1)).hold()).isEqualTo(Duration.ofMillis(1));
    assertThat(Sale.of(1, 0).between(Instant.EPOCH, Sale.NEVER)).isEqualTo(Sale.of(1, 0));
  }

  @Test
  void othersAreRefusedWithRuleAndValue() {
    assertRefused("epoch must be 1 to 2^53 - 1: 0", () -> Sale.of(0, 1));
    assertRefused("epoch", () -> Sale.of(Sale.MAX + 1, 1));
    assertRefused("total must be 0 to 2^53 - 1: -1", () -> Sale.of(1, -1));
    assertRefused("total", () -> Sale.of(1, Sale.MAX + 1));
    assertRefused("hold", () -> Sale.of(1, 1).withHold(Duration.ofNanos(999_999)));
    assertRefused("hold", () -> Sale.of(1, 1).withHold(Sale.MAX_HOLD.plusNanos(1)));
    assertRefused("hold", () -> Sale.of(1, 1).withHold(Duration.ofMillis(-1)));
    Instant noon = Instant.parse("2026-01-01T12:00:00Z");
    assertRefused("closesAt must be after", () -> Sale.of(1, 1).between(noon, noon));
    assertRefused("opensAt", () -> Sale.of(1, 1).between(Instant.EPOCH.minusNanos(1), noon));
    assertRefused("closesAt", () -> Sale.of(1, 1).between(noon, Sale.NEVER.plusNanos(1)));
  }

  @Test
  void optionsHaveBordersToo() {
    InventoryOptions options = InventoryOptions.defaults();
    assertRefused("timeout", () -> options.withTimeout(Duration.ofMillis(9)));
    assertRefused("timeout", () -> options.withTimeout(Duration.ofMinutes(1).plusNanos(1)));
    assertRefused("soldOutMemo", () -> options.withSoldOutMemo(Duration.ofNanos(-1)));
    assertRefused(
        "soldOutMemo", () -> options.withSoldOutMemo(Duration.ofSeconds(10).plusNanos(1)));
    DrainOptions drain = DrainOptions.defaults();
    assertRefused("batch", () -> drain.withBatch(0));
    assertRefused("batch", () -> drain.withBatch(10_001));
    assertRefused("takeOver", () -> drain.withTakeOver(Duration.ofMillis(999)));
    assertRefused("takeOver", () -> drain.withTakeOver(Duration.ofHours(1).plusNanos(1)));
    assertRefused("attempts", () -> drain.withAttempts(0));
    assertRefused("attempts", () -> drain.withAttempts(101));
    assertRefused("state", () -> new LedgerEntry("ann", 1, 1, 1, "r", ClaimState.QUEUED));
  }

  private static void assertRefused(String what, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(what);
  }
}
