package dev.sluice.replay;

import dev.sluice.limit.Limit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Reads an access log once and decides every line under several policies, each separately, at the
 * time in the line. Takes a bounded amount of memory however long the log is, and answers the same
 * each time. For one log and one thread; {@link #bytes()} and {@link #lines()} may be asked by
 * others while it runs.
 *
 * @since 0.1
 */
public final class Replay {
  /** The room for about two million keys. */
  public static final long DEFAULT_MEMORY = 512L << 20;

  private static final int BUFFER = 1 << 20;
  private static final int EXAMPLES = 5;
  private static final int EXAMPLE_LENGTH = 80;
  private static final int TOP = 5;
  private static final int MAX_COUNTED_KEYS = 1 << 18;

  /**
   * Limits count from 2001-09-09 on. An older log is moved by this: a multiple of the week and of
   * most shorter periods, so that windows of the clock begin where they did.
   */
  private static final long OLD_LOG_SHIFT = 20_160L * 86_400 * 1_000_000;

  private static final long EARLIEST = 1_000_100_000_000_000L;

  private final LogFormat format;
  private final PolicyRun[] runs;
  private final LogLine line = new LogLine();
  private final KeyCounts keys;
  private final Timeline timeline;
  private final List<ReplayReport.BadLine> examples = new ArrayList<>();
  private long number;
  private long header;
  private long empty;
  private long requests;
  private long malformed;
  private long withoutKey;
  private long outOfOrder;
  private long latest;
  private long first = -1;
  private long now;
  private long shift;
  private volatile long bytesRead;
  private volatile long linesRead;

  /**
   * Prepares a replay.
   *
   * @param policies what to compare, at least one
   * @param format how to read lines; not used for another log
   * @param maxWait how long callers would wait; empty for not at all, and in a leaky queue until
   *     their turn, up to an hour
   * @param memoryBytes about how much memory the keys of all policies may take up
   */
  public Replay(
      List<ReplayPolicy> policies, LogFormat format, Optional<Duration> maxWait, long memoryBytes) {
    if (policies.isEmpty()) {
      throw new IllegalArgumentException("policies must be at least 1: 0");
    }
    this.format = format;
    long wait = maxWait.map(Replay::micros).orElse(-1L);
    runs = new PolicyRun[policies.size()];
    for (int i = 0; i < runs.length; i++) {
      runs[i] = new PolicyRun(policies.get(i), wait, memoryBytes / runs.length);
    }
    keys = new KeyCounts(runs.length, MAX_COUNTED_KEYS);
    timeline = new Timeline(runs.length);
  }

  private static long micros(Duration wait) {
    return wait.compareTo(Duration.ofHours(1)) >= 0 ? Delays.MAX_MICROS : wait.toNanos() / 1000;
  }

  /**
   * Reads a log to its end.
   *
   * @param in the log
   * @throws java.nio.channels.ClosedByInterruptException if the thread is interrupted; what was
   *     read until then is reported
   * @throws IOException if the log cannot be read on
   * @throws IllegalArgumentException if this is no log of this format at all: compressed, or
   *     without the columns that are needed
   */
  public void read(ReadableByteChannel in) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    byte[] bytes = buffer.array();
    boolean skipping = false;
    boolean begun = false;
    while (true) {
      int count = in.read(buffer);
      bytesRead = bytesRead + Math.max(0, count);
      int filled = buffer.position();
      int from = 0;
      if (!begun) {
        if (count >= 0 && filled < 4) {
          continue;
        }
        begun = true;
        checkPlain(bytes, filled);
        from = startsWithMark(bytes, filled) ? 3 : 0;
      }
      int end;
      while ((end = Words.indexOf((byte) '\n', bytes, from, filled)) >= 0) {
        if (!skipping) {
          line(bytes, from, end);
        }
        skipping = false;
        from = end + 1;
      }
      linesRead = number;
      if (count < 0) {
        if (from < filled && !skipping) {
          line(bytes, from, filled);
          linesRead = number;
        }
        return;
      }
      if (from == 0 && filled == BUFFER) {
        if (!skipping) {
          number++;
          bad("longer than " + BUFFER + " bytes", bytes, 0, filled);
        }
        skipping = true;
        buffer.clear();
      } else {
        buffer.flip().position(from);
        buffer.compact();
      }
    }
  }

  private static boolean startsWithMark(byte[] bytes, int filled) {
    return filled >= 3
        && bytes[0] == (byte) 0xEF
        && bytes[1] == (byte) 0xBB
        && bytes[2] == (byte) 0xBF;
  }

  private static void checkPlain(byte[] bytes, int filled) {
    if (filled < 4) {
      return;
    }
    int start = ByteBuffer.wrap(bytes).getInt(0);
    String tool =
        start >>> 16 == 0x1F8B
            ? "gunzip -c"
            : start == 0x28B52FFD
                ? "zstd -dc"
                : start == 0xFD377A58 ? "xz -dc" : start >>> 8 == 0x425A68 ? "bunzip2 -c" : "";
    if (!tool.isEmpty()) {
      throw new IllegalArgumentException(
          "the log is compressed: " + tool + " FILE | sluice limit replay - ...");
    }
  }

  private void line(byte[] bytes, int from, int lineEnd) {
    number++;
    int to = lineEnd > from && bytes[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
    if (from == to) {
      empty++;
      return;
    }
    String problem = format.read(bytes, from, to, line);
    if (problem == null) {
      request(line.time);
    } else if (problem.equals(LogFormat.HEADER)) {
      header++;
    } else if (problem.equals(LogFormat.NO_KEY)) {
      withoutKey++;
    } else {
      bad(problem, bytes, from, to);
    }
  }

  private void bad(String problem, byte[] bytes, int from, int to) {
    malformed++;
    if (examples.size() < EXAMPLES) {
      int length = Math.min(to - from, EXAMPLE_LENGTH);
      String text = new String(bytes, from, length, StandardCharsets.UTF_8);
      examples.add(
          new ReplayReport.BadLine(number, problem, length < to - from ? text + "..." : text));
    }
  }

  private void request(long time) {
    if (first < 0) {
      first = time;
      now = time;
      shift = time < EARLIEST ? OLD_LOG_SHIFT : 0;
    } else if (time < now) {
      outOfOrder++;
      latest = Math.max(latest, now - time);
    } else {
      now = time;
    }
    requests++;
    long hash = line.hash();
    int bin = timeline.asked(now);
    int counted = keys.asked(hash);
    for (int i = 0; i < runs.length; i++) {
      if (!runs[i].offer(hash, now + shift, line)) {
        timeline.refused(bin, i);
        keys.refused(counted, i);
      }
    }
  }

  /** {@return the number of bytes read so far} */
  public long bytes() {
    return bytesRead;
  }

  /** {@return the number of lines read so far} */
  public long lines() {
    return linesRead;
  }

  /** {@return the result of the lines read so far} */
  public ReplayReport report() {
    List<ReplayReport.Result> results = new ArrayList<>();
    for (int i = 0; i < runs.length; i++) {
      results.add(result(runs[i], i));
    }
    return new ReplayReport(
        bytesRead,
        number - header - empty,
        requests,
        malformed,
        List.copyOf(examples),
        withoutKey,
        outOfOrder,
        duration(latest),
        instant(Math.max(0, first)),
        instant(now),
        keys.keys(),
        keys.isExact(),
        keys.giniOfAsked(),
        duration(timeline.widthMicros()),
        instant(Math.max(0, timeline.startMicros())),
        list(timeline.asked()),
        results);
  }

  private ReplayReport.Result result(PolicyRun run, int place) {
    List<ReplayReport.Worst> worst = new ArrayList<>();
    for (int i = 0; i < run.worst.length; i++) {
      Limit limit = run.policy.tiers().get(i);
      worst.add(
          new ReplayReport.Worst(
              limit.toString(),
              limit.period(),
              limit.count(),
              run.worst[i],
              new String(run.worstKey[i], StandardCharsets.UTF_8),
              instant(run.worst[i] == 0 ? 0 : run.worstTime[i] - shift)));
    }
    return new ReplayReport.Result(
        run.policy.toString(),
        run.admitted,
        run.refused,
        worst,
        keys.neverRefused(place),
        keys.giniOfAdmitted(place),
        run.refusedKeys.top(TOP).stream()
            .map(top -> new ReplayReport.Refused(top.key(), top.count(), top.tooMuch()))
            .toList(),
        waits(run),
        run.live.forgottenEarly(),
        list(timeline.refusedBy(place)));
  }

  private static Optional<ReplayReport.Waits> waits(PolicyRun run) {
    Delays delays = run.delays;
    return run.makesWait()
        ? Optional.of(
            new ReplayReport.Waits(
                delays.delayed(),
                duration(delays.quantile(0.5)),
                duration(delays.quantile(0.99)),
                duration(delays.most())))
        : Optional.empty();
  }

  private static List<Long> list(long[] counts) {
    return Arrays.stream(counts).boxed().toList();
  }

  private static Duration duration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
