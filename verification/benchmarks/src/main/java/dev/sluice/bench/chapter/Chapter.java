package dev.sluice.bench.chapter;

import dev.sluice.bench.report.Results;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.run.Bench;
import dev.sluice.bench.systems.Candidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the workloads of a chapter one after the other, the systems of each in turns. */
public final class Chapter {
  /** With fewer there is no spread. */
  public static final int MIN_ROUNDS = 3;

  private final Bench bench;
  private final RunPlan plan;
  private final List<Workload> workloads;
  private final Collection<Candidate> systems;
  private final Consumer<String> progress;
  private @Nullable Duration budget;
  private int done;

  /**
   * @param all workloads of the chapter
   * @param only workload ids or their beginnings, empty for all
   * @param systems who takes part
   * @param progress receives the progress
   * @throws IllegalArgumentException if no workload is called so
   */
  public Chapter(
      Bench bench,
      RunPlan plan,
      List<Workload> all,
      List<String> only,
      Collection<Candidate> systems,
      Consumer<String> progress) {
    this.bench = bench;
    this.plan = plan;
    this.systems = systems;
    this.progress = progress;
    this.workloads = choose(all, only);
  }

  /**
   * Gives it a time: each workload has a share of what is left of it, and has no further round when
   * that is used up, but {@link #MIN_ROUNDS} in any case.
   */
  public Chapter within(Duration time) {
    budget = time;
    return this;
  }

  /** {@return ids of the workloads that {@code only} chooses, all of them when it is empty} */
  public static List<String> ids(List<Workload> all, List<String> only) {
    return choose(all, only).stream().map(Workload::id).toList();
  }

  private static List<Workload> choose(List<Workload> all, List<String> only) {
    if (only.isEmpty()) {
      return all;
    }
    Set<Workload> chosen = new HashSet<>();
    for (String name : only) {
      List<Workload> exact = all.stream().filter(each -> each.id().equals(name)).toList();
      List<Workload> named =
          exact.isEmpty()
              ? all.stream().filter(each -> each.id().startsWith(name)).toList()
              : exact;
      if (named.isEmpty()) {
        throw new IllegalArgumentException(
            "no workload '"
                + name
                + "'; there are "
                + String.join(", ", all.stream().map(Workload::id).toList()));
      }
      chosen.addAll(named);
    }
    return all.stream().filter(chosen::contains).toList();
  }

  /** Measures everything. */
  public List<Section> run() throws Exception {
    Map<Workload, Results> results = new LinkedHashMap<>();
    int steps = workloads.stream().mapToInt(this::steps).sum();
    long began = System.nanoTime();
    for (Workload workload : workloads) {
      results.put(workload, run(workload, steps, share(began, workload, steps)));
    }
    for (Map.Entry<Workload, Results> entry : results.entrySet()) {
      progress.accept("looking again at: " + entry.getKey().title());
      entry.getKey().finish(bench, entry.getValue(), plan);
    }
    List<Section> sections = new ArrayList<>();
    results.forEach((workload, found) -> sections.add(section(workload, found)));
    return sections;
  }

  /** When a workload should be over, on the clock of this JVM. */
  private long share(long began, Workload workload, int steps) {
    Duration time = budget;
    if (time == null || steps == done) {
      return Long.MAX_VALUE;
    }
    long now = System.nanoTime();
    long left = Math.max(0, began + time.toNanos() - now);
    return now + (long) ((double) left * steps(workload) / (steps - done));
  }

  /** Whether another round of the same length ends in time. */
  private static boolean fits(long began, int rounds, long end) {
    long now = System.nanoTime();
    return end == Long.MAX_VALUE || now + (now - began) / rounds <= end;
  }

  private int rounds(Workload workload) {
    return workload.once() ? 1 : plan.rounds();
  }

  private int steps(Workload workload) {
    return rows(workload).size() * rounds(workload);
  }

  private List<Row> rows(Workload workload) {
    return workload.rows().stream().filter(row -> systems.contains(row.candidate())).toList();
  }

  private Results run(Workload workload, int steps, long end) throws Exception {
    Results results = new Results();
    List<Row> order = new ArrayList<>(rows(workload));
    for (Row row : order) {
      results.announce(row.label());
      report(workload, row, "getting ready", steps);
      workload.warmUp(bench, row, plan);
    }
    int planned = done + steps(workload);
    long began = System.nanoTime();
    for (int round = 1; round <= rounds(workload); round++) {
      if (round > MIN_ROUNDS && !fits(began, round - 1, end)) {
        break;
      }
      for (Row row : order) {
        report(workload, row, "round " + round + " of " + rounds(workload), steps);
        results.add(row.label(), workload.measure(bench, row, round, plan));
        done++;
      }
      // No system is always first, and none always follows the same one.
      Collections.reverse(order);
      Collections.rotate(order, round % 2);
    }
    done = planned;
    return results;
  }

  private void report(Workload workload, Row row, String what, int steps) {
    progress.accept(
        "["
            + (done + 1)
            + "/"
            + steps
            + "] "
            + workload.title()
            + ": "
            + row.label()
            + ", "
            + what);
  }

  private static Section section(Workload workload, Results results) {
    return new Section(
        workload.id(),
        workload.title(),
        workload.meaning(),
        workload.floor(),
        workload.columns(),
        workload.charted(),
        results,
        workload.goals(results));
  }
}
