package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Follows docs/start.md step by step, with two shells and a Redis server. */
class StartPageIT {
  private static final Path DOCS = SourceTree.path("docs");
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```([^\\n]*)\\n(.*?)^```$");
  private static final Pattern CLASS = Pattern.compile("public class (\\w+)");
  private static final Pattern COMMENT = Pattern.compile(" *// .*");
  private static final Pattern TOKEN = Pattern.compile("\\d{10,}");

  @TempDir Path clone;
  private RedisServer server;
  private Process paused;

  private record Block(String kind, String text) {}

  private static List<Block> blocks(String page) throws IOException {
    return BLOCK
        .matcher(Files.readString(DOCS.resolve(page)))
        .results()
        .map(found -> new Block(found.group(1), found.group(2)))
        .toList();
  }

  /** A clone in which {@code sluice} and the jar are the classes under test. */
  @BeforeEach
  void prepare() throws IOException {
    String classPath = System.getProperty("java.class.path");
    Path jar = clone.resolve("tools/cli/target/sluice-cli.jar");
    Files.createDirectories(jar.getParent());
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(
            Attributes.Name.CLASS_PATH,
            Arrays.stream(classPath.split(Pattern.quote(File.pathSeparator)))
                .map(entry -> Path.of(entry).toUri().toString())
                .collect(Collectors.joining(" ")));
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    Path sluice = clone.resolve("sluice");
    Files.writeString(
        sluice,
        "#!/bin/sh\nexec java -cp tools/cli/target/sluice-cli.jar "
            + Main.class.getName()
            + " \"$@\"\n");
    assertThat(sluice.toFile().setExecutable(true)).isTrue();
    server = RedisServer.start();
  }

  @AfterEach
  void end() {
    if (paused != null) {
      paused.descendants().forEach(ProcessHandle::destroyForcibly);
      paused.destroyForcibly().onExit().join();
    }
    server.close();
  }

  @Test
  void everyStepPrintsWhatThePageSays() throws Exception {
    String setUp = "set -e\n";
    String last = "";
    int steps = 0;
    for (Block block : blocks("start.md")) {
      switch (block.kind()) {
        case "java start" -> save(block.text());
        case "sh both-terminals" -> setUp += block.text();
        case "sh terminal-a" -> {
          paused = shell(setUp + block.text(), "a");
          last = "a";
        }
        case "sh terminal-b" -> {
          assertEnds(shell(setUp + block.text(), "b"), "b");
          last = "b";
        }
        case "text" -> {
          if (last.equals("a")) {
            await().atMost(SOON).until(() -> !paused.isAlive() || printed("a").endsWith("Enter\n"));
          }
          assertPrinted(last, block.text());
          steps++;
        }
        case "text terminal-a" -> {
          String before = printed("a");
          try (OutputStream keyboard = paused.getOutputStream()) {
            keyboard.write('\n');
          }
          assertEnds(paused, "a");
          assertPrinted("a", before + block.text());
          steps++;
        }
        default -> throw new AssertionError("no step is of the kind '" + block.kind() + "'");
      }
    }
    assertThat(steps).isEqualTo(8);
  }

  @Test
  void chinesePageHasTheSameStepsWithItsOwnComments() throws IOException {
    assertThat(blocks("zh/start.md").stream().map(StartPageIT::withoutComments))
        .isEqualTo(blocks("start.md").stream().map(StartPageIT::withoutComments).toList());
  }

  private static Block withoutComments(Block block) {
    return new Block(block.kind(), COMMENT.matcher(block.text()).replaceAll(""));
  }

  private void save(String program) throws IOException {
    Matcher name = CLASS.matcher(program);
    assertThat(name.find()).as(program).isTrue();
    Files.writeString(clone.resolve(name.group(1) + ".java"), program);
  }

  private Process shell(String script, String terminal) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", script)
            .directory(clone.toFile())
            .redirectOutput(clone.resolve(terminal + ".out").toFile())
            .redirectError(clone.resolve(terminal + ".err").toFile());
    String java = Path.of(System.getProperty("java.home"), "bin").toString();
    builder.environment().merge("PATH", java, (path, bin) -> bin + File.pathSeparator + path);
    builder.environment().put("SLUICE_URL", server.uri());
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    return builder.start();
  }

  private void assertEnds(Process shell, String terminal) throws Exception {
    boolean ended = shell.waitFor(SOON.toSeconds(), TimeUnit.SECONDS);
    if (!ended) {
      shell.descendants().forEach(ProcessHandle::destroyForcibly);
      shell.destroyForcibly();
    }
    assertThat(ended).as("terminal %s ended: %s", terminal, printed(terminal)).isTrue();
    assertThat(shell.exitValue()).as(() -> errors(terminal)).isZero();
  }

  private void assertPrinted(String terminal, String expected) {
    assertThat(TOKEN.matcher(printed(terminal)).replaceAll("TOKEN"))
        .as(() -> errors(terminal))
        .isEqualTo(TOKEN.matcher(expected).replaceAll("TOKEN"));
  }

  private String printed(String terminal) {
    return read(terminal + ".out");
  }

  private String errors(String terminal) {
    return read(terminal + ".err");
  }

  private String read(String file) {
    try {
      return Files.readString(clone.resolve(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
