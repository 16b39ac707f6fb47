package dev.sluice.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MemoryGuardTest {
  private static final FencingToken FIRST = FencingToken.parse("1:a.1");
  private static final FencingToken SECOND = FencingToken.parse("2:b.1");

  private final MemoryGuard guard = MemoryGuard.create();

  @Test
  void anAccessOfAStaleHolderDoesNotRun() throws Exception {
    guard.access("x", SECOND, () -> "done");
    assertThatThrownBy(
            () ->
                guard.access(
                    "x",
                    FIRST,
                    () -> {
                      throw new AssertionError("must not run");
                    }))
        .isInstanceOf(StaleTokenException.class);
    assertThat(guard.stats()).isEqualTo(new GuardStats(1, 1));
  }

  @Test
  void whatAnAccessThrowsComesThroughAndTheGuardStaysRaised() {
    assertThatThrownBy(
            () ->
                guard.access(
                    "x",
                    SECOND,
                    () -> {
                      throw new IOException("disk full");
                    }))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> guard.advance("x", FIRST)).isInstanceOf(StaleTokenException.class);
  }

  /** Between the decision and the access nobody comes in, however long the access takes. */
  @Test
  void aLaterHolderWaitsForAnAccessUnderWay() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    StringBuilder written = new StringBuilder();
    FutureTask<Object> slow =
        new FutureTask<>(
            () ->
                guard.access(
                    "x",
                    FIRST,
                    () -> {
                      inside.countDown();
                      assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
                      return written.append("first ");
                    }));
    start(slow);
    assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
    FutureTask<Object> next =
        new FutureTask<>(() -> guard.access("x", SECOND, () -> written.append("second")));
    start(next);
    guard.advance("another", FIRST); // not held up

    goOn.countDown();
    slow.get(60, TimeUnit.SECONDS);
    next.get(60, TimeUnit.SECONDS);
    assertThat(written.toString()).isEqualTo("first second");
  }

  private static void start(FutureTask<?> task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void whatIsForgottenBeginsAnew() {
    guard.advance("x", SECOND);
    assertThat(guard.size()).isEqualTo(1);
    guard.forget("x");
    guard.forget("never seen");
    assertThat(guard.size()).isZero();
    guard.advance("x", FIRST);
  }
}
