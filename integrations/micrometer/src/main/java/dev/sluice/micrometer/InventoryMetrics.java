package dev.sluice.micrometer;

import static java.util.Objects.requireNonNull;

import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryInfo;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * The state of a limited stock, for Micrometer's meters. Needs {@code micrometer-core}, which the
 * application brings.
 *
 * <ul>
 *   <li>{@code sluice.inventory.units}: units; {@code state} is {@code left}, {@code queued},
 *       {@code held}, {@code confirmed} or {@code dead-letter}.
 *   <li>{@code sluice.inventory.claims.waiting}: claims that wait for a drain or are with one.
 *   <li>{@code sluice.inventory.lag}: how long the oldest of these has waited, in seconds.
 * </ul>
 *
 * <p>All carry the tag {@code inventory}, its name. The numbers are the store's: bind them in one
 * process, or take the maximum over processes. A reading does not block. It shows the last answer
 * of the store. If that is older than ten seconds, it requests another. Without an answer it is
 * NaN.
 *
 * <pre>{@code
 * InventoryMetrics.of(inventory).bindTo(registry);
 * }</pre>
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public final class InventoryMetrics implements MeterBinder {
  private static final String UNITS = "sluice.inventory.units";

  private final Inventory inventory;

  private InventoryMetrics(Inventory inventory) {
    this.inventory = inventory;
  }

  /**
   * Meters of a stock.
   *
   * @param inventory the stock
   * @return what binds them
   */
  public static InventoryMetrics of(Inventory inventory) {
    return new InventoryMetrics(requireNonNull(inventory, "inventory must not be null"));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    StoreSample<InventoryInfo> stock =
        new StoreSample<>(registry.config().clock(), () -> inventory.async().info());
    String name = inventory.name();
    String units = "Units of the stock, by state";
    String[] states = {"left", "queued", "held", "confirmed", "dead-letter"};
    for (String state : states) {
      stock.gauge(
          registry,
          UNITS,
          units,
          null,
          info -> units(info, state),
          "inventory",
          name,
          "state",
          state);
    }
    stock.gauge(
        registry,
        "sluice.inventory.claims.waiting",
        "Claims that wait for a drain or are with one",
        null,
        InventoryInfo::waiting,
        "inventory",
        name);
    stock.gauge(
        registry,
        "sluice.inventory.lag",
        "How long the oldest waiting claim has waited",
        "seconds",
        info -> info.lag().toMillis() / 1000.0,
        "inventory",
        name);
  }

  private static long units(InventoryInfo info, String state) {
    return switch (state) {
      case "left" -> info.left();
      case "queued" -> info.queued();
      case "held" -> info.held();
      case "confirmed" -> info.confirmed();
      default -> info.deadLetters();
    };
  }
}
