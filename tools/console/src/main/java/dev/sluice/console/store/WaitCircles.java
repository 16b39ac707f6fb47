package dev.sluice.console.store;

import static java.util.Objects.requireNonNull;

import dev.sluice.Finding;
import dev.sluice.lock.LockInfo;
import dev.sluice.text.Names;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Deadlocked processes: the holder of one lock waits for another, whose holder waits for the first,
 * directly or through others.
 *
 * <p>A store knows which process holds a lock and which wait, and not which of their threads. So a
 * circle may be one of threads that have nothing to do with each other. It counts when every grant
 * and every wait of it has lasted for ten seconds, which busy threads seldom do. Not safe for use
 * by many threads.
 */
public final class WaitCircles {
  static final long SETTLED_MILLIS = 10_000;
  public static final String ID = "circular-wait";
  private static final int MAX_COUNT = 20;
  private static final int MAX_NAMES = 5;
  private static final String NOBODY = "-";

  /** A process that waits for a lock held by another. */
  private record Wait(String lock, String waiter, long attempt, String holder, long token) {}

  /** A process that waits for another: for these locks, in the order of their names. */
  record Step(String waiter, String holder, List<String> locks) {}

  /** The time since which each wait has been observed without interruption. */
  private Map<Wait, Long> since = Map.of();

  /**
   * Reads all known locks.
   *
   * @return each circle as its steps in order, the shortest circle first
   */
  List<List<Step>> find(Collection<LockInfo> locks, long now) {
    Map<Wait, Long> seen = new HashMap<>();
    Map<String, Map<String, Set<String>>> settled = new TreeMap<>(); // waiter, holder, locks
    for (Wait wait : waits(locks)) {
      long first = since.getOrDefault(wait, now);
      seen.put(wait, first);
      if (now - first >= SETTLED_MILLIS) {
        settled
            .computeIfAbsent(wait.waiter, waiter -> new TreeMap<>())
            .computeIfAbsent(wait.holder, holder -> new TreeSet<>())
            .add(wait.lock);
      }
    }
    since = seen;
    Set<Set<Step>> known = new HashSet<>();
    List<List<Step>> circles = new ArrayList<>();
    for (String start : settled.keySet()) {
      List<Step> circle = shortest(start, settled);
      if (!circle.isEmpty() && known.add(Set.copyOf(circle))) {
        circles.add(circle);
      }
    }
    circles.sort(Comparator.comparingInt(List::size));
    return circles.stream().limit(MAX_COUNT).toList();
  }

  /** Reads the locks of processes that hold something; no other process can be part of a cycle. */
  private static Set<Wait> waits(Collection<LockInfo> locks) {
    Set<String> holders =
        locks.stream()
            .flatMap(lock -> lock.holder().stream())
            .map(LockInfo.Holder::client)
            .filter(client -> !client.equals(NOBODY))
            .collect(Collectors.toSet());
    Set<Wait> waits = new HashSet<>();
    for (LockInfo lock : locks) {
      lock.holder()
          .filter(holder -> holders.contains(holder.client()))
          .ifPresent(
              holder ->
                  lock.waiters().stream()
                      .filter(waiter -> holders.contains(waiter.client()))
                      .filter(waiter -> !waiter.client().equals(holder.client()))
                      .map(
                          waiter ->
                              new Wait(
                                  lock.name(),
                                  waiter.client(),
                                  waiter.attempt(),
                                  holder.client(),
                                  holder.token()))
                      .forEach(waits::add));
    }
    return waits;
  }

  /** The shortest cycle through a process, or nothing. */
  private static List<Step> shortest(String start, Map<String, Map<String, Set<String>>> settled) {
    Map<String, Step> reachedBy = new HashMap<>();
    Deque<String> next = new ArrayDeque<>(List.of(start));
    while (!next.isEmpty()) {
      String waiter = next.removeFirst();
      for (var held : settled.getOrDefault(waiter, Map.of()).entrySet()) {
        String holder = held.getKey();
        Step step = new Step(waiter, holder, List.copyOf(held.getValue()));
        if (reachedBy.putIfAbsent(holder, step) != null) {
          continue;
        }
        if (holder.equals(start)) {
          return path(start, reachedBy);
        }
        next.addLast(holder);
      }
    }
    return List.of();
  }

  private static List<Step> path(String start, Map<String, Step> reachedBy) {
    Deque<Step> path = new ArrayDeque<>();
    String at = start;
    do {
      Step step = requireNonNull(reachedBy.get(at));
      path.addFirst(step);
      at = step.waiter;
    } while (!at.equals(start));
    return List.copyOf(path);
  }

  /**
   * A cycle in the doctor's form.
   *
   * @param process the name of the process with a client id
   * @param unlock the command that releases a lock by force
   */
  static Finding finding(
      List<Step> circle, UnaryOperator<String> process, UnaryOperator<String> unlock) {
    String what =
        circle.stream()
            .map(
                step ->
                    process.apply(step.waiter)
                        + " waits for "
                        + quoted(step.locks)
                        + ", which "
                        + process.apply(step.holder)
                        + " holds")
            .collect(Collectors.joining("; "));
    Step clearest =
        circle.stream().min(Comparator.comparingInt(step -> step.locks.size())).orElseThrow();
    return new Finding(
        Finding.Severity.WARNING,
        ID,
        quoted(circle.stream().flatMap(step -> step.locks.stream()).sorted().toList()),
        what,
        "if one task holds the one lock and waits for the other, neither goes on until a wait"
            + " times out; tasks that take locks in the same order never do",
        unlock.apply(clearest.locks.get(0)));
  }

  private static String quoted(List<String> locks) {
    return locks.stream().limit(MAX_NAMES).map(Names::quoted).collect(Collectors.joining(", "))
        + (locks.size() > MAX_NAMES ? ", …" : "");
  }
}
