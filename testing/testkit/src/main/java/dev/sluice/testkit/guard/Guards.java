package dev.sluice.testkit.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.GuardStats;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.spi.LockProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Tests of every guard. Each test gets a guard that has seen nothing.
 *
 * @since 0.1
 */
public interface Guards {
  String RESOURCE = "accounts/{7}";

  /** {@return the guard of this test, the same object each time} */
  Guard guard();

  /** {@return a number that is stored beside the guard, or guarded by its steps; 0 at first} */
  Register register();

  /** A number at the resource. Each access is one step with the guard's decision. */
  interface Register {
    /** Raises the guard and reads; throws {@link StaleTokenException} after a later holder. */
    long read(FencingToken token);

    /** Raises the guard and writes; throws {@link StaleTokenException} and writes nothing. */
    void write(FencingToken token, long value);
  }

  private FencingToken token(long value, String attempt) {
    return new FencingToken(value, attempt);
  }

  private void refused(String resource, FencingToken token, FencingToken highest) {
    assertThatThrownBy(() -> guard().advance(resource, token))
        .isInstanceOfSatisfying(
            StaleTokenException.class,
            refusal -> {
              assertThat(refusal.resource()).isEqualTo(resource);
              assertThat(refusal.refused()).isEqualTo(token);
              assertThat(refusal.highest()).isEqualTo(highest);
            });
    assertThatThrownBy(() -> guard().check(resource, token))
        .isInstanceOf(StaleTokenException.class);
  }

  @Test
  default void aLowerTokenIsRefusedAndTheSameOneAdmittedAgain() {
    FencingToken first = token(17, "a.1");
    FencingToken second = token(18, "b.1");
    guard().advance(RESOURCE, first);
    guard().advance(RESOURCE, first);
    guard().check(RESOURCE, first);
    guard().advance(RESOURCE, second);

    refused(RESOURCE, first, second);
    guard().check(RESOURCE, second);
    guard().advance(RESOURCE, second);
    assertThat(guard().stats()).isEqualTo(new GuardStats(6, 2));
  }

  @Test
  default void theSameTokenOfAnotherAttemptIsRefused() {
    FencingToken first = token(17, "a.1");
    guard().advance(RESOURCE, first);

    refused(RESOURCE, token(17, "a.2"), first);
    refused(RESOURCE, token(17, "A.1"), first);
    refused(RESOURCE, token(17, "a.10"), first);
    guard().advance(RESOURCE, first);
    guard().advance(RESOURCE, token(18, "a.2"));
  }

  @Test
  default void tokensAreComparedToTheLastBit() {
    FencingToken last = token(LockProtocol.MAX_TOKEN, "a.1");
    FencingToken lastButOne = token(LockProtocol.MAX_TOKEN - 1, "b.1");
    guard().advance(RESOURCE, token(9, "c.1"));
    guard().advance(RESOURCE, token(10, "c.2"));
    guard().advance(RESOURCE, lastButOne);
    guard().advance(RESOURCE, last);

    refused(RESOURCE, lastButOne, last);
    refused(RESOURCE, token(10, "c.2"), last);
    guard().advance(RESOURCE, last);
  }

  /** A client that checks without advancing could be overtaken unnoticed. */
  @Test
  default void aCheckWantsTheGuardToBeRaisedByThisSection() {
    assertThatThrownBy(() -> guard().check(RESOURCE, token(5, "a.1")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("first access");
    guard().advance(RESOURCE, token(5, "a.1"));
    assertThatThrownBy(() -> guard().check(RESOURCE, token(6, "b.1")))
        .isInstanceOf(IllegalStateException.class);
    guard().check(RESOURCE, token(5, "a.1"));
    refused(RESOURCE, token(4, "c.1"), token(5, "a.1"));
  }

  @Test
  default void resourcesAreApartHoweverAlikeTheirNames() {
    List<String> names =
        List.of(
            "a",
            "A",
            "a ",
            " a",
            "ä",
            "a\u0308",
            "a%",
            "a%25",
            "{a}",
            "a\n",
            "a\0",
            "锁",
            "\uD83D\uDD12",
            "x".repeat(512),
            "x".repeat(511),
            "'; --",
            "\\",
            "\"");
    for (int i = 0; i < names.size(); i++) {
      guard().advance(names.get(i), token(100 - i, "a." + i));
    }
    for (int i = 0; i < names.size(); i++) {
      FencingToken kept = token(100 - i, "a." + i);
      guard().check(names.get(i), kept);
      refused(names.get(i), token(99 - i, "b.1"), kept);
    }
  }

  @Test
  default void badNamesAreMisuse() {
    for (String name : new String[] {"", "x".repeat(513), "\uD800"}) {
      assertThatThrownBy(() -> guard().advance(name, token(1, "a")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> guard().check(name, token(1, "a")))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** The guard in memory is the reference. */
  @Test
  default void decidesAsTheReferenceDoes() {
    long seed = Long.getLong("sluice.guard.seed", System.nanoTime());
    Random random = new Random(seed);
    Guard reference = MemoryGuard.create();
    for (int i = 0; i < 400; i++) {
      String resource = "r" + random.nextInt(3);
      FencingToken token = token(1 + i / 20 + random.nextInt(6), "c." + random.nextInt(2));
      boolean advance = random.nextInt(3) > 0;
      assertThat(answer(guard(), advance, resource, token))
          .as("step %d, seed %d: %s of %s at %s", i, seed, advance, token, resource)
          .isEqualTo(answer(reference, advance, resource, token));
    }
    assertThat(guard().stats()).isEqualTo(reference.stats());
  }

  private String answer(Guard guard, boolean advance, String resource, FencingToken token) {
    try {
      if (advance) {
        guard.advance(resource, token);
      } else {
        guard.check(resource, token);
      }
      return "admitted";
    } catch (StaleTokenException | IllegalStateException failure) {
      return String.valueOf(failure.getMessage());
    }
  }

  @Test
  default void amongManyAtOnceTheHighestStays() throws Exception {
    int threads = 6;
    int rounds = 30;
    CyclicBarrier together = new CyclicBarrier(threads);
    List<Callable<Long>> work = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      String client = "t" + t;
      Random random = new Random(t);
      work.add(
          () -> {
            long highest = 0;
            for (int i = 0; i < rounds; i++) {
              together.await(60, TimeUnit.SECONDS);
              FencingToken token = token(1 + 10L * i + random.nextInt(12), client + "." + i);
              try {
                guard().advance(RESOURCE, token);
                highest = Math.max(highest, token.value());
              } catch (StaleTokenException refusal) {
                assertThat(refusal.highest().admits(token)).isFalse();
                assertThat(refusal.highest()).isNotEqualTo(token);
              }
            }
            return highest;
          });
    }
    long highest = together(work).stream().mapToLong(Long::longValue).max().orElseThrow();

    assertThatThrownBy(() -> guard().advance(RESOURCE, token(highest, "nobody")))
        .isInstanceOf(StaleTokenException.class);
    guard().advance(RESOURCE, token(highest + 1, "nobody"));
    assertThat(guard().stats().admitted() + guard().stats().refused())
        .isEqualTo((long) threads * rounds + 2);
  }

  /** Sections without a lock, each with a higher token than the earlier ones. */
  @Test
  default void noUpdateIsLostEvenIfEveryLeaseEndsAtOnce() throws Exception {
    int threads = 4;
    int rounds = 40;
    AtomicLong tokens = new AtomicLong();
    AtomicLong written = new AtomicLong();
    List<Callable<Long>> work = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      String client = "t" + t;
      Random random = new Random(t);
      work.add(
          () -> {
            for (int i = 0; i < rounds; i++) {
              FencingToken token = token(tokens.incrementAndGet(), client + "." + i);
              try {
                long seen = register().read(token);
                if (random.nextBoolean()) {
                  Thread.yield(); // the pause that no lease survives
                }
                register().write(token, seen + 1);
                written.incrementAndGet();
              } catch (StaleTokenException refusal) {
                assertThat(refusal.highest().value()).isGreaterThan(token.value());
              }
            }
            return 0L;
          });
    }
    together(work);

    assertThat(register().read(token(tokens.incrementAndGet(), "last")))
        .as("the register after %d accepted writes", written.get())
        .isEqualTo(written.get());
    assertThat(written.get()).isPositive();
  }

  private List<Long> together(List<Callable<Long>> work)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<FutureTask<Long>> tasks = work.stream().map(FutureTask::new).toList();
    for (FutureTask<Long> task : tasks) {
      Thread thread = new Thread(task, "guard-contract");
      thread.setDaemon(true);
      thread.start();
    }
    List<Long> results = new ArrayList<>();
    for (FutureTask<Long> task : tasks) {
      results.add(task.get(120, TimeUnit.SECONDS));
    }
    return results;
  }
}
