package dev.sluice.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Projects that know Sluice from the bundle alone are built with Maven and Gradle, and run. */
class ScratchProjectTest {
  private static final String VERSION = System.getProperty("sluice.version");
  private static final Path REPOSITORY = Path.of(System.getProperty("sluice.repository"));
  private static final Path SCRATCH = Path.of("target", "scratch").toAbsolutePath();
  private static final String JAVA_HOME = System.getProperty("java.home");

  private static final Path NEW_PROJECT = Path.of("..", "..", "examples", "new-project");
  private static final String FIRST_LOCK = "(?m)^first lock, token [1-9][0-9]*$";
  private static final String SETTINGS =
      """
      <settings>
        <profiles><profile>
          <id>bundle</id>
          <repositories>
            <repository><id>bundle</id><url>%1$s</url></repository>
            <repository><id>libraries</id><url>%2$s</url></repository>
          </repositories>
          <pluginRepositories>
            <pluginRepository><id>libraries</id><url>%2$s</url></pluginRepository>
          </pluginRepositories>
        </profile></profiles>
        <activeProfiles><activeProfile>bundle</activeProfile></activeProfiles>
      </settings>
      """;
  private static final String REPOSITORIES =
      "allprojects { repositories { maven { url = '%s' }; maven { url = '%s' } } }\n";

  private static final String PLAIN = "(?m)^plain program holds a lock with token [1-9][0-9]*$";
  private static final String BOOT = "(?m)^tea sold with token [1-9][0-9]*$";

  @ParameterizedTest
  @CsvSource({"plain, example.Plain", "boot, example.Shop"})
  void mavenProjectRuns(String name, String main) throws Exception {
    Path project = copy(Path.of("src", "test", "projects", name), "maven-" + name);
    run(
        project,
        List.of(
            Path.of(System.getProperty("sluice.maven"), "bin", "mvn").toString(),
            "-B",
            "-ntp",
            "-Dmaven.repo.local=" + SCRATCH.resolve("maven-" + name + "-libraries"),
            "-Dbundle=" + REPOSITORY.toUri(),
            "-Dlibraries=" + libraries(),
            "-Dsluice.version=" + VERSION,
            "-Dspring-boot.version=" + System.getProperty("sluice.spring-boot"),
            "compile"));
    assertThat(runs(project, project.resolve("target/classes"), main))
        .containsPattern(name.equals("boot") ? BOOT : PLAIN);
  }

  @ParameterizedTest
  @CsvSource({"plain, example.Plain", "boot, example.Shop"})
  void gradleProjectRuns(String name, String main) throws Exception {
    Optional<Path> gradle = gradle();
    assumeTrue(gradle.isPresent(), "no gradle on the PATH");
    Path project = copy(Path.of("src", "test", "projects", name), "gradle-" + name);
    run(
        project,
        List.of(
            gradle.get().toString(),
            "--no-daemon",
            "--stacktrace",
            "--gradle-user-home=" + SCRATCH.resolve("gradle-home"),
            "-Pbundle=" + REPOSITORY.toUri(),
            "-Plibraries=" + libraries(),
            "-PsluiceVersion=" + VERSION,
            "classPath"));
    assertThat(runs(project, project.resolve("build/classes/java/main"), main))
        .containsPattern(name.equals("boot") ? BOOT : PLAIN);
  }

  /** The project that users copy. Only the repositories are those of the bundle. */
  @Test
  void newProjectRunsWithMaven() throws Exception {
    Path project = copy(NEW_PROJECT, "maven-new-project");
    Path settings = project.resolve("settings.xml");
    Files.writeString(settings, SETTINGS.formatted(REPOSITORY.toUri(), libraries()));
    String printed =
        run(
            project,
            List.of(
                Path.of(System.getProperty("sluice.maven"), "bin", "mvn").toString(),
                "-q",
                "-B",
                "-s",
                settings.toString(),
                "-Dmaven.repo.local=" + SCRATCH.resolve("maven-new-project-libraries"),
                "compile",
                "exec:java"));
    assertThat(printed).containsPattern(FIRST_LOCK);
  }

  /** Its build uses platforms and a main class as Gradle 7 and newer know them. */
  @Test
  void newProjectRunsWithGradle() throws Exception {
    Optional<Path> gradle = gradle();
    assumeTrue(gradle.isPresent(), "no gradle on the PATH");
    Path project = copy(NEW_PROJECT, "gradle-new-project");
    String version = run(project, List.of(gradle.get().toString(), "--version"));
    assumeTrue(
        Pattern.compile("(?m)^Gradle ([7-9]|[1-9][0-9])\\.").matcher(version).find(),
        "no gradle of version 7 or newer on the PATH");
    Path script = project.resolve("repositories.gradle");
    Files.writeString(script, REPOSITORIES.formatted(REPOSITORY.toUri(), libraries()));
    String printed =
        run(
            project,
            List.of(
                gradle.get().toString(),
                "--no-daemon",
                "-q",
                "--gradle-user-home=" + SCRATCH.resolve("gradle-home"),
                "--init-script=" + script,
                "run"));
    assertThat(printed).containsPattern(FIRST_LOCK);
  }

  @Test
  void gradleIsThereWhereItIsRequired() {
    if (System.getProperty("sluice.gradle").equals("required")) {
      assertThat(gradle()).as("a gradle on the PATH").isPresent();
    }
  }

  private static Optional<Path> gradle() {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .map(folder -> Path.of(folder, "gradle"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** What this build has already fetched of other projects. */
  private static String libraries() {
    return Path.of(System.getProperty("sluice.libraries")).toUri().toString();
  }

  private static Path copy(Path from, String name) throws IOException {
    Path to = SCRATCH.resolve(name);
    delete(to);
    delete(SCRATCH.resolve(name + "-libraries"));
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    return to;
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static String runs(Path project, Path classes, String main) throws Exception {
    Path libraries = project.resolve("run");
    comesFromTheBundle(libraries);
    return run(
        project,
        List.of(
            Path.of(JAVA_HOME, "bin", "java").toString(),
            "-cp",
            classes + File.pathSeparator + libraries.resolve("*"),
            main));
  }

  /** An older Sluice that is installed on this machine must not stand in for the bundle's. */
  private static void comesFromTheBundle(Path libraries) throws IOException {
    Path published = REPOSITORY.resolve("dev/sluice/sluice-core").resolve(VERSION);
    try (Stream<Path> used = Files.list(libraries);
        Stream<Path> made = Files.list(published)) {
      List<Path> core =
          used.filter(p -> p.getFileName().toString().startsWith("sluice-core-")).toList();
      assertThat(core).hasSize(1);
      Path jar =
          made.filter(p -> p.getFileName().toString().matches("sluice-core-[-.0-9SNAPHOT]+\\.jar"))
              .findFirst()
              .orElseThrow();
      assertThat(core.get(0)).hasSameBinaryContentAs(jar);
    }
  }

  private static String run(Path folder, List<String> command) throws Exception {
    Path output = folder.resolve("output-" + Path.of(command.get(0)).getFileName() + ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(new ArrayList<>(command))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", JAVA_HOME);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).as("%s ends", command).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(output);
    assertThat(process.exitValue()).as("%s: %s", command, text).isZero();
    return text;
  }
}
