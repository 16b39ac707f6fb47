package dev.sluice.redis.verbs;

import static dev.sluice.redis.verbs.VirtualRedis.join;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.keys.CallKeys;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.keys.LimitKeys;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.state.QueueState;
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
 * The scripts of leaky queues and {@link QueueState} decide alike: every reply and every message of
 * the same random histories must be equal.
 */
@EachRedis
class QueueTwinIT {
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);
  private static final int STEPS = 250;
  private static final int HISTORIES = Integer.getInteger("sluice.twin.steps", 25_000) / STEPS;
  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long HOUR = 3_600_000_000L;
  private static final long THE_END = -1;

  private final RedisServer server;
  private final Set<String> reached = new TreeSet<>();

  QueueTwinIT(RedisServer server) {
    this.server = server;
  }

  private enum Verb {
    ENTER,
    ADVANCE,
    LEAVE,
    LOSE
  }

  private record Step(long now, Verb verb, QueueRequest request) {}

  private record Delivery(String client, long ticket) {}

  private record History(List<String> clients, List<Step> steps) {}

  @Test
  void everyReplyAndEveryMessageIsTheSame() {
    assertThat(difference(UnaryOperator.identity())).isEmpty();
    assertThat(reached)
        .contains("passes", "waits", "is refused", "moves up", "leaves", "is too late")
        .contains("the clock went back", "LOSE");
  }

  @Test
  void catchesAQueueThatDoesNotCloseUp() {
    assertCaught("redis.call('ZADD', KEYS[2], text(earliest), mine)", "local lost = earliest");
  }

  @Test
  void catchesATurnThatIsNotDropped() {
    assertCaught("redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', up_to)", "local lost = now");
  }

  @Test
  void catchesAQueueThatIgnoresAStepOfTheClock() {
    assertCaught("if stamp > now then", "if false then");
  }

  @Test
  void catchesARefusalThatTakesAPlace() {
    assertCaught(
        "admitted, delay = 0,",
        "redis.call('ZADD', KEYS[2], text(last_end()), mine) admitted, delay = 0,");
  }

  @Test
  void catchesOneWhoLeavesInSilence() {
    assertCaught("  tell(behind)\nend\nreturn waits", "end\nreturn waits");
  }

  @Test
  void catchesOneWhoIsToldTooOften() {
    assertCaught("local moves, passes", "tell(behind)\nlocal moves, passes");
  }

  private void assertCaught(String text, String instead) {
    UnaryOperator<String> fault = script -> script.replace(text, instead);
    assertThat(VirtualRedis.changes(fault)).as("the fault was planted").isTrue();
    assertThat(difference(fault))
        .hasValueSatisfying(story -> assertThat(story).doesNotContain("Exception"));
  }

  private Optional<String> difference(UnaryOperator<String> fault) {
    try (VirtualRedis redis = new VirtualRedis(server, fault)) {
      for (int i = 0; i < HISTORIES; i++) {
        Optional<String> difference = difference(redis, history(SEED + i));
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
  }

  private static History history(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    String name = "h" + seed;
    List<String> clients = List.of(name + "-a", name + "-b", name + "-c");
    long interval = new long[] {1, 7, 1000, 200_000, 3_000_000, HOUR}[random.nextInt(6)];
    int places = new int[] {0, 1, 3, 20, 20}[random.nextInt(5)];
    List<QueueRequest> entered = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    long now = EPOCH;
    for (int i = 0; i < STEPS; i++) {
      now = nextTime(random, now, interval);
      int percent = random.nextInt(1000);
      if (percent < 550 || entered.isEmpty()) {
        long wait = random.nextInt(3) == 0 ? random.nextLong(interval * 5) : HOUR * 100;
        QueueRequest request =
            new QueueRequest(
                name,
                "k",
                clients.get(random.nextInt(clients.size())),
                i + 1,
                random.nextInt(3) > 0 ? 1 : random.nextInt(4),
                interval,
                places,
                wait);
        if (request.cost() > 0) { // who only looks has no place
          entered.add(request);
        }
        steps.add(new Step(now, Verb.ENTER, request));
      } else {
        Verb verb = percent < 800 ? Verb.ADVANCE : percent < 996 ? Verb.LEAVE : Verb.LOSE;
        int late = random.nextInt(Math.min(12, entered.size()));
        steps.add(new Step(now, verb, entered.get(entered.size() - 1 - late)));
      }
    }
    return new History(clients, steps);
  }

  private static long nextTime(SplittableRandom random, long now, long interval) {
    int percent = random.nextInt(100);
    if (percent < 30) {
      return now + random.nextInt(2);
    }
    if (percent < 70) {
      return now + random.nextLong(interval + 2);
    }
    if (percent < 90) { // a turn comes, or is about to
      return Math.max(now, now + interval * random.nextInt(4) + random.nextInt(3) - 1);
    }
    return percent < 94 ? now + random.nextLong(HOUR) : now - random.nextLong(2 * HOUR);
  }

  private Optional<String> difference(VirtualRedis redis, History history) {
    LimitBackend limits = redis.backend.limits();
    QueueRequest any = history.steps.get(0).request;
    CallKeys keys = new LimitKeys(KeySpace.PLAIN).queue(any.limiter(), any.key());
    List<String> names = List.of(keys.key(1), keys.key(2));
    BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
    for (String client : history.clients) {
      join(limits.listenForTurns(client, ticket -> received.add(new Delivery(client, ticket))));
    }
    List<CompletionStage<?>> asked = new ArrayList<>();
    List<List<CompletionStage<Long>>> left = new ArrayList<>();
    for (Step step : history.steps) { // all in flight at once; the server keeps the order
      redis.at(step.now);
      asked.add(
          switch (step.verb) {
            case ENTER -> limits.enter(step.request);
            case ADVANCE -> limits.advance(step.request);
            case LEAVE -> limits.leave(step.request);
            case LOSE -> redis.delete(names).thenApply(count -> true);
          });
      left.add(names.stream().map(redis::pttl).toList());
    }
    List<Delivery> expectedDeliveries = new ArrayList<>();
    QueueState state = new QueueState();
    Optional<String> difference = Optional.empty();
    for (int i = 0; i < asked.size() && difference.isEmpty(); i++) {
      Step step = history.steps.get(i);
      Object expected = decide(state, step, expectedDeliveries);
      reached.add(kind(step.verb, expected));
      if (step.verb == Verb.LOSE || state.isForgettable(step.now)) {
        state = new QueueState();
      }
      Object actual = outcome(asked.get(i));
      List<Long> pttl = left.get(i).stream().map(VirtualRedis::join).toList();
      if (!expected.equals(actual) || pttl.contains(-1L)) {
        difference = Optional.of(story(history, i, expected, actual + ", expiry " + pttl));
      }
    }
    join(asked.get(asked.size() - 1));
    redis.publish("sl:inbox:" + history.clients.get(0), "turn " + THE_END);
    List<Delivery> deliveries = untilTheEnd(received);
    history.clients.forEach(limits::unlistenForTurns);
    return difference.isEmpty() && !deliveries.equals(expectedDeliveries)
        ? Optional.of(
            any.limiter()
                + ": expected deliveries\n"
                + expectedDeliveries
                + "\nbut got\n"
                + deliveries)
        : difference;
  }

  private static Object decide(QueueState state, Step step, List<Delivery> deliveries) {
    QueueState.Post post = (client, ticket) -> deliveries.add(new Delivery(client, ticket));
    return switch (step.verb) {
      case ENTER -> state.enter(step.now, step.request);
      case ADVANCE -> state.advance(step.now, step.request, post);
      case LEAVE -> state.leave(step.now, step.request, post);
      case LOSE -> true;
    };
  }

  private String kind(Verb verb, Object answer) {
    if (answer instanceof QueueReply reply) {
      if (reply.clockSteps() > 0) {
        reached.add("the clock went back");
      }
      if (verb == Verb.ENTER) {
        return !reply.admitted() ? "is refused" : reply.delay() > 0 ? "waits" : "passes";
      }
      return reply.admitted() ? "moves up" : "is too late";
    }
    return verb == Verb.LEAVE && answer.equals(true) ? "leaves" : verb.name();
  }

  private static List<Delivery> untilTheEnd(BlockingQueue<Delivery> received) {
    List<Delivery> deliveries = new ArrayList<>();
    while (true) {
      try {
        Delivery next = received.poll(20, TimeUnit.SECONDS);
        assertThat(next).as("the last message").isNotNull();
        if (next.ticket == THE_END) {
          return deliveries;
        }
        deliveries.add(next);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static Object outcome(CompletionStage<?> stage) {
    try {
      return join(stage);
    } catch (CompletionException e) {
      return e.getCause().toString();
    }
  }

  private static String story(History history, int last, Object expected, Object actual) {
    StringBuilder text = new StringBuilder();
    for (int i = Math.max(0, last - 12); i <= last; i++) {
      text.append(i).append(' ').append(history.steps.get(i)).append('\n');
    }
    return text + "expected " + expected + "\nbut got  " + actual;
  }
}
