package dev.sluice.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.Fuzz;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lines of logs as servers write them, and as disks and editors spoil them. */
@Timeout(60)
class FuzzedLogTest {
  private static final String COMMON =
      "203.0.113.7 - alice [21/Nov/2026:00:34:56 +0000] \"GET /a/b?c=d HTTP/1.1\" 200 17 \"-\" \"x\"";
  private static final String ROW = "2026-11-21T00:34:56.123Z,\"a \"\"quoted\"\" one\",17";
  private static final long LATEST = 7_258_118_400_000_000L;

  private final LogLine line = new LogLine();

  /** In the middle of other bytes, or at the very end of a buffer, where nothing may be read. */
  private void read(Fuzz fuzz, LogFormat format, byte[] text) {
    int before = fuzz.below(3);
    int after = fuzz.below(3);
    byte[] bytes = new byte[before + text.length + after];
    System.arraycopy(text, 0, bytes, before, text.length);
    String problem = format.read(bytes, before, before + text.length, line);
    if (problem == null) {
      assertThat(line.time).isBetween(0L, LATEST);
      assertThat(line.keyFrom).isBetween(0, line.keyTo);
      assertThat(line.keyTo).isLessThanOrEqualTo(line.key.length);
      assertThat(line.hash()).isNotZero();
    } else {
      assertThat(problem).isNotBlank();
    }
  }

  @Test
  void linesOfAServerAreReadOrCounted() {
    for (String key : new String[] {"ip", "user", "path", "all"}) {
      LogFormat format = LogFormat.common(key);
      Fuzz.each(
          3_000,
          fuzz ->
              read(
                  fuzz,
                  format,
                  fuzz.below(8) == 0
                      ? fuzz.bytes(120)
                      : fuzz.below(2) == 0
                          ? fuzz.mutate(COMMON).getBytes(UTF_8)
                          : fuzz.mutate(COMMON.getBytes(UTF_8))));
    }
  }

  @Test
  void rowsAreReadOrCounted() {
    LogFormat format = LogFormat.csv("who", "time");
    byte[] header = "time,who,size".getBytes(UTF_8);
    assertThat(format.read(header, 0, header.length, line)).isEqualTo(LogFormat.HEADER);
    Fuzz.each(
        6_000,
        fuzz ->
            read(
                fuzz,
                format,
                fuzz.below(2) == 0
                    ? fuzz.mutate(ROW).getBytes(UTF_8)
                    : fuzz.mutate(ROW.getBytes(UTF_8))));
  }

  @Test
  void anyHeaderIsReadOrRefused() {
    Fuzz.each(
        3_000,
        fuzz -> {
          LogFormat format = LogFormat.csv(fuzz.pick("who", "all"), fuzz.pick("time", ""));
          byte[] header = fuzz.mutate("time;who;\"size\"").getBytes(UTF_8);
          try {
            assertThat(format.read(header, 0, header.length, line)).isEqualTo(LogFormat.HEADER);
            read(fuzz, format, fuzz.mutate(ROW.replace(',', ';')).getBytes(UTF_8));
          } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).contains("column");
          }
        });
  }

  @Test
  void policiesAreReadOrRefused() {
    Fuzz.each(
        3_000,
        fuzz -> {
          String text = fuzz.mutate("gcra 10/s burst 5 name a + fixed-window 100/m shared");
          try {
            ReplayPolicy policy = ReplayPolicy.parse(text);
            assertThat(ReplayPolicy.parse(policy.toString())).isEqualTo(policy);
          } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
  }
}
