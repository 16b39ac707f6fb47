package dev.sluice.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.command.Script;
import dev.sluice.redis.connection.ScriptRunner;
import dev.sluice.redis.connection.SingleRoute;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.redis.verbs.TwinIT;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.GrantRequest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The scripts of a quorum's node and {@link QuorumNode} decide alike: the same random histories go
 * to both, under the same virtual time, and every answer and every message must be equal.
 */
@EachRedis
class QuorumTwinIT {
  private static final List<String> VERBS =
      Stream.of("acquire", "raise", "renew", "release", "inspect", "knock", "learn", "join")
          .map(verb -> "quorum/quorum_" + verb)
          .toList();

  private static final long SEED = Long.getLong("sluice.twin.seed", 1);
  private static final int HISTORIES = Integer.getInteger("sluice.twin.histories", 120);
  private static final int STEPS = 250;
  private static final long EPOCH = 1_795_201_234_567_890L;
  private static final long MAX_TTL = 50_000_000;
  private static final long[] SPANS = {
    10_000, 200_000, 1_000_000, 1_500_000, 20_000_000, 40_000_000, 60_000_000
  };
  private static final String[] RUNS = {"a".repeat(40), "b".repeat(40)};

  private final RedisServer server;
  private final RedisClient client;
  private final Set<String> kinds = new TreeSet<>();
  private StatefulRedisConnection<String, String> connection;
  private StatefulRedisPubSubConnection<String, String> inbox;

  QuorumTwinIT(RedisServer server) {
    this.server = server;
    this.client = RedisClient.create(server.uri());
  }

  @BeforeEach
  void open() {
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
  void everyAnswerAndEveryMessageIsTheSame() {
    assertThat(difference(UnaryOperator.identity())).isEmpty();
    assertThat(kinds)
        .as("kinds of answers that were compared")
        .contains(
            "acquire OVER", "acquire YES", "acquire NO", "acquire ENTERED", "acquire NOT_MEMBER")
        .contains("raise YES", "raise NO", "raise ENTERED", "raise NOT_MEMBER")
        .contains("renew YES", "renew NO", "renew ENTERED", "renew NOT_MEMBER")
        .contains("release YES", "release NO", "inspect", "knock", "learn", "join true")
        .contains("join false", "message GRANTED", "message WANTED");
  }

  @Test
  void catchesARepeatedRequestThatIsGrantedByTheFenceAlone() {
    assertCaught("if effective() < token then", "if effective() <= token + block - 1 then");
  }

  @Test
  void catchesAFloorThatIsNotHeeded() {
    assertCaught("return math.max(fence, floor)", "return fence");
    assertCaught("    before, floor = high, before\n", "");
  }

  @Test
  void catchesAFenceThatGoesWithItsVote() {
    assertCaught("if not found then\n  for i = 5, 6", "if false then\n  for i = 5, 6");
    assertCaught("for i = 5, 6 do", "for i = 5, 5 do");
  }

  @Test
  void catchesAReleaseThatComparesTheClientOnly() {
    assertCaught(
        "holder.client == client and holder.attempt <= attempt", "holder.client == client");
  }

  @Test
  void catchesAReleaseThatForgets() {
    assertCaught("remember(client, attempt)\nlocal kind", "local kind");
  }

  @Test
  void catchesARenewalOfAnAttemptThatIsOver() {
    assertCaught(
        "if ended and ended >= attempt then\n    return answer(NO, waiting())", "if false then");
  }

  @Test
  void catchesANodeThatAnswersInItsNextRun() {
    assertCaught("local member = marker == run", "local member = marker ~= ''");
  }

  @Test
  void catchesAJoinWhoseMarkIsGone() {
    assertCaught("if standing ~= ARGV[1] then", "if false then");
  }

  private void assertCaught(String from, String to) {
    UnaryOperator<String> fault = text -> text.replace(from, to);
    boolean planted =
        VERBS.stream()
            .anyMatch(
                verb ->
                    !Script.load(verb, fault)
                        .text
                        .equals(Script.load(verb, UnaryOperator.identity()).text));
    assertThat(planted).as("the fault was planted").isTrue();
    assertThat(difference(fault)).as("a difference").isPresent();
  }

  private Optional<String> difference(UnaryOperator<String> fault) {
    UnaryOperator<String> change =
        text -> {
          String changed = fault.apply(text);
          return changed.contains("'TIME'") ? TwinIT.onVirtualTime(changed) : changed;
        };
    for (String verb : VERBS) { // a late EVAL would change the order
      connection.sync().scriptLoad(Script.load(verb, change).text);
    }
    QuorumScripts scripts = new QuorumScripts(KeySpace.PLAIN, change);
    SingleRoute route = new SingleRoute("Redis", connection, false, Duration.ofSeconds(60));
    try {
      for (int i = 0; i < HISTORIES; i++) {
        server.call("FLUSHALL");
        Optional<String> difference = difference(route, scripts, SEED + i);
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    } finally {
      route.close();
    }
  }

  private Optional<String> difference(SingleRoute route, QuorumScripts scripts, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    String prefix = "q" + seed + "-";
    List<String> clients = List.of(prefix + "0", prefix + "1", prefix + "2");
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    RedisPubSubAdapter<String, String> listener =
        new RedisPubSubAdapter<>() {
          @Override
          public void message(String channel, String text) {
            received.add(channel.substring("sl:inbox:".length()) + " " + text);
          }
        };
    inbox.addListener(listener);
    clients.forEach(each -> inbox.sync().subscribe("sl:inbox:" + each));
    QuorumLink[] links = new QuorumLink[RUNS.length];
    for (int i = 0; i < RUNS.length; i++) {
      links[i] = new QuorumLink(route, new ScriptRunner("Redis", route), scripts, RUNS[i]);
    }
    QuorumNode node = new QuorumNode();
    List<String> story = new ArrayList<>();
    List<CompletionStage<?>> asked = new ArrayList<>();
    List<Object> expected = new ArrayList<>();
    long now = EPOCH;
    long latest = now;
    long lastToken = 0;
    int lastBlock = 1;
    long[] attempts = new long[clients.size()];
    String lastId = "x".repeat(22);
    for (int step = 0; step < STEPS; step++) {
      now = Math.max(latest - 4_000_000, nextTime(random, now));
      latest = Math.max(latest, now);
      at(now);
      int run = random.nextInt(20) == 0 ? 1 : 0;
      int who = random.nextInt(clients.size());
      String client = clients.get(who);
      long attempt =
          attempts[who] == 0 || random.nextInt(4) == 0
              ? ++attempts[who]
              : Math.max(1, attempts[who] - random.nextInt(2));
      String name = random.nextInt(4) > 0 ? "x" : "y";
      long ttl = SPANS[random.nextInt(5)];
      boolean repeated = lastToken != 0 && random.nextInt(5) == 0;
      long token = repeated ? lastToken : now + random.nextLong(2_000_000) - 1_500_000;
      int block = repeated ? lastBlock : 1 + random.nextInt(64);
      lastToken = token;
      lastBlock = block;
      boolean waits = random.nextBoolean();
      int verb = step < 2 ? 90 + 6 * step : random.nextInt(100);
      if (verb < 40) {
        GrantRequest request = new GrantRequest(name, client, attempt, ttl, 1, waits);
        asked.add(links[run].acquire(request, token, block));
        expected.add(node.acquire(now, RUNS[run], name, client, attempt, ttl, token, block, waits));
      } else if (verb < 50) {
        asked.add(links[run].raise(name, client, attempt, token, block));
        expected.add(node.raise(now, RUNS[run], name, client, attempt, token, block));
      } else if (verb < 62) {
        asked.add(links[run].renew(name, client, attempt, ttl));
        expected.add(node.renew(now, RUNS[run], name, client, attempt, ttl));
      } else if (verb < 80) {
        asked.add(links[run].release(name, client, attempt, waits));
        expected.add(node.release(now, RUNS[run], name, client, attempt, waits));
      } else if (verb < 88) {
        asked.add(links[run].inspect(name).thenApply(QuorumTwinIT::sorted));
        expected.add(node.inspect(now, RUNS[run], name));
      } else if (verb < 92) {
        int joins = step < 2 ? 0 : random.nextInt(2);
        String id = ("id" + step + "-").concat("x".repeat(22)).substring(0, 22);
        boolean durable = random.nextInt(8) == 0;
        asked.add(links[joins].requestJoin(id, durable));
        QuorumLink.JoinReply joinReply = node.requestJoin(RUNS[joins], id, durable);
        expected.add(joinReply);
        lastId = joinReply.joining();
      } else if (verb < 94) {
        asked.add(links[run].learn());
        expected.add(node.learn(RUNS[run]));
      } else if (verb < 98) {
        int joins = step < 2 ? 0 : random.nextInt(2);
        String id = random.nextInt(4) > 0 || step < 2 ? lastId : "y".repeat(22);
        asked.add(links[joins].join(id, now, MAX_TTL));
        expected.add(node.join(RUNS[joins], id, now, MAX_TTL));
      } else if (verb == 98) {
        asked.add(connection.async().flushall());
        node.lose();
        expected.add("OK");
      } else {
        String start = "sl:{" + name + "}:";
        asked.add(
            connection
                .async()
                .del(start + "vote", start + "waiting", start + "ended")
                .thenApply(count -> "forgot"));
        node.forget(name);
        expected.add("forgot");
      }
      story.add(
          String.format(
              Locale.ROOT,
              "%d: at +%dus verb %d run %d %s %s %d ttl %d token %d block %d %s -> %s",
              step,
              now - EPOCH,
              verb,
              run,
              name,
              client,
              attempt,
              ttl,
              token - EPOCH,
              block,
              waits,
              expected.get(step)));
    }
    connection.sync().publish("sl:inbox:" + clients.get(0), "the-end");
    Optional<String> difference = Optional.empty();
    for (int i = 0; i < asked.size(); i++) {
      Object actual = asked.get(i).toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
      note(expected.get(i), story.get(i));
      if (difference.isEmpty() && !actual.equals(expected.get(i))) {
        difference =
            Optional.of(
                String.join("\n", story.subList(Math.max(0, i - 25), i + 1))
                    + "\nbut got "
                    + actual);
      }
    }
    List<String> deliveries = untilTheEnd(received);
    inbox.removeListener(listener);
    clients.forEach(each -> inbox.sync().unsubscribe("sl:inbox:" + each));
    List<String> expectedDeliveries =
        node.deliveries.stream()
            .map(each -> each.client() + " " + each.text().name().toLowerCase(Locale.ROOT))
            .toList();
    node.deliveries.forEach(each -> kinds.add("message " + each.text()));
    List<String> withoutNames =
        deliveries.stream().map(each -> each.substring(0, each.lastIndexOf(' '))).toList();
    return difference.isEmpty() && !withoutNames.equals(expectedDeliveries)
        ? Optional.of("expected deliveries " + expectedDeliveries + " but got " + deliveries)
        : difference;
  }

  private void note(Object answer, String story) {
    int verb = Integer.parseInt(story.replaceAll("^.* verb (\\d+) .*$", "$1"));
    String asked =
        verb < 40 ? "acquire " : verb < 50 ? "raise " : verb < 62 ? "renew " : "release ";
    if (answer instanceof Vote vote) {
      kinds.add(asked + vote.kind());
    } else if (answer instanceof Boolean joined) {
      kinds.add("join " + joined);
    } else if (answer instanceof NodeView) {
      kinds.add("inspect");
    } else if (answer instanceof QuorumLink.JoinReply) {
      kinds.add("knock");
    } else if (answer instanceof QuorumLink.Memory) {
      kinds.add("learn");
    }
  }

  /** A hash has no order. */
  private static NodeView sorted(NodeView view) {
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < view.waiters().size(); i++) {
      places.add(i);
    }
    places.sort(java.util.Comparator.comparing(i -> view.waiters().get(i).client()));
    return new NodeView(
        view.member(),
        view.fence(),
        view.client(),
        view.attempt(),
        view.token(),
        view.sinceMicros(),
        view.remainingMicros(),
        places.stream().map(i -> view.waiters().get(i)).toList(),
        places.stream().map(i -> view.arrivals().get(i)).toList());
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

  private void at(long micros) {
    connection
        .async()
        .mset(
            Map.of(
                "clock:seconds", "" + micros / 1_000_000, "clock:micros", "" + micros % 1_000_000));
  }

  private static long nextTime(SplittableRandom random, long now) {
    int percent = random.nextInt(100);
    if (percent < 40) {
      return now + random.nextInt(3);
    }
    if (percent < 75) {
      return now + random.nextInt(400_000);
    }
    return percent < 93
        ? now + SPANS[random.nextInt(SPANS.length)] + random.nextInt(3) - 1
        : now - random.nextInt(3_000_000);
  }
}
