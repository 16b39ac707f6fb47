package dev.sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.systems.Habit;
import dev.sluice.bench.systems.LockSystem;
import dev.sluice.bench.systems.Mutex;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checker is checked: a lock that lets everybody in must be noticed. */
class CrewTest {
  private static final int THREADS = 4;

  @TempDir Path folder;

  @Test
  void aLockThatExcludesLosesNothing() throws Exception {
    SharedPage page = SharedPage.map(folder.resolve("page"));

    Reply.Outcome outcome = work(new Jvm(true), page);

    assertThat(outcome.total()).isPositive();
    assertThat(outcome.measured()).isPositive();
    assertThat(outcome.perThread()).hasSize(THREADS);
    assertThat(outcome.waits().getTotalCount()).isEqualTo(outcome.measured());
    Bench.checkExclusion("fair", "lock", outcome.total(), page.count());
  }

  @Test
  void aLockThatLetsEverybodyInIsNoticed() throws Exception {
    SharedPage page = SharedPage.map(folder.resolve("page"));

    Reply.Outcome outcome = work(new Jvm(false), page);

    assertThatThrownBy(() -> Bench.checkExclusion("broken", "lock", outcome.total(), page.count()))
        .isInstanceOf(Bench.ExclusionBrokenException.class)
        .hasMessageContaining("broken: ");
  }

  @Test
  void anErrorOfALibraryIsReported() throws Exception {
    SharedPage page = SharedPage.map(folder.resolve("page"));
    Crew crew =
        new Crew(
            new Jvm(true) {
              @Override
              public Mutex mutex(String name, Habit habit) {
                return new Mutex() {
                  @Override
                  public void acquire() {
                    throw new IllegalStateException("no server");
                  }

                  @Override
                  public void release() {}
                };
              }
            },
            start(),
            page);
    crew.start();

    assertThat(crew.stop())
        .isEqualTo(new Reply.Failed("lock: java.lang.IllegalStateException: no server"));
  }

  private static Reply.Outcome work(LockSystem system, SharedPage page) throws Exception {
    Crew crew = new Crew(system, start(), page);
    crew.start();
    crew.measure();
    long enough = page.count() + 500_000;
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (page.count() < enough && System.nanoTime() - until < 0) {
      Thread.onSpinWait();
    }
    crew.pause();
    return (Reply.Outcome) crew.stop();
  }

  private static Order.Start start() {
    return new Order.Start(Pattern.ONE_LOCK, Habit.PLAIN, "lock", 1, THREADS, 1, "");
  }

  /** A lock of this JVM, or the pretence of one. */
  private static class Jvm implements LockSystem {
    private final ReentrantLock lock = new ReentrantLock();
    private final boolean excludes;

    Jvm(boolean excludes) {
      this.excludes = excludes;
    }

    @Override
    public Mutex mutex(String name, Habit habit) {
      return new Mutex() {
        @Override
        public void acquire() {
          if (excludes) {
            lock.lock();
          }
        }

        @Override
        public void release() {
          if (excludes) {
            lock.unlock();
          }
        }
      };
    }

    @Override
    public void close() {}
  }
}
