package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.SourceTree;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * No command prints a warning of the JVM. SQLite and Netty load native libraries, of which newer
 * JDKs warn unless the launcher and the manifest of the jar allow it. The launcher is the real one;
 * its jar has the attributes of the real one, and refers to the classes under test.
 */
class NoJvmOutputIT {
  private static final Duration MAX_DURATION = Duration.ofMinutes(3);
  private static final Pattern OF_THE_JVM =
      Pattern.compile("(?m)^(WARNING: |OpenJDK |Java HotSpot|Picked up |\\[[\\d.]+s\\]\\[).*");
  private static final Pattern NATIVE_ACCESS =
      Pattern.compile("<Enable-Native-Access>(.*)</Enable-Native-Access>");

  @TempDir static Path root;
  private static RedisServer server;
  private static Path jar;

  private record Case(String command, int code) {}

  /** Each one does what it is for, or finds nothing at its store, which takes the driver too. */
  static List<Case> cases() {
    return List.of(
        new Case("SQLITE lock a -- true", 0),
        new Case("SQLITE ls", 0),
        new Case("SQLITE show nothing", 0),
        new Case("SQLITE unlock nothing --force", 0),
        new Case("SQLITE limit try l k --policy gcra_1/1d", 0),
        new Case("SQLITE limit peek l other --policy gcra_1/1d", 0),
        new Case("SQLITE limit reset l k --policy gcra_1/1d", 0),
        new Case("SQLITE limit set l --policy gcra_1/1d", 0),
        new Case("SQLITE limit history l", 0),
        new Case("SQLITE limit revert l 1", 0),
        new Case("SQLITE limit replay LOG --policy gcra_1/1d", 0),
        new Case("SQLITE throttle k 1 1 86400", 0),
        new Case("SQLITE ddl", 0),
        new Case("SQLITE doctor", 0),
        new Case("REDIS lock a -- true", 0),
        new Case("REDIS ls", 0),
        new Case("REDIS bloom create f 100 1e-3", 0),
        new Case("REDIS bloom add none a", 66),
        new Case("REDIS bloom check none a", 0),
        new Case("REDIS bloom info none", 66),
        new Case("REDIS stock open s 1 5", 0),
        new Case("REDIS stock close none 1", 66),
        new Case("REDIS stock resize none 1 2", 73),
        new Case("REDIS stock dead-letters none", 0),
        new Case("REDIS stock requeue none ann 1", 66),
        new Case("REDIS stock show none", 66),
        new Case("REDIS stock ls", 0),
        new Case("fencing-demo --ttl 500ms --redis-server SERVER", 0),
        new Case("completion", 0),
        new Case("help lock", 0));
  }

  @BeforeAll
  static void start() throws IOException {
    server = RedisServer.start();
    jar = root.resolve("tools/cli/target/sluice-cli.jar");
    Files.createDirectories(jar.getParent());
    Files.copy(SourceTree.path("sluice"), root.resolve("sluice"));
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
    attributes.put(
        Attributes.Name.CLASS_PATH,
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toUri().toString())
            .collect(Collectors.joining(" ")));
    Matcher nativeAccess = NATIVE_ACCESS.matcher(Files.readString(Path.of("pom.xml")));
    if (nativeAccess.find()) {
      attributes.putValue("Enable-Native-Access", nativeAccess.group(1));
    }
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    Files.createDirectories(root.resolve(".run"));
    // to the launcher, nothing that the jar was built from is newer than this
    Files.writeString(root.resolve(".run/sluice-cli.built"), "sluice\n");
    Files.writeString(
        root.resolve("log"),
        "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 1\n");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static List<String> words(String command) {
    Map<String, List<String>> meanings =
        Map.of(
            "SQLITE", List.of("--url", "jdbc:sqlite:" + root.resolve("s.db")),
            "REDIS", List.of("--url", server.uri()),
            "SERVER", List.of(RedisBinary.any().path().toString()),
            "LOG", List.of(root.resolve("log").toString()));
    return Stream.of(command.split(" "))
        .flatMap(word -> meanings.getOrDefault(word, List.of(word.replace('_', ' '))).stream())
        .toList();
  }

  private static Process start(List<String> program, String command) throws IOException {
    List<String> line = new ArrayList<>(program);
    line.addAll(words(command));
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(root.resolve("out").toFile())
            .redirectError(root.resolve("err").toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SLUICE_URL", "SLUICE_CLASSPATH")
        .forEach(builder.environment()::remove);
    return builder.start();
  }

  private static List<String> launcher() {
    return List.of("bash", root.resolve("sluice").toString());
  }

  private static List<String> javaJar() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return List.of(java, "-jar", jar.toString());
  }

  private static void assertQuiet(Process process, int code) throws Exception {
    try {
      String err = Files.readString(root.resolve("err"));
      assertThat(process.waitFor(MAX_DURATION.toSeconds(), TimeUnit.SECONDS)).as(err).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String err = Files.readString(root.resolve("err"));
    assertThat(process.exitValue()).as(err).isEqualTo(code);
    assertThat(err).doesNotContainPattern(OF_THE_JVM);
    assertThat(Files.readString(root.resolve("out"))).doesNotContainPattern(OF_THE_JVM);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theLauncherShowsNothingOfTheJvm(Case each) throws Exception {
    assertQuiet(start(launcher(), each.command()), each.code());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SQLITE lock a -- true",
        "REDIS ls",
        "fencing-demo --ttl 500ms --redis-server SERVER"
      })
  void theJarShowsNothingOfTheJvm(String command) throws Exception {
    assertQuiet(start(javaJar(), command), 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE lock a -- true", "REDIS ls"})
  void theLauncherWithADriverOfTheUserShowsNothingOfTheJvm(String command) throws Exception {
    List<String> program = new ArrayList<>(List.of("env", "SLUICE_CLASSPATH=/no/driver.jar"));
    program.addAll(launcher());
    assertQuiet(start(launcher(), command), 0); // from then on, there is a class archive
    assertQuiet(start(program, command), 0);
  }

  @Test
  void theConsoleShowsNothingOfTheJvm() throws Exception {
    for (List<String> program : List.of(launcher(), javaJar())) {
      for (String store : List.of("SQLITE", "REDIS")) {
        Process console = start(program, store + " console --port 0");
        await()
            .atMost(MAX_DURATION)
            .until(() -> Files.size(root.resolve("out")) > 0 || !console.isAlive());
        SluiceProcess.signal("TERM", console.pid());
        assertQuiet(console, 0);
      }
    }
  }

  @Test
  void noCommandIsLeftOut() {
    Set<String> all = new TreeSet<>();
    leaves("", Main.commandLine(), all);
    Set<String> tried =
        cases().stream()
            .map(each -> each.command().replaceFirst("^(SQLITE|REDIS) ", "") + " ")
            .collect(Collectors.toCollection(TreeSet::new));
    tried.add("console ");
    assertThat(all)
        .allSatisfy(name -> assertThat(tried).anyMatch(command -> command.startsWith(name + " ")));
  }

  private static void leaves(String path, CommandLine command, Set<String> all) {
    if (command.getSubcommands().isEmpty()) {
      all.add(path.strip());
    }
    command.getSubcommands().forEach((name, sub) -> leaves(path + " " + name, sub, all));
  }
}
