package dev.sluice.cli.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cli.Ran;
import dev.sluice.cli.SluiceProcess;
import dev.sluice.cli.terminal.InputLines;
import dev.sluice.servers.RedisServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.jr.ob.JSON;

class BloomCommandsIT {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bloom                        | a command is missing. See 'sluice bloom --help'",
        "bloom create                 | Missing required parameters: 'NAME', 'N', 'FPP'",
        "bloom create f 100           | Missing required parameter: 'FPP'",
        "bloom create f 0 0.01        | expectedInsertions must be >= 1: 0",
        "bloom create -- f -1 0.01    | expectedInsertions must be >= 1: -1",
        "bloom create f 1.5 0.01      | Invalid value for positional parameter at index 1",
        "bloom create f 9223372036854775807 1e-9 | a filter has at most 2^64 bits",
        "bloom create f 9223372036854775808 0.01 | Invalid value for positional parameter at index 1",
        "bloom create f 100 0         | falsePositiveRate must be 1e-15 to below 1: 0.0",
        "bloom create f 100 1         | falsePositiveRate must be 1e-15 to below 1: 1.0",
        "bloom create f 100 NaN       | falsePositiveRate must be 1e-15 to below 1: NaN",
        "bloom create f 100 x         | Invalid value for positional parameter at index 2",
        "bloom create f 100 0.1 more  | Unmatched argument",
        "bloom add                    | Missing required parameter",
        "bloom add f                  | Missing required parameter",
        "bloom add f a - b            | stands alone: it is for the lines of the input",
        "bloom add f \uFFFD           | cannot read '\uFFFD' in this locale",
        "bloom check f                | Missing required parameter",
        "bloom check f - -            | stands alone: ",
        "bloom check f a --size       | Unknown option: '--size'",
        "bloom info                   | Missing required parameter: 'NAME'",
        "bloom info \uFFFD            | cannot read '\uFFFD' in this locale"
      })
  void misuseEndsWith64AndSaysTheRule(String args, String message) {
    Ran ran = Ran.sluice(("--url memory: " + args).split(" "));
    assertThat(ran.err()).startsWith("sluice: ").contains(message).doesNotContain("\tat ");
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(64);
  }

  private static Ran bloom(String store, String... args) {
    List<String> words = new ArrayList<>(List.of("--url", "memory:" + store, "bloom"));
    words.addAll(List.of(args));
    return Ran.sluice(words.toArray(String[]::new));
  }

  @Test
  void theFirstCreatesAndTheOthersAreTold() throws IOException {
    try (Sluice sluice = Sluice.connect("memory:bloom-create")) {
      assertThat(bloom("bloom-create", "create", "a{}\u001b", "1000", "0.01"))
          .isEqualTo(new Ran(0, "created 'a{}\\u001b', 1.2 KiB in 1 key\n", ""));
      assertThat(bloom("bloom-create", "create", "a{}\u001b", "1000", "0.01"))
          .isEqualTo(new Ran(0, "'a{}\\u001b' is there already\n", ""));
      assertThat(bloom("bloom-create", "create", "a{}\u001b", "1000", "0.02"))
          .isEqualTo(
              new Ran(73, "'a{}\\u001b' is there with another size, and stays as it is\n", ""));
      assertThat(sluice.bloomFilter("a{}\u001b", Funnel.utf8()).info().orElseThrow())
          .matches(info -> info.falsePositiveRate() == 0.01);
      Ran json = bloom("bloom-create", "create", "b", "10000000", "1e-3", "--json");
      assertThat(JSON.std.mapFrom(json.out()))
          .containsEntry("name", "b")
          .containsEntry("created", true)
          .containsEntry("sizeAsAsked", true);
      assertThat(bloom("bloom-create", "create", "c", "10000000", "1e-3").out())
          .isEqualTo("created 'c', 17.1 MiB in 5 keys\n");
    }
  }

  @Test
  void whatWasAddedIsMaybeAndTheRestNo() throws IOException {
    try (Sluice sluice = Sluice.connect("memory:bloom-add")) {
      BloomFilter<String> filter =
          sluice.bloomFilter("f", Funnel.utf8(), BloomSpec.of(1_000, 1e-9));
      filter.create();
      filter.add("b");
      String large = "x".repeat(1 << 20);
      assertThat(bloom("bloom-add", "add", "f", "a", "b", "", "é锁", large))
          .isEqualTo(new Ran(0, "added 5, 4 of them new\n", ""));
      assertThat(filter.mightContainAll(List.of("a", "", "é锁", large))).doesNotContain(false);
      assertThat(bloom("bloom-add", "add", "f", "a", "--json").out())
          .isEqualTo("{\"name\":\"f\",\"added\":1,\"new\":0}\n");
      assertThat(bloom("bloom-add", "check", "f", "a", "c", "", "é锁", "a\\"))
          .isEqualTo(new Ran(0, "maybe\ta\nno\tc\nmaybe\t\nmaybe\té锁\nno\ta\\\n", ""));
      Ran json = bloom("bloom-add", "check", "f", "--json", "\u0007");
      assertThat(json.out()).isEqualTo("{\"answer\":\"no\",\"element\":\"\\u0007\"}\n");
    }
  }

  @Test
  void aFilterThatIsNotThereIsToldWhereThatMatters() {
    assertThat(bloom("bloom-none", "info", "f"))
        .isEqualTo(new Ran(66, "", "sluice: there is no Bloom filter 'f'\n"));
    Ran add = bloom("bloom-none", "add", "f", "a");
    assertThat(add.code()).isEqualTo(66);
    assertThat(add.out()).isEmpty();
    assertThat(add.err()).isEqualTo("sluice: Bloom filter 'f': it does not exist; create it\n");
    assertThat(bloom("bloom-none", "check", "f", "a")).isEqualTo(new Ran(0, "maybe\ta\n", ""));
  }

  @Test
  void infoIsAboutSizeAndFill() throws IOException {
    try (Sluice sluice = Sluice.connect("memory:bloom-info")) {
      BloomFilter<String> filter = sluice.bloomFilter("f", Funnel.utf8(), BloomSpec.of(100, 0.03));
      filter.create();
      filter.addAll(List.of("a", "b"));
      assertThat(bloom("bloom-info", "info", "f").out())
          .matches(
              """
              name        f
              elements    about 2 of 100
              wrong maybe \\S+e-10 now, 0.0300 when full
              bits        1 x 729, 1.4 % set, 5 of each element
              generation  \\d+
              expires     -
              """);
      filter.expire(Duration.ofHours(2));
      assertThat(bloom("bloom-info", "info", "f").out()).contains("expires     in 1h59m");
      assertThat(JSON.std.mapFrom(bloom("bloom-info", "info", "f", "--json").out()))
          .containsEntry("bitsPerPartition", 729)
          .containsEntry("bitsSet", 10)
          .containsEntry("approximateCount", 2)
          .containsEntry("missingPartitions", 0)
          .containsKeys("fill", "currentFalsePositiveRate", "generation", "timeToLiveMillis");
    }
  }

  @Test
  void linesAreReadAsTheyCome() throws Exception {
    byte[] text = ("a\r\n\n" + "x".repeat(200_000) + "\nlast").getBytes(StandardCharsets.UTF_8);
    InputLines lines = new InputLines(Channels.newChannel(new ByteArrayInputStream(text)));
    assertThat(lines.next()).containsExactly("a", "");
    assertThat(lines.next()).containsExactly("x".repeat(200_000));
    assertThat(lines.next()).containsExactly("last");
    assertThat(lines.next()).isEmpty();
    byte[] latin = {'a', '\n', (byte) 0xE9, '\n'};
    assertThatExceptionOfType(InputLines.BadLine.class)
        .isThrownBy(new InputLines(Channels.newChannel(new ByteArrayInputStream(latin)))::next)
        .withMessage("line 2 of the input is not UTF-8");
    byte[] endless = new byte[17 << 20];
    assertThatExceptionOfType(InputLines.BadLine.class)
        .isThrownBy(new InputLines(Channels.newChannel(new ByteArrayInputStream(endless)))::next)
        .withMessage("line 1 of the input has more than 16 MiB");
  }

  @Test
  void theInputOfAProcessIsAddedAndAskedForOnRedis() {
    String input = IntStream.range(0, 30_000).mapToObj(i -> i + "\n").collect(Collectors.joining());
    try (RedisServer server = RedisServer.start();
        SluiceProcess create =
            SluiceProcess.start(server.uri(), "bloom", "create", "f", "30000", "1e-9")) {
      assertThat(create.exitCode()).as(create.err()).isZero();
      try (SluiceProcess add =
          SluiceProcess.startWithInput(server.uri(), input, "bloom", "add", "f", "-")) {
        assertThat(add.exitCode()).as(add.err()).isZero();
        assertThat(add.out()).isEqualTo("added 30000, 30000 of them new\n");
        assertThat(add.err()).isEmpty();
      }
      try (SluiceProcess check =
          SluiceProcess.startWithInput(
              server.uri(), input + "absent\nlast", "bloom", "check", "f", "-")) {
        assertThat(check.exitCode()).as(check.err()).isZero();
        assertThat(check.out())
            .isEqualTo(
                IntStream.range(0, 30_000)
                        .mapToObj(i -> "maybe\t" + i + "\n")
                        .collect(Collectors.joining())
                    + "no\tabsent\nno\tlast\n");
      }
      try (SluiceProcess nothing =
          SluiceProcess.startWithInput(server.uri(), "", "bloom", "add", "f", "-")) {
        assertThat(nothing.exitCode()).as(nothing.err()).isZero();
        assertThat(nothing.out()).isEqualTo("added 0, 0 of them new\n");
      }
      server.call("DEL", "sl:{f:0}:bloom");
      server.call("SET", "sl:{f:0}:bloom", "somebody's");
      for (String[] words :
          new String[][] {{"create", "f", "1", "0.1"}, {"add", "f", "a"}, {"info", "f"}}) {
        List<String> args = new ArrayList<>(List.of("--url", server.uri(), "bloom"));
        args.addAll(List.of(words));
        assertThat(Ran.sluice(args.toArray(String[]::new)).code()).isEqualTo(65);
      }
      String uri = server.uri();
      server.kill();
      Ran dead = Ran.sluice("--url", uri, "bloom", "check", "f", "a");
      assertThat(dead.code()).isEqualTo(69);
      assertThat(dead.out()).isEmpty();
    }
  }

  @Test
  void aSignalEndsItAndSaysWhatIsAdded() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    try (RedisServer server = RedisServer.start();
        Sluice sluice = Sluice.connect(server.uri())) {
      BloomFilter<String> filter =
          sluice.bloomFilter("f", Funnel.utf8(), BloomSpec.of(1_000, 1e-9));
      filter.create();
      try (OutputStream both = open(pipe);
          SluiceProcess add =
              SluiceProcess.startReading(server.uri(), pipe, "bloom", "add", "f", "-")) {
        both.write("a\nb\nhalf".getBytes(StandardCharsets.UTF_8));
        both.flush();
        await().atMost(Duration.ofSeconds(60)).until(() -> filter.mightContain("b"));
        add.signal("INT");
        assertThat(add.exitCode()).as(add.err()).isEqualTo(130);
        assertThat(add.out()).isEqualTo("added 2, 2 of them new\n");
        assertThat(add.err())
            .isEqualTo("sluice: stopped after 2 elements; the rest was not read\n");
        assertThat(filter.mightContain("half")).isFalse();
      }
    }
  }

  /** For reading and writing: that does not wait for somebody at the other end. */
  private static OutputStream open(Path pipe) throws IOException {
    return Channels.newOutputStream(
        FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }
}
