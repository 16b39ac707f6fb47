package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.LatchBackend;
import dev.sluice.state.LatchState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The scripts of latches and {@link LatchState} decide alike: the same random histories go to both,
 * under the same virtual time, and every reply and every message must be equal.
 */
@EachRedis
class LatchTwinIT {
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);
  private static final int HISTORIES = Integer.getInteger("sluice.twin.histories", 150);
  private static final int STEPS = 200;
  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long[] SPANS = {
    1_000_000, LatchState.WAITER_MICROS, LatchState.RETENTION_MICROS, 86_400_000_000L
  };

  private final RedisServer server;
  private final Set<String> kinds = new TreeSet<>();

  LatchTwinIT(RedisServer server) {
    this.server = server;
  }

  private enum Verb {
    SET,
    COUNT_DOWN,
    LOOK
  }

  private record Step(long now, Verb verb, String client, long number, long amount, long keep) {

    Object ask(LatchBackend latches, String name) {
      CompletionStage<?> asked =
          switch (verb) {
            case SET -> latches.trySet(name, client, number, amount, keep);
            case COUNT_DOWN -> latches.countDown(name, client, number, amount);
            case LOOK -> latches.look(name, number % 4 == 0 ? "" : client);
          };
      return asked;
    }

    Object decide(LatchState state, Consumer<String> post) {
      return switch (verb) {
        case SET -> state.trySet(now, client, number, amount, keep);
        case COUNT_DOWN -> state.countDown(now, client, number, amount, post);
        case LOOK -> state.look(now, number % 4 == 0 ? "" : client);
      };
    }
  }

  private static List<Step> history(SplittableRandom random, String name) {
    int clients = 2 + random.nextInt(4);
    long[] numbers = new long[clients];
    long now = EPOCH;
    long latest = now;
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      int percent = random.nextInt(100);
      if (percent < 40) {
        now += random.nextInt(3);
      } else if (percent < 75) {
        now += random.nextInt(900_000);
      } else if (percent < 94) {
        now += SPANS[random.nextInt(SPANS.length)] + random.nextInt(3) - 1;
      } else {
        now -= random.nextInt(5_000_000);
      }
      now = Math.max(now, latest - 50_000_000);
      latest = Math.max(latest, now);
      int who = random.nextInt(clients);
      long number =
          numbers[who] == 0 || random.nextInt(4) > 0
              ? ++numbers[who]
              : 1 + random.nextLong(numbers[who]);
      int verb = random.nextInt(100);
      long amount = random.nextInt(8) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(4);
      long keep = SPANS[random.nextInt(SPANS.length)];
      steps.add(
          new Step(
              now,
              verb < 25 ? Verb.SET : verb < 65 ? Verb.COUNT_DOWN : Verb.LOOK,
              name + "-" + who,
              number,
              amount,
              keep));
    }
    return steps;
  }

  @Test
  void everyReplyAndEveryMessageIsTheSame() {
    assertThat(difference(UnaryOperator.identity())).isEmpty();
    assertThat(kinds).contains("true", "false", "open", "told", "gone");
  }

  @Test
  void catchesACountDownThatForgetsItsNumber() {
    assertCaught("return last >= number", "return false");
    assertCaught("return last >= number", "return last > number");
  }

  @Test
  void catchesASettingThatIsNotKnownAsItsOwn() {
    assertCaught("return setter == client and setter_number == number and 1 or 0", "return 0");
  }

  @Test
  void catchesACountThatIsSetOverAnother() {
    assertCaught("if count > 0 then\n  save(client, number)\n  return 0\nend", "");
  }

  @Test
  void catchesALatchThatOpensWithoutAWord() {
    assertCaught("redis.pcall('PUBLISH'", "redis.pcall('TYPE'");
    assertCaught("  opened = round\n", "");
  }

  @Test
  void catchesALatchThatIsNeverGone() {
    assertCaught("local gone = expires <= now", "local gone = false");
  }

  @Test
  void catchesALatchThatIsNotKeptForThoseWhoWait() {
    assertCaught("  expires = now + keep\n  -- those who", "  -- those who");
  }

  @Test
  void catchesALatchThatOutlivesAStepOfTheClock() {
    assertCaught("expires = math.min(expires, now + lasts())", "");
  }

  private void assertCaught(String text, String instead) {
    UnaryOperator<String> fault = script -> script.replace(text, instead);
    assertThat(VirtualRedis.changes(fault)).as("the fault was planted").isTrue();
    assertThat(difference(fault)).as("a difference").isPresent();
  }

  private Optional<String> difference(UnaryOperator<String> fault) {
    try (VirtualRedis redis = new VirtualRedis(server, fault)) {
      for (int i = 0; i < HISTORIES; i++) {
        Optional<String> difference = difference(redis, "l" + (SEED + i), SEED + i);
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
  }

  private Optional<String> difference(VirtualRedis redis, String name, long seed) {
    List<Step> steps = history(new SplittableRandom(seed), name);
    LatchBackend latches = redis.backend.latches();
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    List<String> clients = steps.stream().map(Step::client).distinct().toList();
    for (String client : clients) {
      VirtualRedis.join(
          latches.listenForLatches(client, latch -> received.add(client + " " + latch)));
    }
    List<Object> asked = new ArrayList<>();
    for (Step step : steps) { // all in flight at once; the server keeps the order
      redis.at(step.now);
      asked.add(step.ask(latches, name));
    }
    List<Object> replies =
        asked.stream().map(each -> (Object) VirtualRedis.join((CompletionStage<?>) each)).toList();
    redis.publish("sl:inbox:" + clients.get(0), "opened the-end");

    LatchState state = new LatchState();
    List<String> expectedDeliveries = new ArrayList<>();
    Optional<String> difference = Optional.empty();
    for (int i = 0; i < steps.size() && difference.isEmpty(); i++) {
      Step step = steps.get(i);
      Object expected = step.decide(state, client -> expectedDeliveries.add(client + " " + name));
      note(step, expected);
      if (!expected.equals(replies.get(i))) {
        difference = Optional.of(story(steps, i, expected, replies.get(i)));
      }
    }
    kinds.add(expectedDeliveries.isEmpty() ? "silent" : "told");
    List<String> deliveries = untilTheEnd(received);
    clients.forEach(latches::unlistenForLatches);
    if (difference.isEmpty() && !deliveries.equals(expectedDeliveries)) {
      difference =
          Optional.of(
              name + ": expected deliveries\n" + expectedDeliveries + "\nbut got\n" + deliveries);
    }
    return difference;
  }

  private void note(Step step, Object reply) {
    kinds.add(
        switch (step.verb) {
          case SET -> reply.toString();
          case COUNT_DOWN -> reply.equals(0L) ? "open" : "counted";
          case LOOK -> reply.toString().contains("round=0") ? "gone" : "seen";
        });
  }

  private static List<String> untilTheEnd(BlockingQueue<String> received) {
    List<String> deliveries = new ArrayList<>();
    while (true) {
      try {
        String next = received.poll(20, TimeUnit.SECONDS);
        assertThat(next).as("the last message").isNotNull();
        if (next.endsWith(" the-end")) {
          return deliveries;
        }
        deliveries.add(next);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static String story(List<Step> steps, int last, Object expected, Object actual) {
    StringBuilder text = new StringBuilder();
    for (int i = Math.max(0, last - 30); i <= last; i++) {
      text.append(i).append(' ').append(steps.get(i)).append('\n');
    }
    return text.append("expected ")
        .append(expected)
        .append("\nbut got  ")
        .append(actual)
        .toString();
  }
}
