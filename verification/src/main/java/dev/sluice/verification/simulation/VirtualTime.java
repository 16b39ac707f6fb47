package dev.sluice.verification.simulation;

import dev.sluice.verification.history.History;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** True time, what is due, and the one source of chance. */
final class VirtualTime {
  private record Due(long at, long number, @Nullable Process owner, Runnable task)
      implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int order = Long.compare(at, other.at);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  /** More steps than any schedule needs: something runs in circles. */
  static final int MAX_STEPS = 100_000;

  final SplittableRandom random;
  final Profile profile;
  final History history = new History();
  private final PriorityQueue<Due> due = new PriorityQueue<>(256);
  private final Map<String, Long> guards = new HashMap<>();
  private long number;
  private int operations;
  long now;
  int steps;

  /** No more faults, no more new work. */
  boolean healed;

  VirtualTime(long seed) {
    random = new SplittableRandom(seed);
    profile = new Profile(random);
  }

  /** Runs a task later; with an owner, only when the owner is alive and awake. */
  void in(long delay, @Nullable Process owner, Runnable task) {
    due.add(new Due(now + Math.max(0, delay), number++, owner, task));
  }

  /** Runs what is due next, or says that nothing is. */
  boolean step() {
    Due next = due.poll();
    if (next == null || steps >= MAX_STEPS) {
      return false;
    }
    steps++;
    now = Math.max(now, next.at);
    if (next.owner == null) {
      next.task.run();
    } else {
      next.owner.run(next.task);
    }
    return true;
  }

  int nextOperation() {
    return ++operations;
  }

  boolean chance(double share) {
    return share > 0 && random.nextDouble() < share;
  }

  /** Below the bound, mostly far below. */
  long upTo(long bound) {
    double share = random.nextDouble();
    return (long) (bound * share * share * share);
  }

  /** The guard of a resource: takes a token that is not lower than the highest it saw. */
  boolean guardAccepts(String name, long token) {
    long highest = guards.getOrDefault(name, 0L);
    if (token < highest) {
      return false;
    }
    guards.put(name, token);
    return true;
  }
}
