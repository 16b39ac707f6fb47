package dev.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.replay.ReplayReport.Refused;
import dev.sluice.replay.ReplayReport.Result;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same logs decided by the textbook: every admission kept in a list, seconds as they are
 * written, nothing clever.
 */
class AgainstNaiveTest {
  private static final long START = Instant.parse("2026-11-20T23:59:30Z").getEpochSecond();

  private record Entry(long second, String key) {}

  /** Decides one request from the admissions of its key so far. */
  private interface Textbook {
    boolean admits(long second, List<Long> admitted);
  }

  private static long between(List<Long> admitted, long from, long to) {
    return admitted.stream().filter(second -> second >= from && second <= to).count();
  }

  private static final Textbook FIXED = // 7 in 60 s of the clock
      (second, admitted) -> between(admitted, second / 60 * 60, second) < 7;
  private static final Textbook LOG = // 7 in any 60 s
      (second, admitted) -> between(admitted, second - 59, second) < 7;
  private static final Textbook EXPIRING = // 7 in 60 s since the first
      (second, admitted) -> {
        long opened = Long.MIN_VALUE;
        for (long each : admitted) {
          if (opened == Long.MIN_VALUE || each >= opened + 60) {
            opened = each;
          }
        }
        return opened == Long.MIN_VALUE
            || second >= opened + 60
            || between(admitted, opened, second) < 7;
      };
  private static final Textbook BUCKET = // 1 in 10 s, 3 at once; tenths of a token
      (second, admitted) -> {
        long tokens = 30;
        long last = START;
        for (long each : admitted) {
          tokens = Math.min(30, tokens + each - last) - 10;
          last = each;
        }
        return Math.min(30, tokens + second - last) >= 10;
      };
  private static final Textbook SLOTS = // 7 in 60 s, cut into 6 slots and one more
      (second, admitted) -> between(admitted, (second / 10 - 6) * 10, second) < 7;

  private static List<Entry> randomLog(long seed) {
    Random random = new Random(seed);
    List<Entry> log = new ArrayList<>();
    long second = START;
    for (int i = 0; i < 4000; i++) {
      second += random.nextInt(4) == 0 ? random.nextInt(random.nextInt(40) == 0 ? 200 : 4) : 0;
      int spread = random.nextInt(30);
      log.add(
          new Entry(
              second - (i > 0 && random.nextInt(20) == 0 ? 1 : 0), "k" + spread * spread / 60));
    }
    return log;
  }

  private static byte[] bytes(List<Entry> log) {
    StringBuilder out = new StringBuilder("time,k\n");
    log.forEach(entry -> out.append(entry.second).append(',').append(entry.key).append('\n'));
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyNumberIsThatOfTheTextbook(long seed) throws IOException {
    List<Entry> log = randomLog(seed);
    Map<String, List<Textbook>> books = new TreeMap<>();
    books.put("fixed-window 7/1m", List.of(FIXED));
    books.put("sliding-log 7/1m", List.of(LOG));
    books.put("expiring-window 7/1m", List.of(EXPIRING));
    books.put("token-bucket 6/1m burst 3", List.of(BUCKET));
    books.put("gcra 1/10s burst 3", List.of(BUCKET));
    books.put("sliding-window 7/1m slots 6", List.of(SLOTS));
    books.put("token-bucket 6/1m burst 3 + fixed-window 7/1m", List.of(BUCKET, FIXED));
    Replay replay =
        new Replay(
            books.keySet().stream().map(ReplayPolicy::parse).toList(),
            LogFormat.csv("k", ""),
            Optional.empty(),
            Replay.DEFAULT_MEMORY);
    replay.read(Channels.newChannel(new ByteArrayInputStream(bytes(log))));
    ReplayReport report = replay.report();
    int place = 0;
    for (Map.Entry<String, List<Textbook>> book : books.entrySet()) {
      compare(report, report.policies().get(place++), book.getKey(), book.getValue(), log);
    }
  }

  private static void compare(
      ReplayReport report, Result result, String name, List<Textbook> books, List<Entry> log) {
    Map<String, List<Long>> admitted = new HashMap<>();
    Map<String, Long> asked = new HashMap<>();
    Map<String, Long> refused = new HashMap<>();
    long now = START;
    long worst = 0;
    for (Entry entry : log) {
      now = Math.max(now, entry.second);
      long second = now;
      List<Long> mine = admitted.computeIfAbsent(entry.key, key -> new ArrayList<>());
      asked.merge(entry.key, 1L, Long::sum);
      if (books.stream().allMatch(book -> book.admits(second, mine))) {
        mine.add(second);
        long period = name.startsWith("gcra") ? 10 : 60;
        worst = Math.max(worst, between(mine, second - period + 1, second));
      } else {
        refused.merge(entry.key, 1L, Long::sum);
      }
    }
    assertThat(result.refused())
        .as(name)
        .isPositive()
        .isEqualTo(refused.values().stream().mapToLong(Long::longValue).sum());
    assertThat(result.admitted() + result.refused()).as(name).isEqualTo(log.size());
    assertThat(result.worst().get(0).most()).as(name).isEqualTo(worst);
    assertThat(report.keys()).isEqualTo(asked.size());
    assertThat(result.neverRefused())
        .as(name)
        .isEqualTo(1 - (double) refused.size() / asked.size(), within(1e-12));
    assertThat(report.giniOfAsked())
        .isEqualTo(gini(asked.values().stream().toList()), within(1e-9));
    assertThat(result.giniOfAdmitted())
        .as(name)
        .isEqualTo(
            gini(admitted.values().stream().map(list -> (long) list.size()).toList()),
            within(1e-9));
    for (Refused top : result.mostRefused()) {
      assertThat(top.tooMuch()).isZero();
      assertThat(top.count()).isEqualTo(refused.get(top.key()));
    }
    assertThat(result.mostRefused().get(0).count())
        .isEqualTo(refused.values().stream().mapToLong(Long::longValue).max().orElseThrow());
    assertThat(result.refusedOverTime().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(result.refused());
  }

  /** Half the mean difference of all pairs, as a share of the mean: its definition. */
  private static double gini(List<Long> counts) {
    double differences = 0;
    double sum = 0;
    for (long one : counts) {
      sum += one;
      for (long other : counts) {
        differences += Math.abs(one - other);
      }
    }
    return differences / (2 * counts.size() * sum);
  }
}
