package dev.sluice.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inventory.ClaimState;
import dev.sluice.redis.ClusterStore;
import dev.sluice.redis.PlantedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.command.Script;
import dev.sluice.servers.RedisCluster;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.ClaimMark;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimRow;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.InventoryBackend.Verdict;
import dev.sluice.spi.LatchReply;
import dev.sluice.spi.NoteBackend;
import dev.sluice.spi.QueueRequest;
import dev.sluice.spi.SaleTerms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * While a slot is on its way, Redis lets a script use no key that is missing, not even one that the
 * script has just removed. So no script removes a key and writes it again. Time is what a test
 * says.
 */
@Timeout(300)
class MovingSlotIT {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofMinutes(1));
  private static final long NOW = 1_795_201_234_000_000L;
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3_600 * SECOND;
  private static final String CLOCK = "redis.call('TIME')";

  private final RedisCluster cluster = ClusterStore.cluster();
  private final List<RedisBackend> opened = new ArrayList<>();
  private final RedisBackend now = at(NOW);

  @BeforeEach
  void empty() {
    cluster.flush();
  }

  @AfterEach
  void close() {
    opened.forEach(RedisBackend::close);
  }

  /** A backend whose clock stands still. */
  private RedisBackend at(long micros) {
    RedisBackend backend =
        PlantedRedis.over(
            Connector.connect(cluster.uri(), SETTINGS), text -> text.replace(CLOCK, clock(micros)));
    opened.add(backend);
    return backend;
  }

  private static String clock(long micros) {
    return "{ " + micros / SECOND + ", " + micros % SECOND + " }";
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(2, TimeUnit.MINUTES).join();
  }

  /** Does something while the slot of a key is on its way. */
  private void onTheWay(String key, Runnable step) {
    int slot = cluster.slot(key);
    RedisServer from = cluster.masterOf(slot);
    RedisServer to = cluster.masters().stream().filter(m -> m != from).findFirst().orElseThrow();
    cluster.beginMove(slot, to);
    try {
      step.run();
    } finally {
      cluster.moveKeys(slot, to);
      cluster.endMove(slot, to);
    }
  }

  // ---- paced turns ----

  private static QueueRequest turn(long ticket) {
    return new QueueRequest("q", "u", "a", ticket, 1, HOUR, 9, 9 * HOUR);
  }

  @Test
  void aTurnIsGivenBehindTheLastThatHasCome() {
    RedisBackend later = at(NOW + HOUR + 1);
    get(now.limits().enter(turn(1)));
    get(now.limits().enter(turn(2)));
    onTheWay(
        "sl:{q:u}:q",
        () -> assertThat(get(later.limits().enter(turn(3))).delay()).isEqualTo(HOUR - 1));
    assertThat(get(later.limits().leave(turn(3)))).as("it waits").isTrue();
    assertThat(get(later.limits().enter(turn(4))).delay()).as("2 is kept").isEqualTo(HOUR - 1);
  }

  @Test
  void theLastTurnIsLeftWhenNothingElseIsDue() {
    RedisBackend later = at(NOW + HOUR + 1);
    for (int i = 1; i <= 3; i++) {
      get(now.limits().enter(turn(i)));
    }
    get(now.limits().leave(turn(2)));
    onTheWay("sl:{q:u}:q", () -> assertThat(get(later.limits().leave(turn(3)))).isTrue());
  }

  // ---- the wait queue of a lock ----

  private static GrantRequest request(String client, long attempt) {
    return new GrantRequest("x", client, attempt, HOUR, 1, true);
  }

  /** One holder, one waiter, and every key that a lock may have. */
  private void holdAndWait() {
    for (String earlier : List.of("c", "d")) {
      get(now.locks().acquire(request(earlier, 1)));
      get(now.locks().release(new GrantAttempt.Id("x", earlier, 1), 0));
    }
    get(now.locks().acquire(request("holder", 1)));
    assertThat(get(now.locks().acquire(request("waiter", 1))))
        .isInstanceOf(GrantReply.Queued.class);
  }

  private List<String> waiters(RedisBackend backend) {
    return get(backend.locks().inspect("x")).asLock().waiters().stream()
        .map(w -> w.client())
        .toList();
  }

  @Test
  void aWaiterTakesThePlaceOfTheLastDeadOne() {
    RedisBackend later = at(NOW + 2 * SECOND);
    holdAndWait();
    onTheWay(
        "sl:{x}:lock",
        () ->
            assertThat(get(later.locks().acquire(request("next", 1))))
                .isEqualTo(new GrantReply.Queued(0, HOUR - 2 * SECOND)));
    assertThat(waiters(later)).containsExactly("next");
  }

  @Test
  void theOnlyWaiterBeginsAnotherAttempt() {
    holdAndWait();
    onTheWay(
        "sl:{x}:lock",
        () ->
            assertThat(get(now.locks().acquire(request("waiter", 2))))
                .isEqualTo(new GrantReply.Queued(0, HOUR)));
    assertThat(waiters(now)).containsExactly("waiter");
    assertThat(get(now.locks().release(new GrantAttempt.Id("x", "holder", 1), 0))).isTrue();
    assertThat(get(now.locks().acquire(request("waiter", 2))))
        .isInstanceOf(GrantReply.Granted.class);
  }

  @Test
  void aWaiterIsHandedTheLockWhileAnotherBeginsToWait() {
    RedisBackend later = at(NOW + SECOND);
    holdAndWait();
    get(
        now.locks()
            .delay()
            .orElseThrow()
            .releaseAfter(new GrantAttempt.Id("x", "holder", 1), SECOND / 2));
    onTheWay(
        "sl:{x}:lock",
        () ->
            assertThat(get(later.locks().acquire(request("next", 1))))
                .isInstanceOf(GrantReply.Queued.class));
    assertThat(waiters(later)).containsExactly("next");
    assertThat(get(later.locks().acquire(request("waiter", 1))))
        .isInstanceOf(GrantReply.Granted.class);
  }

  // ---- stock ----

  @Test
  void aHoldBeginsWhenTheLastOneEnds() {
    RedisBackend later = at(NOW + 2 * SECOND);
    get(now.inventories().open("s", new SaleTerms(1, 9, SECOND, true, 0, NOW + HOUR)));
    List<ClaimRequest> requests = new ArrayList<>();
    List.of("a", "b", "c").forEach(who -> requests.add(new ClaimRequest(who, 1, "r")));
    get(now.inventories().claim("s", requests));
    List<ClaimMark> marks = new ArrayList<>();
    for (ClaimRow row : get(now.inventories().take("s", "w", 9, HOUR))) {
      marks.add(new ClaimMark(row.claimant(), row.id()));
    }
    get(now.inventories().settle("s", "w", marks.subList(0, 1), Verdict.WRITTEN, ""));
    get(now.inventories().settle("s", "w", marks.subList(2, 3), Verdict.DEAD_LETTER, "why"));
    onTheWay(
        "sl:{s}:stock",
        () -> {
          List<ClaimMark> first = marks.subList(0, 2);
          assertThat(get(later.inventories().settle("s", "w", first, Verdict.WRITTEN, "")))
              .isEqualTo(1);
        });
    assertThat(get(later.inventories().find("s", "a")).state()).isEqualTo(ClaimState.RETURNED);
    assertThat(get(later.inventories().find("s", "b")).state()).isEqualTo(ClaimState.HELD);
    assertThat(get(at(NOW + 4 * SECOND).inventories().expire("s", 9))).isEqualTo(1);
  }

  // ---- latches ----

  @Test
  void aLatchThatIsGoneIsSetAgain() {
    RedisBackend later = at(NOW + 2 * SECOND);
    get(now.latches().trySet("l", "a", 1, 3, SECOND));
    get(now.latches().look("l", "w"));
    onTheWay(
        "sl:{l}:latch",
        () -> assertThat(get(later.latches().trySet("l", "b", 1, 2, HOUR))).isTrue());
    assertThat(get(later.latches().look("l", "")).count()).isEqualTo(2);
    assertThat(get(later.latches().trySet("l", "a", 1, 3, SECOND))).as("forgotten").isFalse();
  }

  @Test
  void aLatchThatIsGoneIsCountedDown() {
    RedisBackend later = at(NOW + 2 * SECOND);
    get(now.latches().trySet("l", "a", 1, 3, SECOND));
    get(now.latches().look("l", "w"));
    onTheWay(
        "sl:{l}:latch", () -> assertThat(get(later.latches().countDown("l", "b", 1, 1))).isZero());
    assertThat(get(later.latches().look("l", "")))
        .isEqualTo(get(at(NOW + 3 * SECOND).latches().look("l", "")))
        .isEqualTo(new LatchReply(0, 0, 0));
  }

  @Test
  void aLatchIsWaitedForWhenTheLastWaiterIsGone() {
    RedisBackend later = at(NOW + 4 * SECOND);
    get(now.latches().trySet("l", "a", 1, 3, HOUR));
    get(now.latches().look("l", "gone"));
    onTheWay(
        "sl:{l}:latch",
        () -> assertThat(get(later.latches().look("l", "waiter")).count()).isEqualTo(3));
    RedisServer server = cluster.masterOf(cluster.slot("sl:{l}:latch"));
    assertThat(server.call("ZRANGE", "sl:{l}:latchers", "0", "-1")).isEqualTo(List.of("waiter"));
  }

  // ---- caches and notes ----

  @Test
  void aLongValueReplacesAnother() {
    List<String> keys = List.of("sl:{c:k}:c", "sl:{c:k}:g", "sl:{c:k}:new:1");
    RedisServer server = cluster.masterOf(cluster.slot(keys.get(0)));
    String head = "SLC\u0001" + "-".repeat(22);
    server.call("SET", keys.get(0), head + "old");
    server.call("SET", keys.get(1), "L a 1 " + (NOW + SECOND));
    server.call("SET", keys.get(2), head + "new");
    String fill = Script.load("cache/cache_fill", text -> text.replace(CLOCK, clock(NOW))).text;
    List<String> words = new ArrayList<>(List.of("EVAL", fill, "3"));
    words.addAll(keys);
    words.addAll(List.of("a", "1", "" + HOUR, "0", ""));
    onTheWay(
        keys.get(0),
        () -> {
          assertThat(server.call(words.toArray(new String[0]))).isEqualTo(List.of(1L, NOW));
          assertThat(server.call("GETRANGE", keys.get(0), "26", "-1")).isEqualTo("new");
        });
  }

  @Test
  void aBoardTakesANoteWhenAllOthersAreOver() {
    RedisBackend later = at(NOW + 2 * SECOND);
    for (int i = 0; i < NoteBackend.MAX_NOTES; i++) {
      get(now.notes().put("b", "n" + i, "text", SECOND));
    }
    onTheWay(
        "sl:{b}:notes",
        () -> assertThat(get(later.notes().put("b", "new", "text", SECOND))).isTrue());
    assertThat(get(later.notes().all("b"))).containsOnlyKeys("new");
    RedisServer server = cluster.masterOf(cluster.slot("sl:{b}:notes"));
    assertThat(server.call("HLEN", "sl:{b}:notes")).isEqualTo(1L);
  }
}
