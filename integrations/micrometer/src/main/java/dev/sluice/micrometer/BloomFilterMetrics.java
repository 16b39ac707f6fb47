package dev.sluice.micrometer;

import static java.util.Objects.requireNonNull;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomInfo;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The state of a Bloom filter, for Micrometer's meters. Needs {@code micrometer-core}, which the
 * application brings.
 *
 * <ul>
 *   <li>{@code sluice.bloom.elements}: elements, estimated by the bits that are set.
 *   <li>{@code sluice.bloom.fill}: share of the bits that are set, 0 to 1; about 0.5 when the
 *       filter holds what it was made for.
 *   <li>{@code sluice.bloom.false.positive.rate}: the rate that these bits give, 0 to 1.
 *   <li>{@code sluice.bloom.partitions.missing}: partitions that are gone; their elements answer
 *       "maybe".
 * </ul>
 *
 * <p>All carry the tag {@code filter}, its name. The numbers are the store's, so one process is
 * enough. A reading does not block. It shows the last answer of the store. If that is older than
 * ten seconds, it requests another. It is NaN without an answer, and if the filter does not exist.
 *
 * <pre>{@code
 * BloomFilterMetrics.of(filter).bindTo(registry);
 * }</pre>
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public final class BloomFilterMetrics implements MeterBinder {
  private final BloomFilter<?> filter;

  private BloomFilterMetrics(BloomFilter<?> filter) {
    this.filter = filter;
  }

  /**
   * Meters of a filter.
   *
   * @param filter the filter
   * @return what binds them
   */
  public static BloomFilterMetrics of(BloomFilter<?> filter) {
    return new BloomFilterMetrics(requireNonNull(filter, "filter must not be null"));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    StoreSample<Optional<BloomInfo>> sample =
        new StoreSample<>(registry.config().clock(), () -> filter.async().info());
    gauge(
        registry,
        sample,
        "sluice.bloom.elements",
        "Elements, estimated by the bits that are set",
        BloomInfo::approximateCount);
    gauge(registry, sample, "sluice.bloom.fill", "Share of the bits that are set", BloomInfo::fill);
    gauge(
        registry,
        sample,
        "sluice.bloom.false.positive.rate",
        "Rate of false positives that the bits give",
        BloomInfo::currentFalsePositiveRate);
    gauge(
        registry,
        sample,
        "sluice.bloom.partitions.missing",
        "Partitions that are gone",
        BloomInfo::missingPartitions);
  }

  private void gauge(
      MeterRegistry registry,
      StoreSample<Optional<BloomInfo>> sample,
      String name,
      String description,
      ToDoubleFunction<BloomInfo> number) {
    sample.gauge(
        registry,
        name,
        description,
        null,
        found -> found.map(number::applyAsDouble).orElse(Double.NaN),
        "filter",
        filter.name());
  }
}
