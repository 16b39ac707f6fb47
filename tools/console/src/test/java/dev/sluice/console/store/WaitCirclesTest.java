package dev.sluice.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lock.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Waits that are circles, and waits that only look like circles. */
class WaitCirclesTest {
  private static final long SETTLED = WaitCircles.SETTLED_MILLIS;

  private final WaitCircles circles = new WaitCircles();

  /** A lock of one process for which others wait, each with its first attempt. */
  private static LockInfo lock(String name, long token, String holder, String... waiters) {
    return new LockInfo(
        name,
        Optional.of(new LockInfo.Holder(holder, 1, token, Instant.EPOCH, Duration.ofSeconds(30))),
        Arrays.stream(waiters).map(waiter -> new LockInfo.Waiter(waiter, 1)).toList(),
        token);
  }

  private List<List<String>> find(long now, LockInfo... locks) {
    return circles.find(List.of(locks), now).stream()
        .map(circle -> circle.stream().flatMap(step -> step.locks().stream()).sorted().toList())
        .toList();
  }

  @Test
  void twoThatWaitForEachOtherAreFoundWhenItLasts() {
    LockInfo a = lock("a", 7, "one", "x", "two");
    LockInfo b = lock("b", 8, "two", "one");
    assertThat(find(0, a, b)).isEmpty();
    assertThat(find(SETTLED - 1, a, b)).isEmpty();
    assertThat(find(SETTLED, a, b)).containsExactly(List.of("a", "b"));
  }

  @Test
  void threeInACircleAreFoundAndALongerOneIsNotToldTwice() {
    LockInfo a = lock("a", 7, "one", "three");
    LockInfo b = lock("b", 8, "two", "one");
    LockInfo c = lock("c", 9, "three", "two");
    find(0, a, b, c);
    assertThat(find(SETTLED, a, b, c)).containsExactly(List.of("a", "b", "c"));
  }

  @Test
  void whatMovesOnIsNoCircle() {
    find(0, lock("a", 7, "one", "two"), lock("b", 8, "two", "one"));
    assertThat(find(SETTLED, lock("a", 9, "one", "two"), lock("b", 8, "two", "one")))
        .as("another grant")
        .isEmpty();
    find(2 * SETTLED, lock("a", 9, "one"), lock("b", 8, "two", "one"));
    assertThat(find(3 * SETTLED, lock("a", 9, "one", "two"), lock("b", 8, "two", "one")))
        .as("another wait")
        .isEmpty();
  }

  @Test
  void aLineIsNoCircle() {
    LockInfo own = lock("own", 1, "one", "one");
    LockInfo a = lock("a", 7, "one", "two", "three");
    LockInfo b = lock("b", 8, "two", "three");
    LockInfo nobodys = lock("d", 9, "-", "one");
    LockInfo free = new LockInfo("e", Optional.empty(), List.of(new LockInfo.Waiter("one", 3)), 5);
    find(0, own, a, b, nobodys, free);
    assertThat(find(SETTLED, own, a, b, nobodys, free)).isEmpty();
  }

  @Test
  void itIsToldWithTheNamesOfProcesses() {
    LockInfo a = lock("a", 7, "c1", "c2");
    LockInfo b = lock("b", 8, "c2", "c1");
    circles.find(List.of(a, b), 0);
    List<WaitCircles.Step> circle = circles.find(List.of(a, b), SETTLED).get(0);
    assertThat(
            WaitCircles.finding(
                circle, client -> "orders-" + client.charAt(1), lock -> "sluice unlock " + lock))
        .satisfies(
            finding -> {
              assertThat(finding.where()).isEqualTo("'a', 'b'");
              assertThat(finding.what())
                  .contains("orders-1 waits for 'b', which orders-2 holds")
                  .contains("orders-2 waits for 'a', which orders-1 holds");
              assertThat(finding.fix()).isEqualTo("sluice unlock b");
            });
  }

  @Test
  void ofSeveralLocksAllAreNamedAndTheFixIsForOneThatMustBePartOfIt() {
    LockInfo[] locks = {
      lock("a", 7, "one", "two"), lock("b", 8, "two", "one"), lock("also", 9, "one", "two")
    };
    find(0, locks);
    assertThat(find(SETTLED, locks)).containsExactly(List.of("a", "also", "b"));
    assertThat(
            WaitCircles.finding(
                circles.find(List.of(locks), SETTLED).get(0), client -> client, lock -> lock))
        .satisfies(
            finding -> {
              assertThat(finding.what()).contains("two waits for 'a', 'also', which one holds");
              assertThat(finding.fix()).isEqualTo("b");
            });
  }
}
