package dev.sluice.verification.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cache.Consistency;
import dev.sluice.spi.Backend;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * Guarded caches between many processes and a SQL database keep their promises at random, and the
 * usual ways to keep a cache do not. {@code -Dsluice.cache.operations=1000000} makes runs long, and
 * {@code -Dsluice.cache.seed} others.
 */
public abstract class CacheRunContract {
  private static final Set<Verb> ANY =
      EnumSet.of(
          Verb.READ,
          Verb.BEGIN,
          Verb.KEEP,
          Verb.FILL,
          Verb.ABANDON,
          Verb.INTEND,
          Verb.INVALIDATE,
          Verb.APPEND,
          Verb.LOG);
  private static final Set<Verb> READING =
      EnumSet.of(Verb.READ, Verb.BEGIN, Verb.KEEP, Verb.FILL, Verb.ABANDON, Verb.LOG);
  private static final Duration NEAR_BOUND = Duration.ofMillis(200);
  private static final long PLANTED_OPERATIONS = 300_000;

  private final long operations = Long.getLong("sluice.cache.operations", operations());
  private final long seed = Long.getLong("sluice.cache.seed", System.nanoTime());

  /** {@return how many operations a run of the build has} */
  protected abstract long operations();

  /** {@return a new connection to the store, as another process would have} */
  protected abstract Backend connect();

  /** {@return a database of which every connection sees what is committed} */
  protected abstract DataSource database();

  /**
   * Lets the store forget what guards a row.
   *
   * @param key the row
   */
  protected abstract void forget(int key);

  @Test
  void strongWhileWritersDieAndLinesFail() {
    CacheRun.Report report =
        run(strong(Scheme.GUARDED).faults(ANY).crashes(), "strong, writers die");
    assertThat(report.crashes()).isPositive();
  }

  @Test
  void strongWhileTheStoreForgets() {
    run(strong(Scheme.GUARDED).evicts(this::forget).faults(READING), "strong, the store forgets");
  }

  @Test
  void strongInOneQueue() {
    CacheRun run =
        run(Scheme.GUARDED)
            .with(builder -> builder.consistency(Consistency.STRONG).serial())
            .faults(READING);
    judge(run.run(operations / 10, false, seed), "strong, serial");
  }

  @Test
  void eventualComesToRest() {
    CacheRun eventual = run(Scheme.GUARDED).bound(Duration.ofDays(1)).faults(ANY);
    run(eventual, "eventual");
  }

  @Test
  void nearTierIsNeverOlderThanItsBound() {
    CacheRun near =
        run(Scheme.GUARDED)
            .with(builder -> builder.near(100).nearStaleness(NEAR_BOUND))
            .bound(NEAR_BOUND)
            .oneWrites()
            .faults(READING);
    run(near, "near tier");
  }

  @Test
  void deletingFirstIsCaught() {
    caught(Scheme.DELETE_FIRST);
  }

  @Test
  void deletingAfterwardsIsCaught() {
    caught(Scheme.DELETE_AFTER);
  }

  @Test
  void deletingTwiceIsCaught() {
    caught(Scheme.DOUBLE_DELETE);
  }

  @Test
  void updatingTheCacheIsCaught() {
    caught(Scheme.UPDATE_AFTER);
  }

  @Test
  void writingThroughIsCaught() {
    caught(Scheme.WRITE_THROUGH);
  }

  private CacheRun run(Scheme scheme) {
    return new CacheRun(this::connect, new VersionedTable(database(), CacheRun.keys()), scheme);
  }

  private CacheRun strong(Scheme scheme) {
    return run(scheme).with(builder -> builder.consistency(Consistency.STRONG));
  }

  private CacheRun.Report run(CacheRun run, String name) {
    return judge(run.run(operations, false, seed), name);
  }

  private CacheRun.Report judge(CacheRun.Report report, String name) {
    System.out.println(name + ", seed " + seed + ": " + report);
    assertThat(report.violations()).as("seed %d", seed).isEmpty();
    assertThat(report.wrong()).isZero();
    assertThat(report.hits()).as("a run without hits shows nothing").isPositive();
    assertThat(report.refused()).as("nor one without a race").isPositive();
    assertThat(report.failed()).isLessThan(report.operations() / 5 + 100);
    return report;
  }

  private void caught(Scheme scheme) {
    CacheRun.Report report = run(scheme).run(PLANTED_OPERATIONS, true, seed);
    System.out.println(scheme + " after " + report.operations() + ": " + report.violations());
    assertThat(report.wrong()).isPositive();
  }
}
