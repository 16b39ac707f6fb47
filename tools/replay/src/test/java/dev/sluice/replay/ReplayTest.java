package dev.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.sluice.replay.ReplayReport.BadLine;
import dev.sluice.replay.ReplayReport.Refused;
import dev.sluice.replay.ReplayReport.Result;
import dev.sluice.servers.JavaCommand;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayTest {
  private static final String AT = "[21/Nov/2026:00:34:56 +0000] \"GET / HTTP/1.1\" 200 1";
  private static final String LATER = "[21/Nov/2026:00:34:58 +0000] \"GET / HTTP/1.1\" 200 1";

  private static Replay replay(long memory, String... policies) {
    return new Replay(
        Stream.of(policies).map(ReplayPolicy::parse).toList(),
        LogFormat.common("ip"),
        Optional.empty(),
        memory);
  }

  private static ReplayReport replay(byte[] log, String... policies) throws IOException {
    Replay replay = replay(Replay.DEFAULT_MEMORY, policies);
    replay.read(Channels.newChannel(new ByteArrayInputStream(log)));
    assertThat(replay.bytes()).isEqualTo(log.length);
    return replay.report();
  }

  private static ReplayReport replay(String log, String... policies) throws IOException {
    return replay(log.getBytes(StandardCharsets.UTF_8), policies);
  }

  @Test
  void decidesAtTheTimeOfTheLineForEachKeyByItself() throws IOException {
    String log =
        "a - - " + AT + "\na - - " + AT + "\nb - - " + AT + "\na - - " + LATER + "\na - - " + LATER;
    ReplayReport report = replay(log + "\n", "token-bucket 1/2s", "fixed-window 5/1h");
    assertThat(report.requests()).isEqualTo(5);
    assertThat(report.keys()).isEqualTo(2);
    assertThat(report.from()).isEqualTo("2026-11-21T00:34:56Z");
    assertThat(report.to()).isEqualTo("2026-11-21T00:34:58Z");
    Result bucket = report.policies().get(0);
    assertThat(bucket.admitted()).isEqualTo(3);
    assertThat(bucket.refused()).isEqualTo(2);
    assertThat(bucket.neverRefused()).isEqualTo(0.5);
    assertThat(bucket.mostRefused()).containsExactly(new Refused("a", 2, 0));
    assertThat(bucket.refusedOverTime()).containsExactly(1L, 0L, 1L);
    assertThat(report.asked()).containsExactly(3L, 0L, 2L);
    assertThat(report.policies().get(1).admitted()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\n\n", "\r\n\r\n"})
  void linesMayEndInAnyWayAndTheLastOneNeedNot(String end) throws IOException {
    String log = "a - - " + AT + end + "b - - " + AT;
    assertThat(replay(log, "gcra 1/s")).isEqualTo(replay(log, "gcra 1/s"));
    for (String text : List.of(log, log + end, "\uFEFF" + log)) {
      ReplayReport report = replay(text, "gcra 1/s");
      assertThat(report.requests()).isEqualTo(2);
      assertThat(report.lines()).isEqualTo(2);
      assertThat(report.malformed()).isZero();
      assertThat(report.policies().get(0).admitted()).isEqualTo(2); // two keys, not "\uFEFFa"
    }
    assertThat(replay("\uFEFF" + log + "\na - - " + AT, "gcra 1/s").keys()).isEqualTo(2);
  }

  @Test
  void anEmptyLogIsAnEmptyAnswer() throws IOException {
    for (String log : List.of("", "\n", "x")) {
      ReplayReport report = replay(log, "gcra 1/s");
      assertThat(report.requests()).isZero();
      assertThat(report.policies().get(0).neverRefused()).isEqualTo(1);
      assertThat(report.asked()).isEmpty();
    }
  }

  @Test
  void badLinesAreCountedAndTheFirstOnesShown() throws IOException {
    StringBuilder log = new StringBuilder("a - - " + AT + "\n\n");
    for (int i = 0; i < 7; i++) {
      log.append("bad ").append(i).append("x".repeat(100)).append('\n');
    }
    log.append("- - - ").append(AT).append('\n');
    ReplayReport report = replay(log.toString(), "gcra 1/s");
    assertThat(report.malformed()).isEqualTo(7);
    assertThat(report.withoutKey()).isEqualTo(1);
    assertThat(report.requests()).isEqualTo(1);
    assertThat(report.lines()).isEqualTo(9);
    assertThat(report.examples()).hasSize(5);
    assertThat(report.examples().get(0))
        .isEqualTo(new BadLine(3, "no [time]", "bad 0" + "x".repeat(75) + "..."));
  }

  @Test
  void aLineThatIsTooLongIsSkippedWhole() throws IOException {
    String huge = "a - - " + AT + " \"" + "y".repeat(3 << 20) + "\"";
    ReplayReport report = replay(huge + "\nb - - " + AT + "\n", "gcra 1/s");
    assertThat(report.malformed()).isEqualTo(1);
    assertThat(report.examples().get(0).number()).isEqualTo(1);
    assertThat(report.requests()).isEqualTo(1);
    assertThat(report.lines()).isEqualTo(2);
  }

  @Test
  void aLineThatIsLateCountsAtTheTimeBefore() throws IOException {
    String log = "a - - " + LATER + "\na - - " + AT + "\nb - - " + AT + "\nb - - " + LATER;
    ReplayReport report = replay(log, "gcra 1/s");
    assertThat(report.outOfOrder()).isEqualTo(2);
    assertThat(report.latest()).isEqualTo(Duration.ofSeconds(2));
    assertThat(report.policies().get(0).refused()).isEqualTo(2);
    assertThat(report.asked()).containsExactly(4L);
  }

  @Test
  void anotherDayAnotherZoneAndAnOldLog() throws IOException {
    String log =
        "a - - [10/Oct/2000:23:59:59 -0700] \"GET / HTTP/1.0\" 200 1\n"
            + "a - - [11/Oct/2000:00:00:00 -0700] \"GET / HTTP/1.0\" 200 1\n"
            + "a - - [11/Oct/2000:07:00:00 +0000] \"GET / HTTP/1.0\" 200 1\n";
    ReplayReport report = replay(log, "fixed-window 1/1s", "fixed-window 1/1h");
    assertThat(report.outOfOrder()).isZero();
    assertThat(report.policies().get(0).refused()).isEqualTo(1);
    assertThat(report.policies().get(1).admitted()).isEqualTo(2); // 06:59:59 and 07:00:00
    assertThat(report.policies().get(1).worst().get(0).most()).isEqualTo(2);
    assertThat(report.policies().get(1).worst().get(0).at()).isEqualTo("2000-10-11T07:00:00Z");
  }

  @Test
  void aCompressedLogIsAnErrorThatSaysWhatToDo() throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(("a - - " + AT).getBytes(StandardCharsets.UTF_8));
    }
    assertThatThrownBy(() -> replay(zipped.toByteArray(), "gcra 1/s"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the log is compressed: gunzip -c FILE | sluice limit replay - ...");
  }

  @Test
  void howTheBytesArriveMakesNoDifference() throws IOException {
    SyntheticLog synthetic = new SyntheticLog(3000, 20, 50, 1);
    ByteBuffer log = ByteBuffer.allocate(1 << 20);
    assertThat(synthetic.read(log)).isPositive();
    byte[] bytes = java.util.Arrays.copyOf(log.array(), log.position());
    ReplayReport whole = replay(bytes, "token-bucket 1/s burst 5");
    assertThat(whole.requests()).isEqualTo(3000);
    Replay dripping = replay(Replay.DEFAULT_MEMORY, "token-bucket 1/s burst 5");
    dripping.read(drip(bytes));
    assertThat(dripping.report()).isEqualTo(whole);
  }

  /** Gives one byte, then two, then three, and now and then nothing. */
  private static ReadableByteChannel drip(byte[] bytes) {
    return new ReadableByteChannel() {
      private int at;
      private int calls;

      @Override
      public int read(ByteBuffer target) {
        if (at == bytes.length) {
          return -1;
        }
        int count = Math.min(calls++ % 4, bytes.length - at);
        target.put(bytes, at, count);
        at += count;
        return count;
      }

      @Override
      public boolean isOpen() {
        return true;
      }

      @Override
      public void close() {}
    };
  }

  @Test
  void aQueueMakesCallersWaitAndSaysHowLong() throws IOException {
    String log = ("a - - " + AT + "\n").repeat(10);
    ReplayReport report = replay(log, "leaky-queue 1/s places 4", "gcra 1/s");
    Result queue = report.policies().get(0);
    assertThat(queue.admitted()).isEqualTo(5); // one at once, four who wait
    assertThat(queue.worst().get(0).most()).isEqualTo(1);
    ReplayReport.Waits waits = queue.delays().orElseThrow();
    assertThat(waits.delayed()).isEqualTo(4);
    assertThat(waits.most()).isEqualTo(Duration.ofSeconds(4));
    assertThat(waits.p99()).isEqualTo(Duration.ofSeconds(4));
    assertThat(waits.median()).isBetween(Duration.ofSeconds(2), Duration.ofMillis(2126));
    assertThat(report.policies().get(1).delays()).isEmpty();
  }

  @Test
  void callersMayWaitUnderAnyPolicyAndNotForEverInAQueue() throws IOException {
    byte[] log = ("a - - " + AT + "\n").repeat(10).getBytes(StandardCharsets.UTF_8);
    Replay replay =
        new Replay(
            List.of(ReplayPolicy.parse("gcra 1/s"), ReplayPolicy.parse("leaky-queue 1/s")),
            LogFormat.common("ip"),
            Optional.of(Duration.ofSeconds(3)),
            Replay.DEFAULT_MEMORY);
    replay.read(Channels.newChannel(new ByteArrayInputStream(log)));
    for (Result result : replay.report().policies()) {
      assertThat(result.admitted()).as(result.policy()).isEqualTo(4);
      assertThat(result.delays().orElseThrow().most()).isEqualTo(Duration.ofSeconds(3));
    }
  }

  @Test
  void aSharedTierCountsAllKeysTogether() throws IOException {
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < 10; i++) {
      log.append(i).append(" - - ").append(AT).append('\n');
    }
    Result result =
        replay(log.toString(), "fixed-window 2/1h + fixed-window 3/1h shared").policies().get(0);
    assertThat(result.admitted()).isEqualTo(3);
    assertThat(result.worst().get(0).most()).isEqualTo(1);
    assertThat(result.worst().get(1).most()).isEqualTo(3);
    assertThat(result.worst().get(1).key()).isEqualTo("all keys");
  }

  @Test
  void manyKeysAreForgottenInTimeAndWhatItCostsIsTold() throws IOException {
    long memory = 4 << 20;
    Replay replay = replay(memory, "sliding-window 1/1d", "token-bucket 1/s");
    replay.read(new SyntheticLog(200_000, 1000, 1 << 20, 3));
    ReplayReport report = replay.report();
    Result day = report.policies().get(0);
    assertThat(day.forgottenEarly()).isPositive();
    assertThat(day.admitted()).isGreaterThan(report.keys()); // too much: that is what is told
    assertThat(report.policies().get(1).forgottenEarly()).isZero();
    Replay roomy = replay(Replay.DEFAULT_MEMORY, "sliding-window 1/1d", "token-bucket 1/s");
    roomy.read(new SyntheticLog(200_000, 1000, 1 << 20, 3));
    assertThat(roomy.report().policies().get(0).forgottenEarly()).isZero();
    assertThat(roomy.report().policies().get(0).admitted()).isEqualTo(roomy.report().keys());
    assertThat(roomy.report().policies().get(1).admitted())
        .isEqualTo(report.policies().get(1).admitted());
  }

  @Test
  void aReportOfMoreKeysThanAreCountedIsOfASample() throws IOException {
    Replay replay = replay(Replay.DEFAULT_MEMORY, "token-bucket 1/s");
    replay.read(new SyntheticLog(1_500_000, 10_000, 1 << 24, 5));
    ReplayReport report = replay.report();
    assertThat(report.keysExact()).isFalse();
    java.util.BitSet seen = new java.util.BitSet();
    java.util.Set<Long> hashes = new java.util.HashSet<>();
    LogLine line = new LogLine();
    LogFormat format = LogFormat.common("ip");
    ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
    SyntheticLog again = new SyntheticLog(1_500_000, 10_000, 1 << 24, 5);
    while (again.read(buffer) >= 0) {
      int from = 0;
      int end;
      while ((end = Words.indexOf((byte) '\n', buffer.array(), from, buffer.position())) >= 0) {
        assertThat(format.read(buffer.array(), from, end, line)).isNull();
        hashes.add(line.hash());
        String[] parts =
            new String(line.key, line.keyFrom, line.keyTo - line.keyFrom, StandardCharsets.US_ASCII)
                .split("\\.");
        seen.set(
            Integer.parseInt(parts[1]) << 16
                | Integer.parseInt(parts[2]) << 8
                | Integer.parseInt(parts[3]));
        from = end + 1;
      }
      buffer.flip().position(from);
      buffer.compact();
    }
    assertThat(hashes).hasSize(seen.cardinality());
    assertThat((double) report.keys() / seen.cardinality()).isCloseTo(1, within(0.02));
  }

  @Test
  void policiesAreCheckedLikeThoseOfALimiter() {
    assertThat(ReplayPolicy.parse(" token-bucket 10/s burst 20  +  fixed-window 100/1h ").tiers())
        .hasSize(2);
    for (String bad : List.of("", " + ", "gcra 1/s +", "gcra 1/s + leaky-queue 1/s", "gcra 0/s")) {
      assertThatThrownBy(() -> ReplayPolicy.parse(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> replay(1 << 20)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theTimelineWidensAsTheLogGoesOn() {
    Timeline timeline = new Timeline(1);
    long start = Instant.parse("2026-11-21T00:00:00.5Z").toEpochMilli() * 1000;
    for (int second = 0; second < 2000; second++) {
      int bin = timeline.asked(start + second * 1_000_000L);
      if (second % 10 == 0) {
        timeline.refused(bin, 0);
      }
    }
    assertThat(timeline.widthMicros()).isEqualTo(8_000_000);
    assertThat(timeline.asked()).hasSize(250).containsOnly(8L);
    assertThat(timeline.refusedBy(0)).hasSize(250);
    assertThat(java.util.Arrays.stream(timeline.refusedBy(0)).sum()).isEqualTo(200);
    assertThat(Instant.EPOCH.plus(timeline.startMicros(), ChronoUnit.MICROS))
        .isEqualTo("2026-11-21T00:00:00Z");
    timeline.asked(start + Duration.ofDays(70_000).toSeconds() * 1_000_000);
    assertThat(java.util.Arrays.stream(timeline.asked()).sum()).isEqualTo(2001);
  }

  /** Replays more than the memory holds; run in a JVM of its own. */
  static final class Much {
    static final long LINES = 3_000_000;

    public static void main(String[] args) throws IOException {
      Replay replay =
          new Replay(
              List.of(
                  ReplayPolicy.parse("token-bucket 1/s burst 5"),
                  ReplayPolicy.parse("sliding-window 100/1m")),
              LogFormat.common("ip"),
              Optional.empty(),
              Runtime.getRuntime().maxMemory() / 2);
      replay.read(new SyntheticLog(LINES, 1000, 1 << 22, 1));
      ReplayReport report = replay.report();
      System.out.println(report.requests() + " " + report.bytes() + " " + report.keysExact());
    }
  }

  @Test
  void aLogMayBeLargerThanTheMemory(@TempDir Path folder) throws Exception {
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(
                JavaCommand.of(
                    "-Xmx64m",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Much.class.getName()))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      await().atMost(Duration.ofMinutes(2)).until(() -> !process.isAlive());
      String said = Files.readString(out);
      assertThat(process.exitValue()).as(said).isZero();
      assertThat(said).matches(Much.LINES + " \\d+ false\\R");
      assertThat(Long.parseLong(said.split(" ")[1])).isGreaterThan(3 * (64L << 20));
    } finally {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }
}
