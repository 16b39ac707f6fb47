package dev.sluice;

import dev.sluice.spi.BackendProvider;
import dev.sluice.spi.BackendSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Examines stores from outside: whether their settings allow the guarantees of Sluice. It asks,
 * measures and changes nothing.
 *
 * @since 0.1
 */
public final class Doctor {
  private Doctor() {}

  /**
   * Examines stores; each request is bounded by two seconds.
   *
   * @param uris where they are, as {@link Sluice#connect} takes them. Several Redis servers are
   *     taken for the members of one quorum, and compared
   * @return the findings, the worst first; none if all is well. A store that cannot be reached is a
   *     finding, {@code unreachable}
   * @throws IllegalArgumentException if there is no URI, or no module opens one of them
   */
  public static List<Finding> examine(List<String> uris) {
    return examine(uris, Duration.ofSeconds(2));
  }

  /**
   * Examines stores. Blocks for some round trips. Servers that do not answer cost {@code timeout} a
   * few times at most: once for all Redis servers, which are examined in parallel, and once for
   * each other store.
   *
   * @param uris where they are, as {@link Sluice#connect} takes them. Several Redis servers are
   *     taken for the members of one quorum, and compared
   * @param timeout longest wait for one answer, 1 ms to 1 day
   * @return the findings, the worst first; none if all is well. A store that cannot be reached is a
   *     finding, {@code unreachable}
   * @throws IllegalArgumentException if there is no URI, or no module opens one of them
   */
  public static List<Finding> examine(List<String> uris, Duration timeout) {
    if (uris.isEmpty()) {
      throw new IllegalArgumentException("there must be a store to examine");
    }
    BackendSettings settings = new BackendSettings(timeout);
    Providers providers = new Providers();
    Map<BackendProvider, List<String>> byKind = new LinkedHashMap<>();
    for (String uri : uris) {
      byKind.computeIfAbsent(providers.of(uri), kind -> new ArrayList<>()).add(uri);
    }
    List<Finding> findings = new ArrayList<>();
    byKind.forEach((kind, stores) -> findings.addAll(kind.examine(stores, settings)));
    return worstFirst(findings);
  }

  static List<Finding> worstFirst(List<Finding> findings) {
    return findings.stream()
        .sorted(
            Comparator.comparing(Finding::severity).reversed()) // stable: else as they were made
        .toList();
  }
}
