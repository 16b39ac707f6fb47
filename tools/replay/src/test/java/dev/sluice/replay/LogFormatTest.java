package dev.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogFormatTest {
  private static final String REST = " \"GET /a/b?c=d HTTP/1.1\" 200 17 \"-\" \"curl/8\"";

  private final LogLine line = new LogLine();

  private @Nullable String read(LogFormat format, String text) {
    // the line stands in the middle of other bytes, as it does in a buffer
    byte[] bytes = ("xx" + text + "\" ] [ /xx").getBytes(StandardCharsets.UTF_8);
    return format.read(bytes, 2, bytes.length - 9, line);
  }

  private String key() {
    return new String(line.key, line.keyFrom, line.keyTo - line.keyFrom, StandardCharsets.UTF_8);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "ip   | 203.0.113.7 - - [21/Nov/2026:00:34:56 +0000]          | 203.0.113.7",
        "ip   | 2001:db8::7 - - [21/Nov/2026:00:34:56 +0000]          | 2001:db8::7",
        "ip   | ::ffff:203.0.113.7 - - [21/Nov/2026:00:34:56 +0000]   | ::ffff:203.0.113.7",
        "user | ::1 - alice [21/Nov/2026:00:34:56 +0000]              | alice",
        "user | ::1 - alice [b] c [21/Nov/2026:00:34:56 +0000]        | alice [b] c",
        "path | ::1 - - [21/Nov/2026:00:34:56 +0000]                  | /a/b",
        "all  | ::1 - - [21/Nov/2026:00:34:56 +0000]                  | all"
      })
  void findsTheKey(String key, String start, String expected) {
    assertThat(read(LogFormat.common(key), start + REST)).isNull();
    assertThat(key()).isEqualTo(expected);
    assertThat(instant(line.time)).isEqualTo("2026-11-21T00:34:56Z");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"GET /plain HTTP/1.1\" 200 1     | /plain",
        "\"GET /plain\" 200 1              | /plain",
        "\"GET /a\\\"b c HTTP/1.1\" 404 1  | /a\\\"b",
        "\"\\x16\\x03\\x01\" 400 1         | \\x16\\x03\\x01",
        "\"GET /?q=\\\"x HTTP/1.1\" 200 1  | /",
        "\"OPTIONS * HTTP/1.0\" 200 1      | *"
      })
  void findsThePathInAnyRequest(String request, String path) {
    assertThat(read(LogFormat.common("path"), "::1 - - [21/Nov/2026:00:34:56 +0000] " + request))
        .isNull();
    assertThat(key()).isEqualTo(path);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "garbage                                                | no [time]",
        "::1 - -                                                | no [time]",
        "::1 - - [                                              | not a time",
        "::1 - - [21/Nov/2026:00:34:56                          | not a time",
        "::1 - - []                                             | not a time",
        "::1 - - [21/Nov/2026:24:34:56 +0000]                   | not a time",
        "::1 - - [31/Nov/2026:00:34:56 +0000]                   | not a time",
        "::1 - - [29/Feb/2026:00:34:56 +0000]                   | not a time",
        "::1 - - [21/Nop/2026:00:34:56 +0000]                   | not a time",
        "::1 - - [21/Nov/2026:00:34:5x +0000]                   | not a time",
        "::1 - - [21/Nov/2026:00:34:56 0000 ]                   | not a time",
        "::1 - - [21/Nov/9999:00:34:56 +0000]                   | not a time",
        "::1 - - [21/Nov/1969:00:34:56 +0000]                   | not a time",
        "::1 - - [21/Nov/2026:00:34:56 +0000]                   | no \"request\"",
        "::1 - - [21/Nov/2026:00:34:56 +0000] 200 17            | no \"request\"",
        "::1 - - [21/Nov/2026:00:34:56 +0000] \"GET /a          | the \"request\" has no end",
        "::1 - - [21/Nov/2026:00:34:56 +0000] \"GET \\\"        | the \"request\" has no end",
        "::1 - - [21/Nov/2026:00:34:56 +0000] \"-\" 408 0       | no key",
        "::1 - - [21/Nov/2026:00:34:56 +0000] \"\" 400 0        | no key"
      })
  void saysWhatIsWrongAndNeverReadsOn(String text, String problem) {
    assertThat(read(LogFormat.common("path"), text)).isEqualTo(problem);
  }

  @Test
  void noUserIsNoKey() {
    String start = "::1 - - [21/Nov/2026:00:34:56 +0000]";
    assertThat(read(LogFormat.common("user"), start + REST)).isEqualTo(LogFormat.NO_KEY);
  }

  @ParameterizedTest
  @CsvSource({
    "21/Nov/2026:00:34:56 +0000, 2026-11-21T00:34:56Z",
    "21/Nov/2026:00:34:56 +0100, 2026-11-20T23:34:56Z",
    "31/Dec/2026:23:59:60 -0330, 2027-01-01T03:30:00Z",
    "29/Feb/2028:12:00:00 +0545, 2028-02-29T06:15:00Z",
    "10/Oct/2000:13:55:36 -0700, 2000-10-10T20:55:36Z",
    "01/Jan/1970:00:00:00 +0000, 1970-01-01T00:00:00Z",
    "2026-11-21T00:34:56Z, 2026-11-21T00:34:56Z",
    "2026-11-21 00:34, 2026-11-21T00:34:00Z",
    "2026-11-21T00:34:56.123456789+01:00, 2026-11-20T23:34:56.123456Z",
    "'2026-11-21 00:34:56,5', 2026-11-21T00:34:56.500Z",
    "2026-11-21T00:34:56-03, 2026-11-21T03:34:56Z",
    "1795221296, 2026-11-21T00:34:56Z",
    "1795221296.25, 2026-11-21T00:34:56.250Z",
    "1795221296123, 2026-11-21T00:34:56.123Z",
    "1795221296123456, 2026-11-21T00:34:56.123456Z",
    "1795221296123456789, 2026-11-21T00:34:56.123456Z"
  })
  void readsTimes(String text, Instant expected) {
    byte[] bytes = ("9" + text + "9").getBytes(StandardCharsets.UTF_8);
    assertThat(instant(TimeText.parse(bytes, 1, bytes.length - 1))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "-5",
        "1.5.5",
        "1795221296x",
        "1795221296123.5",
        "99999999999999999999",
        "2026-11-21",
        "2026-11-21T00:34:56+1",
        "2026-11-21T00:34:56.Z",
        "2026-11-21T00:34:56.1x",
        "2026-11-21X00:34:56Z",
        "2026-13-21T00:34:56Z",
        "1969-12-31T23:59:59Z",
        "2200-01-01T00:00:00Z"
      })
  void refusesWhatIsNoTime(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    assertThat(TimeText.parse(bytes, 0, bytes.length)).isEqualTo(TimeText.NONE);
  }

  @Test
  void twoLinesOfOneSecondAndOneOfTheNext() {
    LogFormat format = LogFormat.common("ip");
    for (String time : new String[] {"00:59:59", "00:59:59", "01:00:00", "00:59:59"}) {
      assertThat(read(format, "::1 - - [21/Nov/2026:" + time + " +0000]" + REST)).isNull();
      assertThat(instant(line.time)).isEqualTo("2026-11-21T" + time + "Z");
    }
    assertThat(read(format, "::1 - - [21/Nov/2026:00:59:59 +0100]" + REST)).isNull();
    assertThat(instant(line.time)).isEqualTo("2026-11-20T23:59:59Z");
  }

  @Test
  void readsColumnsByName() {
    LogFormat format = LogFormat.csv("tenant", "at");
    assertThat(read(format, "id, Tenant ,note,AT")).isEqualTo(LogFormat.HEADER);
    assertThat(read(format, "1,acme,\"a, \"\"b\"\"\",2026-11-21T00:34:56Z,more")).isNull();
    assertThat(key()).isEqualTo("acme");
    assertThat(instant(line.time)).isEqualTo("2026-11-21T00:34:56Z");
    assertThat(read(format, "1,\"ac\"\"me, Inc.\",,\"1795221296\"")).isNull();
    assertThat(key()).isEqualTo("ac\"me, Inc.");
    assertThat(read(format, "1,,x,1795221296")).isEqualTo(LogFormat.NO_KEY);
    assertThat(read(format, "1,acme,x")).isEqualTo("only 3 columns");
    assertThat(read(format, "1,acme,\"x,1795221296")).isEqualTo("a quote without its end");
    assertThat(read(format, "1,acme,\"x\"y,1795221296")).isEqualTo("a quote without its end");
    assertThat(read(format, "1,acme,x,soon")).isEqualTo("not a time");
  }

  @Test
  void knowsTheUsualNamesOfTheTimeAndOtherSeparators() {
    for (String separator : new String[] {",", ";", "\t"}) {
      LogFormat format = LogFormat.csv("ip", "");
      read(format, String.join(separator, "Timestamp", "ip"));
      assertThat(read(format, String.join(separator, "1795221296", "::1"))).isNull();
      assertThat(key()).isEqualTo("::1");
    }
  }

  @Test
  void saysWhichColumnsThereAre() {
    assertThatThrownBy(() -> read(LogFormat.csv("user", ""), "time,ip"))
        .hasMessage("--key: there is no column 'user'; there are: time, ip");
    assertThatThrownBy(() -> read(LogFormat.csv("ip", "when"), "time,ip"))
        .hasMessage("--time: there is no column 'when'; there are: time, ip");
    assertThatThrownBy(() -> read(LogFormat.csv("ip", ""), "when,ip"))
        .hasMessage("the column of the time is unknown. Set --time to one of: when, ip");
    assertThatThrownBy(() -> LogFormat.common("tenant"))
        .hasMessage("--key must be ip, user, path or all for this format: tenant");
  }
}
