package dev.sluice.redis.verbs;

import static dev.sluice.redis.verbs.VirtualRedis.join;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.LockKeys;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.state.States;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The scripts of permits and {@link GrantState} decide alike: every reply and every message of the
 * same random histories must be equal.
 */
@EachRedis
class PermitTwinIT {
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);
  private static final int HISTORIES = Integer.getInteger("sluice.twin.histories", 200);
  private static final int HISTORIES_NEAR_THE_END = 20;
  private static final int STEPS = 300;
  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long[] TTLS = {10_000, 200_000, 1_000_000, 3_000_000, 40_000_000};
  private static final int[] BLOCKS = {1, 2, 64, LockProtocol.MAX_BLOCK};
  private static final String THE_END = "the end";

  private final RedisServer server;
  private final Set<String> reached = new TreeSet<>();

  PermitTwinIT(RedisServer server) {
    this.server = server;
  }

  private enum Verb {
    ACQUIRE,
    RENEW,
    RELEASE,
    RESIZE,
    INSPECT,
    LOSE
  }

  private record Step(long now, Verb verb, GrantRequest request, int number) {}

  private record PermitHistory(String name, List<String> clients, List<Step> steps) {}

  private record Delivery(String client, LockMessage message) {}

  @Test
  void everyReplyAndEveryMessageIsTheSame() {
    assertThat(difference(UnaryOperator.identity())).isEmpty();
    assertThat(reached)
        .as("kinds of replies that were compared")
        .contains("Granted", "Granted more than the least", "Busy", "Queued", "Over")
        .contains("Renewed", "Gone", "Boolean", "Integer", "PermitInfo")
        .contains("dev.sluice.lock.WrongCapacityException")
        .contains("dev.sluice.ForeignDataException");
  }

  @Test
  void catchesASmallRequestThatPassesALargeOne() {
    assertCaught("free() >= least and is_next()", "free() >= least");
  }

  @Test
  void catchesAGrantWithoutRoom() {
    assertCaught("free() >= least and is_next()", "is_next()");
    assertCaught("next.client ~= alive and free() >= next.least and", "next.client ~= alive and");
  }

  @Test
  void catchesMoreThanTheLeastWhileOthersWait() {
    assertCaught("most > least and waiting == 0", "most > least");
  }

  @Test
  void catchesAReleaseOfAnotherAttempt() {
    assertCaught("mine.attempt == attempt or (IS_LOCK", "true or (IS_LOCK");
  }

  @Test
  void catchesPermitsWhoseAttemptsAreThoseOfALock() {
    assertCaught("local held = IS_LOCK and grants[1]", "local held = grants[1]");
    assertCaught("(IS_LOCK and mine.attempt < attempt)", "mine.attempt < attempt");
    assertCaught("if is_over and IS_LOCK then", "if is_over then");
  }

  @Test
  void catchesAHandOverThatEndsWithTheFirst() {
    assertCaught("    if IS_LOCK then\n      return", "    if true then\n      return");
  }

  @Test
  void catchesAReturnThatRepeatsItself() {
    assertCaught("math.min(mine.units, keep)", "mine.units - keep");
  }

  @Test
  void catchesAReleaseThatForgets() {
    assertCaught("    remember(client, attempt)", "    local forgotten = attempt");
  }

  @Test
  void catchesAReleaseThatDoesNotHandOver() {
    assertCaught("hand_over()\nif keep == 0 then", "if keep == 0 then");
  }

  @Test
  void catchesAPollThatDoesNotSweep() {
    assertCaught("ticket.dead > now and", "true and");
    assertCaught("if expires > now then", "if true then");
  }

  @Test
  void catchesATokenWithoutTheClock() {
    assertCaught("math.max(fence + 1, now)", "fence + 1");
  }

  @Test
  void catchesAWriterThatIsNotPreferred() {
    assertCaught("goes_first and now - FIRST_BAND or now", "now");
  }

  @Test
  void catchesAnotherCapacity() {
    assertCaught("if capacity ~= 0 and capacity ~= units then", "if false then");
  }

  @Test
  void catchesAHolderThatIsToldOnlyOnce() {
    assertCaught("mine.state = 'H'\n  mine.ttl = math.max", "mine.ttl = math.max");
  }

  @Test
  void catchesALeaseThatOutlivesAStepOfTheClock() {
    assertCaught("expires = math.min(", "local cut = math.min(");
  }

  private void assertCaught(String text, String instead) {
    UnaryOperator<String> fault = script -> script.replace(text, instead);
    assertThat(VirtualRedis.changes(fault)).as("the fault was planted").isTrue();
    assertThat(difference(fault))
        .hasValueSatisfying(story -> assertThat(story).doesNotContain("BackendException"));
  }

  private Optional<String> difference(UnaryOperator<String> fault) {
    try (VirtualRedis redis = new VirtualRedis(server, fault)) {
      for (int i = 0; i < HISTORIES + HISTORIES_NEAR_THE_END; i++) {
        Optional<String> difference = difference(redis, history(SEED + i, i >= HISTORIES));
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
  }

  /**
   * Near the end of all tokens times are even: sums beyond 2^53 are exact for even numbers only.
   */
  private static PermitHistory history(long seed, boolean nearTheEnd) {
    SplittableRandom random = new SplittableRandom(seed);
    String name = "p{" + seed + ":}";
    List<String> clients = new ArrayList<>();
    int crowd = seed % 8 == 0 ? 150 : 2 + random.nextInt(5); // many clients: tombstones get dropped
    for (int i = 0; i < crowd; i++) {
      clients.add("c" + seed + "-" + i);
    }
    long[] attempts = new long[crowd];
    int capacity = 1 + random.nextInt(6);
    long unit = nearTheEnd ? 2 : 1;
    long now = nearTheEnd ? LockProtocol.MAX_TOKEN - 1 - 2L * random.nextInt(40_000) : EPOCH;
    long latest = now;
    List<Long> moments = new ArrayList<>(List.of(now));
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      now = GrantHistory.nextTime(random, now, latest, moments, unit);
      if (nearTheEnd && now > LockProtocol.MAX_TOKEN) {
        now = latest;
      }
      latest = Math.max(latest, now);
      moments.add(now);
      int who = random.nextInt(crowd);
      long last = attempts[who];
      int percent = random.nextInt(100);
      long attempt =
          last == 0 || percent < 35 ? last + 1 : percent < 88 ? last : 1 + random.nextLong(last);
      attempts[who] = Math.max(last, attempt);
      boolean all = random.nextInt(4) == 0;
      int least = all ? capacity : 1 + random.nextInt(capacity);
      GrantRequest request =
          new GrantRequest(
              name,
              clients.get(who),
              attempt,
              TTLS[random.nextInt(TTLS.length)],
              random.nextInt(40) == 0 ? capacity + 1 : capacity,
              least,
              least + random.nextInt(capacity - least + 1),
              all && random.nextBoolean(),
              BLOCKS[random.nextInt(BLOCKS.length)],
              random.nextInt(4) > 0);
      Verb verb = verb(random.nextInt(1000));
      if (verb == Verb.RESIZE) {
        capacity = 1 + random.nextInt(6);
      }
      int number = verb == Verb.RESIZE ? capacity : Math.max(0, random.nextInt(6) - 3);
      steps.add(new Step(now, verb, request, number));
    }
    return new PermitHistory(name, clients, steps);
  }

  private static Verb verb(int promille) {
    if (promille < 550) {
      return Verb.ACQUIRE;
    }
    if (promille < 650) {
      return Verb.RENEW;
    }
    if (promille < 910) {
      return Verb.RELEASE;
    }
    if (promille < 930) {
      return Verb.RESIZE;
    }
    return promille < 995 ? Verb.INSPECT : Verb.LOSE;
  }

  private Optional<String> difference(VirtualRedis redis, PermitHistory history) {
    GrantBackend permits = redis.backend.permits();
    BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
    for (String client : history.clients) {
      join(permits.listen(client, message -> received.add(new Delivery(client, message))));
    }
    List<CompletionStage<?>> asked = new ArrayList<>();
    for (Step step : history.steps) { // all in flight at once; the server keeps the order
      redis.at(step.now);
      asked.add(ask(redis, permits, step));
    }
    List<Delivery> expectedDeliveries = new ArrayList<>();
    GrantState state = new GrantState(history.name, GrantKind.PERMIT);
    Optional<String> difference = Optional.empty();
    for (int i = 0; i < asked.size() && difference.isEmpty(); i++) {
      Step step = history.steps.get(i);
      Object expected = decide(state, step, expectedDeliveries);
      note(step, expected);
      Object actual = outcome(asked.get(i));
      if (!expected.equals(actual)) {
        difference = Optional.of(story(history, i, expected, actual));
      }
      if (step.verb == Verb.LOSE) {
        state = new GrantState(history.name, GrantKind.PERMIT);
      }
    }
    asked.forEach(PermitTwinIT::outcome);
    redis.publish("sl:inbox:" + history.clients.get(0), "permit-granted " + THE_END);
    List<Delivery> deliveries = untilTheEnd(received);
    history.clients.forEach(permits::unlisten);
    return difference.isEmpty() && !deliveries.equals(expectedDeliveries)
        ? Optional.of(
            history.name
                + ": expected deliveries\n"
                + expectedDeliveries
                + "\nbut got\n"
                + deliveries)
        : difference;
  }

  private static CompletionStage<?> ask(VirtualRedis redis, GrantBackend permits, Step step) {
    GrantRequest request = step.request;
    String name = request.name();
    return switch (step.verb) {
      case ACQUIRE -> permits.acquire(request);
      case RENEW ->
          permits.renew(
              new GrantAttempt.Id(name, request.client(), request.attempt()), request.ttlMicros());
      case RELEASE ->
          permits.release(
              new GrantAttempt.Id(name, request.client(), request.attempt()), step.number);
      case RESIZE -> permits.resize().orElseThrow().resize(name, step.number);
      case INSPECT -> permits.inspect(name);
      case LOSE -> {
        CallKeys keys = LockKeys.ofPermits(KeySpace.PLAIN).of(name);
        yield redis
            .delete(List.of(keys.key(1), keys.key(2), keys.key(3), keys.key(4)))
            .thenApply(count -> "lost");
      }
    };
  }

  private static Object decide(GrantState state, Step step, List<Delivery> deliveries) {
    States.Post<LockMessage> post =
        (client, message) -> deliveries.add(new Delivery(client, message));
    GrantRequest request = step.request;
    String client = request.client();
    try {
      return switch (step.verb) {
        case ACQUIRE -> state.acquire(step.now, request, post);
        case RENEW -> state.renew(step.now, client, request.attempt(), request.ttlMicros());
        case RELEASE -> state.release(step.now, client, request.attempt(), step.number, post);
        case RESIZE -> state.resize(step.now, step.number, post);
        case INSPECT -> state.inspect(step.now);
        case LOSE -> "lost";
      };
    } catch (RuntimeException e) {
      return e.toString();
    }
  }

  private void note(Step step, Object expected) {
    if (expected instanceof GrantReply reply) {
      reached.add(reply.getClass().getSimpleName());
      if (reply.units() > step.request.least()) {
        reached.add("Granted more than the least");
      }
    } else if (expected instanceof String text) {
      reached.add(text.substring(0, Math.max(0, text.indexOf(':'))));
    } else {
      reached.add(expected.getClass().getSimpleName());
    }
  }

  private static Object outcome(CompletionStage<?> stage) {
    try {
      return join(stage);
    } catch (CompletionException e) {
      return e.getCause().toString();
    }
  }

  private static List<Delivery> untilTheEnd(BlockingQueue<Delivery> received) {
    List<Delivery> deliveries = new ArrayList<>();
    while (true) {
      try {
        Delivery next = received.poll(60, TimeUnit.SECONDS);
        assertThat(next).as("the last message").isNotNull();
        if (next.message.name().equals(THE_END)) {
          return deliveries;
        }
        deliveries.add(next);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static String story(PermitHistory history, int last, Object expected, Object actual) {
    StringBuilder text = new StringBuilder(history.name).append(":\n");
    for (int i = Math.max(0, last - 30); i <= last; i++) {
      text.append(i).append(' ').append(history.steps.get(i)).append('\n');
    }
    return text.append("expected ")
        .append(expected)
        .append("\nbut got  ")
        .append(actual)
        .toString();
  }
}
