package dev.sluice.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.Sale;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.testkit.FlakyBackend;
import dev.sluice.testkit.FlakyBackend.Fault;
import dev.sluice.testkit.FlakyBackend.Verb;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Meters of what the store knows. */
class StoreMetricsTest {
  private final FlakyBackend line = new FlakyBackend(new MemoryBackend());
  private final Sluice sluice = Sluice.builder().backend(line).build();
  private final MockClock clock = new MockClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

  @AfterEach
  void close() {
    sluice.close();
    line.close();
  }

  private double gauge(String name, String... tags) {
    return registry.get("sluice." + name).tags(tags).gauge().value();
  }

  /** A reading asks unless an earlier one is still waiting; the answer shows soon after. */
  private void later() {
    clock.add(Duration.ofSeconds(11));
    registry.getMeters().forEach(meter -> meter.measure().forEach(each -> each.getValue()));
  }

  @Test
  void showsTheUnitsOfAStockByState() {
    Inventory shoes = sluice.inventory("shoes");
    InventoryMetrics.of(shoes).bindTo(registry);
    shoes.open(Sale.epoch(1).total(10).hold(Duration.ofMinutes(5)));
    shoes.claim("ann", 3, "request");
    later();
    await().atMost(ONE_MINUTE).until(() -> gauge("inventory.units", "state", "left") == 7);
    assertThat(gauge("inventory.units", "state", "held")).isEqualTo(3);
    assertThat(gauge("inventory.units", "state", "queued")).isZero();
    assertThat(gauge("inventory.units", "state", "confirmed")).isZero();
    assertThat(gauge("inventory.units", "state", "dead-letter")).isZero();
    assertThat(gauge("inventory.claims.waiting")).isZero();
    assertThat(gauge("inventory.lag")).isZero();
    assertThat(registry.getMeters())
        .hasSize(7)
        .extracting(Meter::getId)
        .allSatisfy(id -> assertThat(id.getTag("inventory")).isEqualTo("shoes"));
  }

  @Test
  void showsHowFullAFilterIs() {
    BloomFilter<String> filter =
        sluice.bloomFilter("seen", Funnel.utf8(), BloomSpec.of(1000, 0.01));
    BloomFilterMetrics.of(filter).bindTo(registry);
    later();
    assertThat(gauge("bloom.fill")).as("it is not there").isNaN();
    filter.create();
    filter.add("a");
    await()
        .atMost(ONE_MINUTE)
        .until(
            () -> {
              later();
              return gauge("bloom.fill") > 0;
            });
    assertThat(gauge("bloom.fill")).isLessThan(0.1);
    assertThat(gauge("bloom.elements")).isEqualTo(1);
    assertThat(gauge("bloom.false.positive.rate")).isBetween(0.0, 0.01);
    assertThat(gauge("bloom.partitions.missing")).isZero();
    assertThat(registry.getMeters()).hasSize(4);
  }

  @Test
  void asksTheStoreAtMostEachTenSecondsAndShowsNothingOld() {
    Inventory shoes = sluice.inventory("shoes");
    InventoryMetrics.of(shoes).bindTo(registry);
    shoes.open(Sale.epoch(1).total(10));
    later();
    await().atMost(ONE_MINUTE).until(() -> gauge("inventory.units", "state", "left") == 10);
    int calls = line.calls(Verb.FIGURES);
    for (int i = 0; i < 20; i++) {
      assertThat(gauge("inventory.units", "state", "left")).isEqualTo(10);
    }
    assertThat(line.calls(Verb.FIGURES)).as("it has just asked").isEqualTo(calls);

    line.set(Verb.FIGURES, Fault.LOSES_REQUEST);
    later();
    await().atMost(ONE_MINUTE).until(() -> Double.isNaN(gauge("inventory.units", "state", "left")));
    line.set(Verb.FIGURES, Fault.NONE);
    later();
    await().atMost(ONE_MINUTE).until(() -> gauge("inventory.units", "state", "left") == 10);
    sluice.close();
    later();
    assertThat(gauge("inventory.units", "state", "left")).isNaN();
  }
}
