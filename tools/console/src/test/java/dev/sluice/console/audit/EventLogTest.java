package dev.sluice.console.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The merging of equal events, and the eviction of old ones. */
class EventLogTest {
  private static final long MINUTE = 60_000;

  private long now = 1_000 * MINUTE;
  private final EventLog events = new EventLog(() -> now);

  private List<Map<String, Object>> newest() {
    return events.newest(1_000);
  }

  private void lost(String lock, String process, int count) {
    events.add(
        "warning", "lock.lost", "name", lock, "process", process, "count", Integer.toString(count));
  }

  @Test
  void lossesOfALockWithinAMinuteAreOneEvent() {
    lost("a", "orders-1", 1);
    events.add("info", "store.back");
    lost("b", "orders-1", 1);
    now += MINUTE - 1;
    lost("a", "orders-2", 2);
    lost("a", "orders-1", 1);

    assertThat(newest()).hasSize(3);
    assertThat(newest().get(0))
        .containsEntry("since", 1_000 * MINUTE)
        .containsEntry("at", now)
        .containsEntry("times", 3)
        .containsEntry("with", Map.of("name", "a", "process", "orders-1, orders-2", "count", "4"));
    now += 1;
    lost("a", "orders-1", 1);
    assertThat(newest()).as("another minute").hasSize(4);
    assertThat(newest().get(0)).containsEntry("times", 1);
  }

  @Test
  void manyProcessesAreNotAllNamed() {
    for (int i = 1; i <= 9; i++) {
      lost("a", "orders-" + i, 1);
    }
    assertThat(newest())
        .singleElement()
        .satisfies(
            event ->
                assertThat(event.get("with").toString())
                    .contains("process=orders-1, orders-2, orders-3, …,"));
  }

  @Test
  void aLockThatIsLostAllTheTimePushesNothingOut() {
    events.add("info", "store.back");
    for (int i = 0; i < 10_000; i++) {
      lost("a", "orders-1", 1);
      now += 10;
    }
    assertThat(newest()).hasSizeBetween(3, 4).last().satisfies(this::isStoreBack);
  }

  private void isStoreBack(Map<String, Object> event) {
    assertThat(event).containsEntry("kind", "store.back");
  }

  @Test
  void noiseOfManyNamesIsBoundedAndLeavesEveryChange() {
    for (int i = 0; i < 200; i++) {
      events.add(true, "info", "audit", "name", "same", "outcome", "done");
    }
    for (int i = 0; i < 1_000; i++) {
      lost("lock-" + i, "orders-1", 1);
    }
    assertThat(newest()).hasSize(400);
    assertThat(newest()).filteredOn(event -> event.get("kind").equals("audit")).hasSize(200);
  }
}
