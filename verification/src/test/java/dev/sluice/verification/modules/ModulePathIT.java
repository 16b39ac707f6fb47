package dev.sluice.verification.modules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program with a {@code module-info} of its own, and nothing on its class path. */
class ModulePathIT {
  private static final List<String> FOLDERS =
      List.of("core", "cache", "stores/redis", "stores/jdbc");
  private static final List<String> JARS =
      List.of(
          "sluice-core-",
          "sluice-cache-",
          "sluice-redis-",
          "sluice-jdbc-",
          "hash4j-",
          "caffeine-",
          "lettuce-core-",
          "netty-",
          "reactor-core-",
          "reactive-streams-",
          "h2-");

  @TempDir Path folder;

  @Test
  void locksAndCachesOnEveryStore() throws Exception {
    Path module =
        write(
            "module-info.java",
            "module app { requires dev.sluice.cache; requires dev.sluice.jdbc; }");
    Path program =
        write(
            "app/Main.java",
"""
            package app;

            import dev.sluice.Sluice;
            import dev.sluice.cache.Codec;
            import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.GuardedCache;
            import dev.sluice.jdbc.JdbcBackend;
            import dev.sluice.lock.Lease;
            import java.time.Duration;

            public class Main {
              public static void main(String[] urls) throws Exception {
                JdbcBackend.builder().url(urls[2]).createTables(true).build().close();
                for (String url : urls) {
                  try (Sluice sluice =
                          Sluice.builder().uri(url).requestTimeout(Duration.ofSeconds(30)).build();
                      Lease lease = sluice.lock("orders").acquire(Duration.ofSeconds(30))) {
                    System.out.println(url.replaceFirst(":.*", "") + " " + (lease.token() > 0));
                  }
                }
                try (Sluice sluice = Sluice.connect("memory:")) {
                  GuardedCache<String, String> names =
                      GuardedCache.create(sluice, "names", CacheOptions.of(String.class, Codec.utf8())
                          , id -> "name of " + id);
                  System.out.println(names.get("7").orElseThrow());
                }
              }
            }
            """);
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "--module-path",
                modulePath(),
                "-d",
                folder.resolve("classes").toString(),
                module.toString(),
                program.toString());
    assertThat(compiled).as(errors.toString(UTF_8)).isZero();

    try (RedisServer redis = RedisServer.start()) {
      assertThat(run("memory:", redis.uri(), "jdbc:h2:" + folder.resolve("data")))
          .containsExactly("memory true", "redis true", "jdbc true", "name of 7");
    }
  }

  private List<String> run(String... urls) throws Exception {
    Path output = folder.resolve("output.txt");
    Process program =
        new ProcessBuilder(
                Stream.concat(
                        Stream.of(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "--module-path",
                            modulePath() + File.pathSeparator + folder.resolve("classes"),
                            "--module",
                            "app/app.Main"),
                        Stream.of(urls))
                    .toList())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(program.waitFor()).as("%s", Files.readString(output)).isZero();
    return Files.readAllLines(output);
  }

  private static String modulePath() {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Stream.of(classPath.split(File.pathSeparator))
        .filter(part -> isNeeded(Path.of(part)))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Whether it is of a module as it was compiled, or a jar that one of them needs. */
  private static boolean isNeeded(Path part) {
    return FOLDERS.stream().anyMatch(folder -> part.endsWith(folder + "/target/classes"))
        || JARS.stream().anyMatch(part.getFileName().toString()::startsWith);
  }

  private Path write(String name, String text) throws Exception {
    Path file = folder.resolve("src").resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }
}
