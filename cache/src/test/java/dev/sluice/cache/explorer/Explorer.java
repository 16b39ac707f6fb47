package dev.sluice.cache.explorer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs a protocol in every order of its steps, and stops at the first broken promise. Breadth
 * first, so that what it reports is as short as can be.
 */
final class Explorer {
  private static final int MAX_COUNT = 3_000_000;

  private record From(@Nullable ExploredState world, String what) {}

  /**
   * The result of a search.
   *
   * @param states how many different worlds were visited
   * @param broken the promise that is broken, or null
   * @param steps how
   */
  record Result(int states, @Nullable String broken, List<String> steps) {
    @Override
    public String toString() {
      return broken == null
          ? states + " states, nothing broken"
          : "%d states until: %s%n  %s"
              .formatted(states, broken, String.join(System.lineSeparator() + "  ", steps));
    }
  }

  private Explorer() {}

  static Result explore(Protocol protocol) {
    Steps steps = new Steps(protocol);
    ExploredState start = steps.start();
    Map<ExploredState, From> seen = new HashMap<>();
    ArrayDeque<ExploredState> open = new ArrayDeque<>();
    seen.put(start, new From(null, "start"));
    open.add(start);
    while (!open.isEmpty()) {
      ExploredState world = open.remove();
      List<Move> moves = steps.from(world);
      for (Move move : moves) {
        if (move.broken() != null) {
          List<String> path = path(seen, world);
          path.add(move.what());
          return new Result(seen.size(), move.broken(), path);
        }
        if (seen.putIfAbsent(move.to(), new From(world, move.what())) == null) {
          open.add(move.to());
        }
      }
      String broken = moves.isEmpty() ? steps.atRest(world) : null;
      if (broken != null) {
        return new Result(seen.size(), broken, path(seen, world));
      }
      if (seen.size() > MAX_COUNT) {
        throw new IllegalStateException("more than " + MAX_COUNT + " states: " + protocol);
      }
    }
    return new Result(seen.size(), null, List.of());
  }

  private static List<String> path(Map<ExploredState, From> seen, ExploredState end) {
    List<String> steps = new ArrayList<>();
    for (ExploredState at = end; at != null; ) {
      From from = seen.get(at);
      steps.add(from.what());
      at = from.world();
    }
    Collections.reverse(steps);
    steps.remove(0);
    return steps;
  }
}
