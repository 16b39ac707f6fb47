package dev.sluice.bench;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Engine;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.LettuceVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.curator.framework.CuratorFramework;
import org.redisson.Redisson;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** The machine of a run, and its software. */
final class Machine {
  private Machine() {}

  static Map<String, String> facts(Bench bench, String commandLine) {
    return facts(bench.jvmFlags(), commandLine);
  }

  static Map<String, String> facts(String jvmFlags, String commandLine) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "Date",
        ZonedDateTime.now(ZoneOffset.UTC)
            .format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'")));
    facts.put("Command", "`" + commandLine + "`");
    facts.put(
        "Machine",
        Runtime.getRuntime().availableProcessors()
            + " cores, "
            + fromFile("/proc/cpuinfo", "model name", "processor unknown")
            + ", memory "
            + fromFile("/proc/meminfo", "MemTotal", "unknown")
            + ", "
            + System.getProperty("os.name")
            + " "
            + System.getProperty("os.version"));
    facts.put(
        "Java",
        System.getProperty("java.vm.name")
            + " "
            + System.getProperty("java.vm.version")
            + ", flags of every worker: `"
            + jvmFlags
            + "`");
    return facts;
  }

  /** Adds servers and libraries, with their versions. */
  static void software(Bench bench, String chapter, Map<String, String> facts) {
    switch (chapter) {
      case "in-process" -> {
        facts.put("JMH", fromPom("org.openjdk.jmh/jmh-core"));
        facts.put("Caffeine", version(Caffeine.class));
      }
      case "engines" -> engines(bench, facts);
      default -> {
        facts.put("Redis", bench.server().about());
        facts.put("Redisson", version(Redisson.class));
        switch (chapter) {
          case "locks" -> facts.put("Spring Integration", version(RedisLockRegistry.class));
          case "limits" -> facts.put("Bucket4j", version(Bucket4jLettuce.class));
          case "cache" -> {
            facts.put("JetCache", fromPom("com.alicp.jetcache/jetcache-core"));
            facts.put("Caffeine", version(Caffeine.class));
          }
          default -> {} // no other library
        }
        facts.put("Lettuce", LettuceVersion.getVersion());
      }
    }
  }

  private static void engines(Bench bench, Map<String, String> facts) {
    for (Engine engine : Engine.values()) {
      if (!Bench.isInstalled(engine)) {
        facts.put(engine.title(), "not installed, so it is left out");
      }
    }
    bench.about().forEach((engine, about) -> facts.put(engine.title(), about));
    facts.put("Disk", Disk.describe());
    facts.put("Curator", version(CuratorFramework.class));
    facts.put("Spring Integration", version(JdbcLockRegistry.class));
    facts.put("ShedLock", fromPom("net.javacrumbs.shedlock/shedlock-core"));
    facts.put("HikariCP", fromPom("com.zaxxer/HikariCP"));
  }

  private static String version(Class<?> type) {
    String version = type.getPackage().getImplementationVersion();
    return version == null ? "version unknown" : version;
  }

  /** For libraries whose jar says it nowhere else. */
  private static String fromPom(String artifact) {
    String file = "/META-INF/maven/" + artifact + "/pom.properties";
    Properties properties = new Properties();
    try (InputStream in = Machine.class.getResourceAsStream(file)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      properties.clear();
    }
    return properties.getProperty("version", "version unknown");
  }

  private static String fromFile(String file, String key, String otherwise) {
    try {
      return Files.readAllLines(Path.of(file)).stream()
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse(otherwise);
    } catch (IOException e) {
      return otherwise;
    }
  }
}
