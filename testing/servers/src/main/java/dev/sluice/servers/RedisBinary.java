package dev.sluice.servers;

import static java.util.Objects.requireNonNull;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.model.OsArchitecture;

/**
 * A {@code redis-server} or {@code valkey-server} program of this machine.
 *
 * @param path the program
 * @param name the first word of what it prints for {@code --version}, such as "Redis" or "Valkey"
 * @param version its version, such as "7.0.15"
 */
public record RedisBinary(Path path, String name, String version) {
  private static final Pattern VERSION = Pattern.compile("^(\\w+) server v=(\\S+)");

  /** Found once: to ask a program for its version costs a process. */
  private static final class Found {
    static final List<RedisBinary> NAMED = named(System.getProperty("sluice.redis.programs", ""));
    static final Optional<RedisBinary> INSTALLED = installed();
    static final Optional<RedisBinary> BUNDLED = bundled();
  }

  /**
   * The programs that run here: those whose paths {@code -Dsluice.redis.programs} lists; without
   * it, the one on the PATH, then the one that the {@code embedded-redis} artifact carries. A
   * program of the same version is listed once.
   */
  public static List<RedisBinary> all() {
    if (!Found.NAMED.isEmpty()) {
      return Found.NAMED;
    }
    List<RedisBinary> found = new ArrayList<>();
    Found.INSTALLED.ifPresent(found::add);
    Found.BUNDLED
        .filter(b -> found.stream().noneMatch(f -> f.version.equals(b.version)))
        .ifPresent(found::add);
    return found;
  }

  /**
   * The one to use where any will do.
   *
   * @return the first of {@link #all()}
   * @throws IllegalStateException if there is none
   */
  public static RedisBinary any() {
    return all().stream()
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no redis-server on the PATH, and the bundled one does not run here"));
  }

  /** Empty for the words that choose among the programs found. */
  private static List<RedisBinary> named(String paths) {
    return !paths.contains("/")
        ? List.of()
        : Arrays.stream(paths.split(Pattern.quote(File.pathSeparator), -1))
            .map(
                path ->
                    describe(Path.of(path))
                        .orElseThrow(
                            () ->
                                new IllegalArgumentException(
                                    "sluice.redis.programs: " + path + " does not run here")))
            .toList();
  }

  private static Optional<RedisBinary> installed() {
    String path = System.getenv("PATH");
    if (path == null) {
      return Optional.empty();
    }
    for (String folder : path.split(Pattern.quote(File.pathSeparator), -1)) {
      Path candidate = Path.of(folder, "redis-server");
      if (Files.isExecutable(candidate)) {
        return describe(candidate);
      }
    }
    return Optional.empty();
  }

  private static Optional<RedisBinary> bundled() {
    try {
      OsArchitecture here = OsArchitecture.detectOSandArchitecture();
      Map<OsArchitecture, String> names = ExecutableProvider.newProvidedVersionsMap();
      String name = names.get(here);
      if (name == null) {
        return Optional.empty();
      }
      Path folder = Files.createTempDirectory("sluice-redis-program");
      Path program = folder.resolve("redis-server");
      TemporaryFolders.deleteAtExit(folder);
      try (InputStream in = ExecutableProvider.class.getResourceAsStream(name)) {
        Files.copy(requireNonNull(in, name), program);
      }
      if (!program.toFile().setExecutable(true)) {
        throw new IOException(program + " could not be made executable");
      }
      return describe(program);
    } catch (IOException e) {
      throw new UncheckedIOException("the bundled redis-server could not be unpacked", e);
    }
  }

  /** Empty where the program does not run, for want of a library or a matching processor. */
  private static Optional<RedisBinary> describe(Path program) {
    try {
      Process process =
          new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true).start();
      String text =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      Matcher matcher = VERSION.matcher(text);
      boolean ended = process.waitFor(10, TimeUnit.SECONDS);
      return ended && process.exitValue() == 0 && matcher.find()
          ? Optional.of(new RedisBinary(program, matcher.group(1), matcher.group(2)))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return name + ' ' + version;
  }
}
