package dev.sluice.redis.verbs;

import static dev.sluice.redis.verbs.VirtualRedis.join;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.LimitRequest.Verb;
import dev.sluice.spi.LimitRule;
import dev.sluice.spi.SettleRequest;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The scripts answer uses and their settlements with the numbers that were worked out by hand. */
@EachRedis
class RedisSettlementVectorsIT {
  private static final long EPOCH = 1_767_225_600_000_000L;
  private static final long HOUR = 3_600_000_000L;

  private final RedisServer server;

  RedisSettlementVectorsIT(RedisServer server) {
    this.server = server;
  }

  /** A use of a vector, to be settled by a later line. */
  private record Use(long estimate, long begunAt) {}

  @Test
  void answersEveryVector() throws IOException {
    String text;
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("settle.csv"))) {
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<String> lines = text.lines().skip(1).toList();
    assertThat(lines).hasSizeGreaterThan(50);
    Map<String, Use> uses = new HashMap<>();
    try (VirtualRedis redis = new VirtualRedis(server, UnaryOperator.identity())) {
      for (String line : lines) {
        String[] f = line.split(",", -1);
        for (String limits : f[2].split("\\|")) {
          redis.at(EPOCH + micros(f[3]));
          answer(line + " on " + limits, f, redis, limits, uses);
        }
      }
    }
  }

  private static void answer(
      String as, String[] f, VirtualRedis redis, String limits, Map<String, Use> uses) {
    String name = f[1] + " " + limits;
    List<LimitRule> rules =
        LimitRule.of(
            Stream.of(limits.split(" \\+ ")).map(Limit::parse).toList(), 0, CarryOver.KEEP, 0);
    long amount = f[6].isEmpty() ? 0 : Long.parseLong(f[6]);
    if (f[4].equals("begin") || f[4].equals("peek")) {
      Verb verb = f[4].equals("begin") ? Verb.BEGIN : Verb.PEEK;
      LimitReply reply =
          join(
              redis
                  .backend
                  .limits()
                  .decide(new LimitRequest(verb, name, "key", rules, amount, 1, 0, 0)));
      uses.putIfAbsent(name + f[5], new Use(amount, reply.at()));
      assertThat(reply.granted()).as(as).isEqualTo(f[7].equals("allowed") ? 1 : 0);
      assertThat(reply.remaining()).as(as).isEqualTo(Long.parseLong(f[8]));
      assertThat(reply.retry()).as(as).isEqualTo(micros(f[9]));
      if (!f[10].isEmpty()) {
        assertThat(reply.reset()).as(as).isEqualTo(micros(f[10]));
      }
    } else {
      Use use = Objects.requireNonNull(uses.get(name + f[5]), as);
      boolean unused = f[4].equals("refund");
      SettleRequest request =
          new SettleRequest(
              name, "key", rules, f[5], use.estimate, amount, unused, use.begunAt, HOUR);
      assertThat(join(redis.backend.limits().settle(request))).as(as).hasToString(f[7]);
    }
  }

  private static long micros(String seconds) {
    return new BigDecimal(seconds).movePointRight(6).longValueExact();
  }
}
