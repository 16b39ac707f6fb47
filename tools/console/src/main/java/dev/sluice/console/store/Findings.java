package dev.sluice.console.store;

import dev.sluice.Finding;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.console.audit.EventLog;
import dev.sluice.console.fleet.FleetDoctor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The findings of the doctor at the store, and deadlocks between processes. A finding that is new
 * or gone is an event. Safe for use by many threads, of which one examines.
 */
final class Findings {
  private static final long EXAMINE_MILLIS = Duration.ofMinutes(5).toMillis();
  private static final long EXAMINE_AGAIN_MILLIS = Duration.ofSeconds(5).toMillis();

  private final Sluice sluice;
  private final EventLog events;
  private final Hints hints;
  private volatile List<Finding> circles = List.of();
  private volatile @Nullable List<Finding> examined;
  private volatile @Nullable String problem;
  private volatile long examinedAt;
  private volatile long askedAt;

  Findings(Sluice sluice, EventLog events, Hints hints) {
    this.sluice = sluice;
    this.events = events;
    this.hints = hints;
  }

  /** Returns whether the next examination is due. */
  boolean isDue(long now) {
    return now - examinedAt > EXAMINE_MILLIS && now - askedAt > EXAMINE_MILLIS;
  }

  /** Returns whether a request would start an examination now. */
  boolean mayExamine(long now) {
    return now - askedAt >= EXAMINE_AGAIN_MILLIS;
  }

  /** An examination begins. */
  void asked(long now) {
    askedAt = now;
  }

  /** Examines the store. Blocks. */
  void examine() {
    try {
      List<Finding> found = new ArrayList<>(sluice.diagnose());
      found.addAll(FleetDoctor.examine(sluice));
      List<Finding> before = examined;
      if (before != null) {
        logChanges(before, found, Finding::id);
      }
      examined = List.copyOf(found);
      problem = null;
    } catch (SluiceException e) {
      problem = e.getMessage();
    }
    examinedAt = System.currentTimeMillis();
  }

  /** Cycles of processes that wait for each other, as of the last look. */
  void circles(List<Finding> found) {
    logChanges(circles, found, Finding::where);
    circles = found;
  }

  private void logChanges(List<Finding> before, List<Finding> now, Function<Finding, String> key) {
    Set<String> old = before.stream().map(key).collect(Collectors.toSet());
    Set<String> fresh = now.stream().map(key).collect(Collectors.toSet());
    now.stream()
        .filter(finding -> !old.contains(key.apply(finding)))
        .forEach(
            finding ->
                events.add(
                    "warning",
                    "finding.new",
                    "id",
                    finding.id(),
                    "where",
                    finding.where(),
                    "what",
                    finding.what()));
    before.stream()
        .filter(finding -> !fresh.contains(key.apply(finding)))
        .map(Finding::id)
        .distinct()
        .forEach(id -> events.add("info", "finding.gone", "id", id));
  }

  void put(Map<String, Object> json) {
    List<Finding> found = examined;
    String failure = problem;
    json.put("examinedAt", examinedAt);
    json.put("findingsProblem", failure == null ? "" : failure);
    json.put(
        "findings",
        Stream.concat(circles.stream(), found == null ? Stream.empty() : found.stream())
            .map(finding -> StoreView.json(finding, hints))
            .toList());
  }
}
