package dev.sluice.console.fleet;

import dev.sluice.Extensions;
import dev.sluice.Finding;
import dev.sluice.Finding.Severity;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.console.http.Json;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.NoteBackend;
import dev.sluice.text.Names;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds limiters of one name and version whose processes have different policies, which no single
 * process can detect. It reads the figures that processes with a {@code FleetReporter} show while a
 * console is open.
 */
public final class FleetDoctor {
  public static final String ID = "limiter-policies";
  private static final int MAX_NAMED = 3;

  private FleetDoctor() {}

  /**
   * Compares the figures of the processes on a store. Blocks for one round trip.
   *
   * @param sluice a client of the store
   * @return the findings; none if the store has no notes of processes
   * @throws SluiceException if the store does not answer
   */
  public static List<Finding> examine(Sluice sluice) {
    NoteBackend notes = Extensions.of(sluice, Board.class, Board::new).notes;
    return notes == null
        ? List.of()
        : examine(sluice.describe(), PresenceBoards.answer(notes.all(PresenceBoards.REPORT)));
  }

  private static final class Board implements AutoCloseable {
    final @Nullable NoteBackend notes;

    Board(ClientParts parts) {
      @Nullable NoteBackend found;
      try {
        found = parts.backend().notes();
      } catch (UnsupportedOperationException e) {
        found = null;
      }
      this.notes = found;
    }

    @Override
    public void close() {}
  }

  private record Limiter(String name, long version) {}

  /** The processes of each policy, by limiter. */
  static List<Finding> examine(String where, Map<String, String> reports) {
    Map<Limiter, Map<String, TreeSet<String>>> policies =
        new TreeMap<>(Comparator.comparing(Limiter::name).thenComparingLong(Limiter::version));
    for (String report : reports.values()) {
      try {
        Map<String, Object> json = Json.object(report);
        if (Json.count(json, "v") == PresenceBoards.FORM) {
          read(json, policies);
        }
      } catch (IllegalArgumentException e) {
        // not a report; the console counts those
      }
    }
    List<Finding> findings = new ArrayList<>();
    policies.forEach(
        (limiter, found) -> {
          if (found.size() > 1) {
            findings.add(finding(where, limiter, found));
          }
        });
    return findings;
  }

  private static void read(
      Map<String, Object> json, Map<Limiter, Map<String, TreeSet<String>>> policies) {
    String process =
        Json.text(json, "process", 100, "?") + " at " + Json.text(json, "host", 255, "?");
    for (Map<String, Object> row : Json.objects(json, "limiters", 40)) {
      Limiter limiter = new Limiter(Json.text(row, "n", 512, ""), Json.count(row, "ver"));
      policies
          .computeIfAbsent(limiter, made -> new TreeMap<>())
          .computeIfAbsent(String.join(" + ", Json.texts(row, "p", 8)), policy -> new TreeSet<>())
          .add(process);
    }
  }

  private static Finding finding(
      String where, Limiter limiter, Map<String, TreeSet<String>> policies) {
    List<String> each = new ArrayList<>();
    policies.forEach((policy, processes) -> each.add(policy + " (" + brief(processes) + ")"));
    return new Finding(
        Severity.WARNING,
        ID,
        where,
        "limiter "
            + Names.quoted(limiter.name)
            + " has "
            + policies.size()
            + " policies of version "
            + limiter.version
            + ": "
            + String.join("; ", each),
        "each policy counts by its own rule on one count: callers are refused or admitted wrongly",
        "give the newer policy a higher version, or one of them another name");
  }

  private static String brief(TreeSet<String> processes) {
    String named = String.join(", ", processes.stream().limit(MAX_NAMED).toList());
    return processes.size() > MAX_NAMED
        ? named + " and " + (processes.size() - MAX_NAMED) + " more"
        : named;
  }
}
