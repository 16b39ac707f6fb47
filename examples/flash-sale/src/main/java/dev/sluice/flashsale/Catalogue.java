package dev.sluice.flashsale;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.CacheStats;
import dev.sluice.cache.GuardedCache;
import dev.sluice.cache.JacksonCodec;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/**
 * The product page: rows of the database behind a cache that loads each one once, and behind a
 * Bloom filter that knows which ids there are.
 */
@RestController
final class Catalogue {
  static final int MAX_IDS = 2_000;

  /** No product has such an id. */
  private static final long FIRST_ABSENT = 1_000_000_000_000L;

  private final JdbcTemplate jdbc;
  private final GuardedCache<Long, Product> products;
  private final AtomicLong queries = new AtomicLong();

  /** The ledger is asked for first: it makes the tables. */
  Catalogue(JdbcTemplate jdbc, Ledger ledger, Sluice sluice, JsonMapper json) {
    this.jdbc = jdbc;
    BloomFilter<Long> ids =
        sluice.bloomFilter("sale-products", Funnel.longs(), BloomSpec.of(10_000, 0.001));
    ids.create();
    ids.addAll(jdbc.queryForList("SELECT id FROM products", Long.class));
    this.products =
        GuardedCache.create(
            sluice,
            "sale-products",
            CacheOptions.of(Long.class, JacksonCodec.of(json, Product.class))
                .ttl(Duration.ofMinutes(10))
                .near(1_000)
                .existsIn(ids),
            this::query);
  }

  /** A product on the page. */
  record Product(long id, String name, int cents) {}

  /**
   * Counters of this instance since it started.
   *
   * @param queries how often it asked the database
   * @param hits reads answered by a copy here, or by the store
   * @param guarded ids that the filter answered
   */
  record Reading(long queries, long hits, long guarded) {}

  /**
   * The result of requests for ids that do not exist.
   *
   * @param queries how many of them reached the database
   */
  record Absent(int ids, long queries, long guarded, double millis) {}

  @GetMapping("/product/{id}")
  ResponseEntity<Product> product(@PathVariable long id) {
    return ResponseEntity.of(products.get(id));
  }

  private @Nullable Product query(long id) {
    queries.incrementAndGet();
    List<Product> rows =
        jdbc.query(
            "SELECT id, name, cents FROM products WHERE id = ?",
            (row, n) -> new Product(row.getLong(1), row.getString(2), row.getInt(3)),
            id);
    return rows.isEmpty() ? null : rows.get(0);
  }

  /** Asks for so many ids that do not exist, through the cache or past it. */
  @PostMapping("/product/absent")
  Absent absent(
      @RequestParam(name = "ids", defaultValue = "2000") int count,
      @RequestParam(defaultValue = "true") boolean guarded) {
    if (count < 1 || count > MAX_IDS) {
      throw new IllegalArgumentException("ids must be 1 to " + MAX_IDS + ": " + count);
    }
    Set<Long> ids = new LinkedHashSet<>();
    while (ids.size() < count) {
      ids.add(ThreadLocalRandom.current().nextLong(FIRST_ABSENT, Long.MAX_VALUE));
    }
    Reading before = read();
    long start = System.nanoTime();
    if (guarded) {
      products.getAll(ids);
    } else {
      ids.forEach(this::query);
    }
    long nanos = System.nanoTime() - start;
    Reading after = read();
    return new Absent(
        count, after.queries() - before.queries(), after.guarded() - before.guarded(), nanos / 1e6);
  }

  Reading read() {
    CacheStats stats = products.stats();
    return new Reading(queries.get(), stats.nearHits() + stats.hits(), stats.guarded());
  }
}
