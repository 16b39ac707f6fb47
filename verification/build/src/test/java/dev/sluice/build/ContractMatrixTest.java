package dev.sluice.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.servers.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The matrix in {@code docs/contracts.md} is what the tests of the stores list. {@code
 * -Dsluice.contracts.write=true} writes it.
 */
class ContractMatrixTest {
  private static final Path ROOT = SourceTree.path("");
  private static final String BEGIN = "<!-- contracts -->\n";
  private static final String END = "<!-- end of contracts -->\n";
  private static final Set<String> KITS = Set.of("testkit", "testkit-cache");

  /** Each page, and the head of its matrix. */
  private static final Map<String, String> HEADS =
      Map.of(
          "docs/contracts.md",
          "| contract | memory | Redis | Sentinel | Cluster | quorum | ZooKeeper | SQL |\n",
          "docs/zh/contracts.md",
          "| 契约 | 内存 | Redis | 哨兵 | 集群 | 多数派 | ZooKeeper | SQL |\n");

  /** The tests of each column, by their names. */
  private static final List<String> COLUMNS =
      List.of(
          "Memory\\w+Test",
          "Redis\\w+IT",
          "Sentinel\\w+IT",
          "Cluster\\w+IT",
          "Quorum\\w+IT",
          "(ZooKeeper|Ensemble)\\w+IT",
          "Jdbc\\w+(IT|Contract)");

  @Test
  void thePageShowsWhatTheTestsList() throws IOException {
    TestSources sources = new TestSources(ROOT);
    for (Map.Entry<String, String> each : HEADS.entrySet()) {
      Path page = ROOT.resolve(each.getKey());
      String text = Files.readString(page);
      int begin = text.indexOf(BEGIN);
      int end = text.indexOf(END);
      assertThat(begin).as("%s has marks", page).isNotNegative().isLessThan(end);
      String matrix = each.getValue() + rows(sources);
      if (Boolean.getBoolean("sluice.contracts.write")) {
        Files.writeString(page, text.substring(0, begin) + BEGIN + matrix + text.substring(end));
      } else {
        assertThat(text.substring(begin + BEGIN.length(), end)).as("%s", page).isEqualTo(matrix);
      }
    }
  }

  @Test
  void everyContractIsRunByMemory() throws IOException {
    assertThat(rows(new TestSources(ROOT)).lines().skip(1))
        .hasSizeGreaterThan(30)
        .allMatch(row -> row.matches("\\| `\\w+` \\| yes( \\| (yes|-)){6} \\|"));
  }

  /**
   * The matrix asks whether any test of a column lists a contract; this, whether the right one
   * does.
   */
  @Test
  void whatALockPromisesIsTheSameOnEveryStore() throws IOException {
    TestSources sources = new TestSources(ROOT);
    Set<String> lock = parents(sources, "MemoryLockContractTest");
    for (String store : List.of("Redis", "Cluster", "ZooKeeper", "Jdbc")) {
      assertThat(parents(sources, store + "LockContractIT")).as(store).containsAll(lock);
    }
    Set<String> write = parents(sources, "MemoryWriteLockContractTest");
    for (String store : List.of("Redis", "ZooKeeper", "Jdbc")) {
      assertThat(parents(sources, store + "WriteLockContractIT")).as(store).containsAll(write);
    }
    lock.removeAll(Set.of("Queueing", "DelayedRelease")); // each server has a queue of its own
    assertThat(parents(sources, "QuorumLockContractIT")).hasSizeGreaterThan(9).containsAll(lock);
  }

  private static Set<String> parents(TestSources sources, String test) {
    return new HashSet<>(sources.classes(Set.of(), test).get(0).parents());
  }

  private static String rows(TestSources sources) {
    List<String> rows = new ArrayList<>();
    rows.add("|---".repeat(COLUMNS.size() + 1) + "|");
    sources.classes(KITS, "*").stream()
        .filter(contract -> !contract.methods().isEmpty())
        .map(TestSources.TestClass::name)
        .sorted()
        .forEach(
            contract ->
                rows.add(
                    Stream.concat(
                            Stream.of("`" + contract + "`"),
                            COLUMNS.stream()
                                .map(column -> lists(sources, column, contract) ? "yes" : "-"))
                        .reduce("|", (row, cell) -> row + " " + cell + " |")));
    return String.join("\n", rows) + "\n";
  }

  private static boolean lists(TestSources sources, String column, String contract) {
    return sources.classes(Set.of(), "*").stream()
        .filter(test -> test.name().matches(column))
        .anyMatch(test -> test.parents().contains(contract));
  }
}
