package dev.sluice.cli.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.Ran;
import dev.sluice.cli.SluiceProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xml.sax.InputSource;
import tools.jackson.jr.ob.JSON;

class ReplayCommandTest {
  private static final String LOG =
      """
      2001:db8::1 - - [21/Nov/2026:00:34:56 +0000] "GET /a?x=1 HTTP/1.1" 200 1
      2001:db8::1 - bob [21/Nov/2026:00:34:56 +0000] "GET /b HTTP/1.1" 200 1
      broken \u001b[2J line
      2001:db8::1 - bob [21/Nov/2026:00:34:57 +0000] "GET /a HTTP/1.1" 200 1
      10.0.0.1 - - [21/Nov/2026:00:34:55 +0000] "GET /a HTTP/1.1" 200 1
      """;

  @TempDir Path folder;

  private String log(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Ran replay(String... args) {
    String[] words = new String[2 + args.length];
    words[0] = "limit";
    words[1] = "replay";
    System.arraycopy(args, 0, words, 2, args.length);
    return Ran.sluice(words);
  }

  @Test
  void saysWhatEachPolicyWouldHaveDone() throws IOException {
    Ran ran =
        replay(log("log", LOG), "--policy", "gcra 1/2s", "--policy", "leaky-queue 1/2s places 1");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.code()).isZero();
    assertThat(ran.out())
        .isEqualTo(
            """
            log           5 lines, 2026-11-21T00:34:56Z to 2026-11-21T00:34:57Z
            keys          2, by ip
            gini asked    0.250
            not read      1 line
              line 3      no [time]: broken \\u001b[2J line
            out of order  1 line, by up to 2.0s; taken at the time before

            policy        gcra 1/2s burst 1
            admitted      2, 50.00 %
            refused       2, 50.00 %
            worst window  1 in 2.0s (rate: 1), 2001:db8::1 until 2026-11-21T00:34:56Z
            never refused 50.00 % of the keys
            gini admitted 0.000
            most refused  2001:db8::1 2

            policy        leaky-queue 1/2s places 1
            admitted      3, 75.00 %
            refused       1, 25.00 %
            worst window  1 in 2.0s (rate: 1), 2001:db8::1 until 2026-11-21T00:34:56Z
            never refused 50.00 % of the keys
            gini admitted 0.167
            most refused  2001:db8::1 1
            waits         1 waited; median 0ms, p99 2.0s, longest 2.0s
            """);
  }

  @Test
  void keysAreWhatIsAskedFor() throws IOException {
    String log = log("log", LOG);
    assertThat(replay(log, "--policy", "gcra 1/s", "--key", "path").out())
        .contains("keys          2, by path\n", "most refused  /a 1\n");
    assertThat(replay(log, "--policy", "gcra 1/s", "--key", "user").out())
        .contains("keys          1, by user\n", "no key        2 lines, left out\n");
    assertThat(replay(log, "--policy", "gcra 1/s", "--key", "all").out())
        .contains("keys          1, by all\n", "refused       2, 50.00 %\n");
    String csv = log("log.csv", "time;tenant\n1795221296;acme\n1795221296.5;acme\n");
    assertThat(replay(csv, "--policy", "gcra 1/s", "--key", "TENANT").out())
        .contains("keys          1, by TENANT\n", "most refused  acme 1\n");
  }

  @Test
  void jsonTellsTheSame() throws IOException {
    Ran ran = replay(log("log", LOG), "--policy", "gcra 1/2s", "--json");
    var report = JSON.std.mapFrom(ran.out());
    assertThat(ran.out().strip().lines()).hasSize(1);
    assertThat(report)
        .containsEntry("lines", 5)
        .containsEntry("requests", 4)
        .containsEntry("malformed", 1)
        .containsEntry("outOfOrder", 1)
        .containsEntry("keys", 2)
        .containsEntry("keysExact", true);
    assertThat((List<?>) report.get("policies"))
        .singleElement()
        .hasFieldOrPropertyWithValue("policy", "gcra 1/2s burst 1")
        .hasFieldOrPropertyWithValue("refused", 2);
  }

  @Test
  void thePictureIsWellFormedAndHasAPanelForEachPolicy() throws Exception {
    Path svg = folder.resolve("out.svg");
    Ran ran =
        replay(
            log("log", LOG),
            "--policy",
            "gcra 1/2s",
            "--policy",
            "fixed-window 1/1d",
            "--svg",
            svg.toString());
    assertThat(ran.code()).as(ran.err()).isZero();
    String picture = Files.readString(svg);
    var document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(picture)));
    assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(document.getElementsByTagName("path").getLength()).isEqualTo(4);
    assertThat(picture)
        .contains("gcra 1/2s", "2 refused, 50.00 %", "prefers-color-scheme:dark", "00:34:56");
    assertThat(picture).doesNotContain("NaN", "Infinity");
  }

  @Test
  void anEmptyLogHasAReportAndAPicture() throws IOException {
    Path svg = folder.resolve("out.svg");
    Ran ran = replay(log("log", "\n"), "--policy", "gcra 1/s", "--svg", svg.toString());
    assertThat(ran.code()).isZero();
    assertThat(ran.out()).startsWith("log           0 lines\nkeys          0, by ip\n");
    assertThat(Files.readString(svg)).endsWith("</svg>\n").doesNotContain("NaN", "Infinity");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "64 |                                 | Missing required parameter: 'FILE'",
        "64 | LOG                             | Missing required option: '--policy=POLICY'",
        "64 | LOG --policy nosuch_1/s         | --policy: ",
        "64 | LOG --policy gcra_1/s --key id  | --key must be ip, user, path or all for this format: id",
        "64 | LOG --policy gcra_1/s --format x | --format must be common or csv: x",
        "64 | LOG --policy gcra_1/s --wait x  | --wait must be a duration",
        "64 | LOG --policy gcra_1/s --format csv | the column of the time is unknown. Set --time",
        "64 | ZIP --policy gcra_1/s           | the log is compressed: gunzip -c FILE | sluice",
        "65 | BAD --policy gcra_1/s           | no line could be read as common; line 1, no [time]: a",
        "66 | NONE --policy gcra_1/s          | NONE: no such file or directory",
        "66 | DIR --policy gcra_1/s           | Is a directory",
        "73 | LOG --policy gcra_1/s --svg DIR/x/y.svg | x/y.svg: no such file or directory"
      })
  void failuresHaveCodesAndReasons(int code, String args, String message) throws IOException {
    log("LOG", LOG);
    log("BAD", "a\nb\n");
    Files.write(folder.resolve("ZIP"), new byte[] {0x1F, (byte) 0x8B, 8, 0, 0, 0, 0, 0});
    List<String> words = new ArrayList<>();
    for (String word : args == null ? new String[0] : args.split(" ")) {
      words.add(
          word.matches("LOG|BAD|ZIP|NONE")
              ? folder.resolve(word).toString()
              : word.replace("DIR", folder.toString()).replace('_', ' '));
    }
    Ran ran = replay(words.toArray(String[]::new));
    assertThat(ran.err()).startsWith("sluice: ").contains(message).doesNotContain("\tat ");
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(code);
  }

  @Test
  void theInputIsALogToo() {
    try (SluiceProcess process =
        SluiceProcess.startWithInput(
            "redis://127.0.0.1:1", LOG, "limit", "replay", "-", "--policy", "gcra 1/2s")) {
      assertThat(process.exitCode()).as(process.err()).isZero(); // no store is asked
      assertThat(process.out()).contains("refused       2, 50.00 %");
    }
  }

  @Test
  void aSignalEndsItWithAReportOfWhatWasRead() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    try (SluiceProcess process =
        SluiceProcess.start(
            "memory:", "limit", "replay", pipe.toString(), "--policy", "gcra 1/2s")) {
      try (OutputStream writer = Files.newOutputStream(pipe)) { // opens when the reader is there
        byte[] log = LOG.getBytes(StandardCharsets.UTF_8);
        for (int written = 0; written < 1 << 18; written += log.length) {
          writer.write(log); // more than the pipe holds: when this returns, much has been read
        }
        process.signal("INT");
        assertThat(process.exitCode()).as(process.err()).isEqualTo(130);
      }
      assertThat(process.err())
          .matches("sluice: stopped after \\d+ lines; the rest was not read\n");
      assertThat(process.out()).contains("policy        gcra 1/2s burst 1\n", "admitted ");
    }
  }
}
