package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.servers.SourceTree;
import dev.sluice.spi.BloomPart;
import dev.sluice.state.BloomHashing;
import dev.sluice.state.BloomHashing.Hash;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The document's vectors, and a reader in another language. */
class BloomFormatTest {
  private static final Pattern VECTOR =
      Pattern.compile("\\| `([^`]*)` \\| `([0-9a-f]{16})` \\| `([0-9a-f]{16})` \\| ([0-9, ]+) \\|");
  private static final HexFormat HEX = HexFormat.of();

  @TempDir Path folder;

  @Test
  void theDocumentsVectorsHold() throws IOException {
    Matcher vector = VECTOR.matcher(Files.readString(SourceTree.path("docs/bloom-format.md")));
    int vectors = 0;
    for (; vector.find(); vectors++) {
      Hash hash = BloomHashing.hash(Funnel.utf8().bytes(vector.group(1)));
      assertThat(HEX.toHexDigits(hash.first())).isEqualTo(vector.group(2));
      assertThat(HEX.toHexDigits(hash.second())).isEqualTo(vector.group(3));
      long[] bits = new long[5];
      hash.bits(729, bits, 0, 5);
      assertThat(bits)
          .containsExactly(
              List.of(vector.group(4).split(", ")).stream().mapToLong(Long::parseLong).toArray());
    }
    assertThat(vectors).isGreaterThan(3);
  }

  @Test
  void anotherLanguageReadsIt() throws Exception {
    assumeTrue(hasPython(), "Python: python3 is not on the PATH (Debian: apt-get install python3)");
    MemoryBackend store = new MemoryBackend();
    List<String> added = List.of("", "a", "sluice", "0123456789abcdef", "x".repeat(100));
    byte[] string;
    try (var sluice = dev.sluice.Sluice.builder().backend(store).build()) {
      BloomSpec spec = BloomSpec.of(100, 0.03);
      var filter = sluice.bloomFilter("format", Funnel.utf8(), spec);
      filter.create();
      filter.addAll(added);
      string = store.blooms().read(BloomPart.of("format", 0), 0, 156).toCompletableFuture().join();
    }
    StringBuilder input = new StringBuilder(HEX.formatHex(string)).append('\n');
    StringBuilder expected = new StringBuilder();
    for (String element : added) {
      byte[] bytes = element.getBytes(StandardCharsets.UTF_8);
      input.append(HEX.formatHex(bytes)).append('\n');
      expected.append(line(bytes, "maybe"));
    }
    for (String element : List.of("b", "other", "y".repeat(33))) {
      byte[] bytes = element.getBytes(StandardCharsets.UTF_8);
      input.append(HEX.formatHex(bytes)).append('\n');
      expected.append(line(bytes, "no"));
    }
    assertThat(python(input.toString())).isEqualTo(expected.toString());
  }

  private static String line(byte[] element, String answer) {
    Hash hash = BloomHashing.hash(element);
    return HEX.toHexDigits(hash.first())
        + " "
        + HEX.toHexDigits(hash.second())
        + " "
        + answer
        + "\n";
  }

  private static boolean hasPython() throws InterruptedException {
    try {
      return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private String python(String input) throws Exception {
    Path script = folder.resolve("bloom_reader.py");
    try (InputStream in = BloomFormatTest.class.getResourceAsStream("bloom_reader.py")) {
      Files.copy(Objects.requireNonNull(in), script);
    }
    Path from = Files.writeString(folder.resolve("in"), input);
    Path to = folder.resolve("out");
    Process process =
        new ProcessBuilder("python3", script.toString(), "format")
            .redirectErrorStream(true)
            .redirectInput(from.toFile())
            .redirectOutput(to.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return Files.readString(to);
  }
}
