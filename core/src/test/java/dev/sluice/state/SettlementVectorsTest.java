package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.limit.Limit;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRule;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Uses and their settlements, worked out by hand. The scripts of Redis are given the same vectors.
 */
class SettlementVectorsTest {

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
    Map<String, Tank> tanks = new HashMap<>();
    Map<String, Use> uses = new HashMap<>();
    for (String line : lines) {
      String[] f = line.split(",", -1);
      for (String limits : f[2].split("\\|")) {
        String series = f[1] + limits;
        List<LimitRule> rules =
            Tank.rules(Stream.of(limits.split(" \\+ ")).map(Limit::parse).toArray(Limit[]::new));
        Tank tank = tanks.computeIfAbsent(series, unknown -> new Tank());
        tank.now = Tank.EPOCH + micros(f[3]);
        answer(line + " on " + limits, f, tank, rules, uses, series + f[5]);
      }
    }
  }

  private static void answer(
      String as, String[] f, Tank tank, List<LimitRule> rules, Map<String, Use> uses, String id) {
    long amount = f[6].isEmpty() ? 0 : Long.parseLong(f[6]);
    Use use = uses.get(id);
    switch (f[4]) {
      case "begin" -> {
        LimitReply reply = tank.begin(rules, amount);
        uses.put(id, new Use(amount, reply.at()));
        assertReply(as, f, reply);
      }
      case "peek" -> assertReply(as, f, tank.peek(rules, amount));
      case "settle" ->
          assertThat(tank.settle(rules, f[5], use.estimate, amount, use.begunAt))
              .as(as)
              .hasToString(f[7]);
      default ->
          assertThat(tank.settle(rules, f[5], use.estimate, 0, true, use.begunAt))
              .as(as)
              .hasToString(f[7]);
    }
  }

  private static void assertReply(String as, String[] f, LimitReply reply) {
    assertThat(reply.granted()).as(as).isEqualTo(f[7].equals("allowed") ? 1 : 0);
    assertThat(reply.remaining()).as(as).isEqualTo(Long.parseLong(f[8]));
    assertThat(reply.retry()).as(as).isEqualTo(micros(f[9]));
    if (!f[10].isEmpty()) {
      assertThat(reply.reset()).as(as).isEqualTo(micros(f[10]));
    }
  }

  private static long micros(String seconds) {
    return new BigDecimal(seconds).movePointRight(6).longValueExact();
  }
}
