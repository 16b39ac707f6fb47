package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Surefire runs {@code *Test}, which start no server. A class that starts one is an {@code *IT}.
 */
class TestKindsTest {
  private static final Set<String> STARTERS =
      Set.of(
          "RedisServer",
          "RedisCluster",
          "RedisSentinel",
          "PostgresqlServer",
          "ServerProcess",
          "TestingServer",
          "TestingCluster");

  /** Fixtures, a search in memory that shares one, and the profile of the browser. */
  private static final Pattern EXCEPT =
      Pattern.compile("\\w+UnderTest|QuorumSearchTest|\\w+InBrowserTest");

  private static final Pattern COMMENT_OR_TEXT =
      Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"");
  private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w+");

  @TempDir Path planted;

  @Test
  void classThatStartsAServerIsAnIntegrationTest() throws IOException {
    Set<String> wrong = new TreeSet<>();
    for (String module : SourceTree.modules()) {
      wrong.addAll(unitTestsWithServers(SourceTree.path(module)));
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void serverThatAFixtureStartsIsFound() throws IOException {
    Path tests = Files.createDirectories(planted.resolve("src/test/java"));
    Files.writeString(tests.resolve("Store.java"), "class Store { RedisServer server; }");
    Files.writeString(tests.resolve("StoreTest.java"), "class StoreTest { Store store; }");
    Files.writeString(tests.resolve("StoreIT.java"), "class StoreIT { Store store; }");
    Files.writeString(tests.resolve("OtherTest.java"), "class OtherTest {} // no RedisServer");
    assertThat(unitTestsWithServers(planted)).containsExactly("StoreTest");
  }

  private static Set<String> unitTestsWithServers(Path module) throws IOException {
    Map<String, Set<String>> uses = uses(module.resolve("src/test/java"));
    Set<String> starting = new HashSet<>(STARTERS);
    int before;
    do { // until no class is added that uses one of these
      before = starting.size();
      uses.forEach(
          (name, used) -> {
            if (used.stream().anyMatch(starting::contains)) {
              starting.add(name);
            }
          });
    } while (starting.size() > before);
    starting.removeIf(name -> !name.endsWith("Test") || EXCEPT.matcher(name).matches());
    return starting;
  }

  /** The names in each source file, without those in comments and texts. */
  private static Map<String, Set<String>> uses(Path folder) throws IOException {
    Map<String, Set<String>> uses = new HashMap<>();
    if (!Files.isDirectory(folder)) {
      return uses;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        Set<String> used = new HashSet<>();
        NAME.matcher(COMMENT_OR_TEXT.matcher(Files.readString(file)).replaceAll(""))
            .results()
            .forEach(found -> used.add(found.group()));
        uses.put(file.getFileName().toString().replace(".java", ""), used);
      }
    }
    return uses;
  }
}
