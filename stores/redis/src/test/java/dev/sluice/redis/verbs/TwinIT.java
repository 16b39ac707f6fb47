package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lock.PermitInfo;
import dev.sluice.redis.PlantedRedis;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.connection.StoreConnection;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.LockMessage;
import dev.sluice.state.States;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The scripts and {@link GrantState} decide alike: the same random histories go to both, under the
 * same virtual time, and every reply and every message must be equal.
 */
@EachRedis
public class TwinIT {
  /** Histories start at this seed; a failure prints its own. */
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);

  private static final int HISTORIES = Integer.getInteger("sluice.twin.histories", 200);
  private static final int STEPS = 300;
  private static final int HISTORIES_NEAR_THE_END = 20;

  private final RedisServer server;
  private final RedisClient client;
  private final Set<String> kinds = new TreeSet<>();
  private StatefulRedisConnection<String, String> connection;
  private StatefulRedisPubSubConnection<String, String> inbox;

  TwinIT(RedisServer server) {
    this.server = server;
    this.client = RedisClient.create(server.uri());
  }

  @BeforeEach
  void open() {
    server.call("FLUSHALL");
    connection = client.connect();
    inbox = client.connectPubSub();
  }

  @AfterEach
  void close() {
    connection.close();
    inbox.close();
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }

  @Test
  void everyReplyAndEveryMessageIsTheSame() {
    assertThat(difference(UnaryOperator.identity(), HISTORIES)).isEmpty();
    assertThat(kinds)
        .as("kinds of replies that were compared")
        .contains("Granted", "Busy", "Queued", "Over", "Renewed", "Gone", "Boolean", "LockInfo")
        .contains("Optional") // of a forced release
        .contains("String"); // no token left
  }

  @Test
  void catchesATokenThatIsConcatenated() {
    assertCaught("HELD, fence, capacity", "HELD, tonumber('' .. fence), capacity");
    assertCaught("count, g.attempt, g.token", "count, g.attempt, tonumber('' .. g.token)");
  }

  @Test
  void catchesAReleaseThatComparesTheClientOnly() {
    assertCaught("mine.attempt == attempt or (IS_LOCK and mine.attempt < attempt)", "true");
  }

  @Test
  void catchesAPollThatDoesNotSweep() {
    assertCaught("if expires > now then", "if true then");
    assertCaught("ticket.dead > now and", "true and");
  }

  @Test
  void catchesAReleaseThatForgets() {
    assertCaught("hand_over()\nif keep == 0 then", "hand_over()\nif false then");
  }

  @Test
  void catchesATokenWithoutTheClock() {
    assertCaught("math.max(fence + 1, now)", "fence + 1");
  }

  @Test
  void catchesANewcomerThatPassesTheQueue() {
    assertCaught(
        "hand_over(client)\n  local takes = free() >= least and is_next()",
        "local takes = free() >= least");
  }

  @Test
  void catchesARenewalOfAnEarlierAttempt() {
    assertCaught(
        "mine = find(ARGV[1], tonumber(ARGV[2]))",
        "mine = grants[1] and grants[1].client == ARGV[1] and grants[1]");
  }

  @Test
  void catchesAReleaseThatDoesNotHandOver() {
    assertCaught("hand_over()\nif keep == 0 then", "if keep == 0 then");
  }

  @Test
  void catchesTombstonesOfOneClientOnly() {
    assertCaught(
        "redis.call('HSET', KEYS[OVER], over_client, string.format('%.0f %.0f', over_attempt, over_at))",
        "redis.call('HEXISTS', KEYS[OVER], over_client)");
  }

  @Test
  void catchesALeaseThatOutlivesAStepOfTheClock() {
    assertCaught("expires = math.min(", "local cut = math.min(");
  }

  @Test
  void catchesAHolderThatIsToldOnlyOnce() {
    assertCaught("mine.state = 'H'\n  mine.ttl", "mine.ttl");
  }

  @Test
  void catchesADelayedReleaseThatForgetsOrBelongsToSomebody() {
    assertCaught("remember(client, attempt)\n  left.client, left.state", "left.client, left.state");
    assertCaught("left.client, left.state = '-', 'H'", "left.state = 'H'");
  }

  @Test
  void catchesALockWhoseAttemptsAreThoseOfPermits() {
    assertCaught("local held = IS_LOCK and grants[1]", "local held = nil");
    assertCaught("(IS_LOCK and mine.attempt < attempt)", "false");
    assertCaught("if is_over and IS_LOCK then", "if false then");
  }

  @Test
  void catchesAForcedReleaseThatSpendsNoToken() {
    assertCaught("fence = math.min(math.max(fence + 1, now), MAX_TOKEN)\n", "");
  }

  @Test
  void catchesAForcedReleaseThatLeavesTheAttemptAlive() {
    assertCaught("  remember(ended.client, ended.attempt)\n", "");
  }

  @Test
  void catchesAForcedReleaseThatTellsNobody() {
    assertCaught("  post(ended.client, 'taken')\n", "");
  }

  private void assertCaught(String... replacements) {
    UnaryOperator<String> fault =
        text -> {
          String changed = text;
          for (int i = 0; i < replacements.length; i += 2) {
            changed = changed.replace(replacements[i], replacements[i + 1]);
          }
          return changed;
        };
    boolean planted =
        List.of("lock/acquire", "lock/renew", "lock/release", "lock/release_after", "lock/force")
            .stream()
            .anyMatch(
                verb ->
                    !Script.load(verb, fault)
                        .text
                        .equals(Script.load(verb, UnaryOperator.identity()).text));
    assertThat(planted).as("the fault was planted").isTrue();
    assertThat(difference(fault, HISTORIES)).as("a difference").isPresent();
  }

  /** The first difference between the twins, or none. */
  private Optional<String> difference(UnaryOperator<String> fault, int histories) {
    UnaryOperator<String> change =
        fault.andThen(TwinIT::onVirtualTime).andThen(RemovedKeys::watched)::apply;
    RedisBackend backend =
        PlantedRedis.over(
            StoreConnection.over(
                "Redis",
                new BackendSettings(Duration.ofSeconds(60)),
                connection,
                () -> CompletableFuture.completedFuture(inbox)),
            change);
    server.call("FLUSHALL");
    for (String verb :
        List.of(
            "lock/acquire",
            "lock/renew",
            "lock/release",
            "lock/release_after",
            "lock/force",
            "lock/inspect")) {
      connection
          .sync()
          .scriptLoad(Script.load(verb, change).text); // a late EVAL would change the order
    }
    try {
      for (int i = 0; i < histories + HISTORIES_NEAR_THE_END; i++) {
        GrantHistory history = GrantHistory.of(SEED + i, STEPS, i >= histories);
        Optional<String> difference = difference(backend, history);
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    } finally {
      backend.close();
    }
  }

  /** The scripts read the clock from two keys instead of the server; some read no clock. */
  public static String onVirtualTime(String script) {
    String clock = "redis.call('TIME')";
    assertThat(script.split("'TIME'", -1)).as("readings of the clock").hasSizeBetween(1, 2);
    return script.replace(clock, "redis.call('MGET', 'clock:seconds', 'clock:micros')");
  }

  private record Delivery(String client, LockMessage message) {}

  private Optional<String> difference(RedisBackend backend, GrantHistory history) {
    BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
    List<String> clients =
        history.steps().stream().map(GrantHistory.Step::client).distinct().toList();
    for (String one : clients) {
      join(backend.locks().listen(one, message -> received.add(new Delivery(one, message))));
    }
    List<Object> replies = new ArrayList<>();
    List<CompletionStage<?>> stages = new ArrayList<>();
    for (GrantHistory.Step step :
        history.steps()) { // all in flight at once; the server keeps the order
      connection
          .async()
          .mset(
              Map.of(
                  "clock:seconds", "" + step.now() / 1_000_000,
                  "clock:micros", "" + step.now() % 1_000_000));
      stages.add(ask(backend, history.name(), step));
    }
    stages.forEach(stage -> replies.add(outcome(stage)));
    connection.sync().publish("sl:inbox:" + clients.get(0), "granted the-end");

    GrantState state = new GrantState(history.name(), GrantKind.LOCK);
    List<Delivery> expectedDeliveries = new ArrayList<>();
    Optional<String> difference = Optional.empty();
    for (int i = 0; i < history.steps().size() && difference.isEmpty(); i++) {
      Object expected = decide(state, history.steps().get(i), expectedDeliveries);
      kinds.add(expected.getClass().getSimpleName());
      if (!expected.equals(replies.get(i))) {
        difference = Optional.of(story(history, i, expected, replies.get(i)));
      }
    }
    List<Delivery> deliveries = untilTheEnd(received);
    clients.forEach(backend.locks()::unlisten);
    if (difference.isEmpty() && !deliveries.equals(expectedDeliveries)) {
      difference =
          Optional.of(
              history.name()
                  + ": expected deliveries\n"
                  + expectedDeliveries
                  + "\nbut got\n"
                  + deliveries);
    }
    return difference;
  }

  private static List<Delivery> untilTheEnd(BlockingQueue<Delivery> received) {
    List<Delivery> deliveries = new ArrayList<>();
    while (true) {
      try {
        Delivery next = received.poll(20, TimeUnit.SECONDS);
        assertThat(next).as("the last message").isNotNull();
        if (next.message.name().equals("the-end")) {
          return deliveries;
        }
        deliveries.add(next);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static CompletionStage<?> ask(RedisBackend backend, String name, GrantHistory.Step step) {
    return switch (step.verb()) {
      case ACQUIRE -> backend.locks().acquire(step.request(name));
      case RENEW ->
          backend
              .locks()
              .renew(new GrantAttempt.Id(name, step.client(), step.attempt()), step.ttl());
      case RELEASE ->
          backend.locks().release(new GrantAttempt.Id(name, step.client(), step.attempt()), 0);
      case RELEASE_AFTER ->
          backend
              .locks()
              .delay()
              .orElseThrow()
              .releaseAfter(new GrantAttempt.Id(name, step.client(), step.attempt()), step.ttl());
      case FORCE -> backend.locks().force().orElseThrow().force(name, tokenOf(step));
      case INSPECT -> backend.locks().inspect(name).thenApply(PermitInfo::asLock);
    };
  }

  private static Object decide(
      GrantState state, GrantHistory.Step step, List<Delivery> deliveries) {
    States.Post<LockMessage> post =
        (client, message) -> deliveries.add(new Delivery(client, message));
    try {
      return switch (step.verb()) {
        case ACQUIRE -> state.acquire(step.now(), step.request(nameOf(state)), post);
        case RENEW -> state.renew(step.now(), step.client(), step.attempt(), step.ttl());
        case RELEASE -> state.release(step.now(), step.client(), step.attempt(), 0, post);
        case RELEASE_AFTER ->
            state.releaseAfter(step.now(), step.client(), step.attempt(), step.ttl());
        case FORCE -> state.forceRelease(step.now(), tokenOf(step), post);
        case INSPECT -> state.inspect(step.now()).asLock();
      };
    } catch (RuntimeException e) {
      return e.toString();
    }
  }

  /**
   * Whoever holds it, or a holder that is long gone: that the right one goes the contracts tell.
   */
  private static long tokenOf(GrantHistory.Step step) {
    return step.attempt() % 3;
  }

  private static String nameOf(GrantState state) {
    return state.inspect(0).name();
  }

  private static Object outcome(CompletionStage<?> stage) {
    try {
      return join(stage);
    } catch (CompletionException e) {
      return e.getCause().toString();
    }
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  private static String story(GrantHistory history, int last, Object expected, Object actual) {
    StringBuilder text = new StringBuilder(history.name()).append(":\n");
    for (int i = Math.max(0, last - 30); i <= last; i++) {
      text.append(i).append(' ').append(history.steps().get(i)).append('\n');
    }
    return text.append("expected ")
        .append(expected)
        .append("\nbut got  ")
        .append(actual)
        .toString();
  }
}
