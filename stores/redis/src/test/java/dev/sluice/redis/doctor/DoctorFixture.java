package dev.sluice.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Doctor;
import dev.sluice.Finding;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Servers set up as docs/operations.md says, but for what a test plants. */
public final class DoctorFixture {
  /** Long enough that a busy machine is not taken for a slow server. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private DoctorFixture() {}

  /** A server with the documented settings, and what comes after them. */
  public static RedisServer good(RedisBinary binary, String... planted) {
    List<String> arguments = new ArrayList<>();
    for (String line : documented("maxmemory 1gb")) {
      String[] words = line.split(" ");
      arguments.add("--" + words[0]);
      arguments.addAll(Arrays.asList(words).subList(1, words.length));
    }
    arguments.addAll(List.of(planted));
    return RedisServer.start(binary, arguments.toArray(String[]::new));
  }

  /** Makes the documented user, who may be examined by, with rules added. */
  static String userOf(RedisServer server, String... rules) {
    List<String> all = new ArrayList<>(AclIT.documentedRules());
    String line = documented("ACL SETUSER sluice +").get(0);
    all.addAll(List.of(line.replace("ACL SETUSER sluice", "").trim().split("\\s+")));
    all.addAll(List.of(rules));
    return userWith(server, all);
  }

  public static String userWith(RedisServer server, List<String> rules) {
    String[] call =
        Stream.concat(Stream.of("ACL", "SETUSER", "sluice"), rules.stream()).toArray(String[]::new);
    assertThat(server.call(call)).isEqualTo("OK");
    return "redis://sluice:secret@127.0.0.1:" + server.port();
  }

  /** The lines of the block that begins with a line that begins so. */
  private static List<String> documented(String start) {
    try (Stream<String> lines = Files.lines(SourceTree.path("docs/operations.md"))) {
      List<String> block =
          lines
              .dropWhile(line -> !line.startsWith(start))
              .takeWhile(line -> !line.startsWith("```"))
              .toList();
      assertThat(block).as(start).isNotEmpty();
      return block;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static List<Finding> examine(String... uris) {
    return Doctor.examine(List.of(uris), TIMEOUT);
  }

  public static void assertFinds(List<Finding> findings, RedisFinding... expected) {
    assertThat(findings)
        .extracting(Finding::id)
        .as(() -> findings.toString())
        .containsExactlyInAnyOrder(
            Stream.of(expected).map(RedisFinding::id).toArray(String[]::new));
  }
}
