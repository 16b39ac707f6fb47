package dev.sluice.bench.scale;

import java.util.ArrayList;
import java.util.List;

/**
 * The sizes of the tables.
 *
 * @param clients clients, from the least
 * @param waiters clients that wait while another one holds
 * @param keys keys at the server
 * @param few clients of those tables in which something else grows
 * @param masters masters of a cluster: some of 1, 2, 3, 6
 * @param leftOut what this machine kept out, and why; or empty
 */
public record Sizes(
    List<Integer> clients,
    List<Integer> waiters,
    List<Integer> keys,
    int few,
    List<Integer> masters,
    String leftOut) {
  /** On a cluster each has its own threads. */
  private static final int FEW = 16;

  private static final int MAX_WAITERS = 10_000;
  private static final long FILES_OF_MOST_WAITERS = MAX_WAITERS + 2_500;
  private static final int MAX_KEYS = 10_000_000;

  /** Several times what these keys take. */
  private static final long BYTES_OF_MOST_KEYS = 8L << 30;

  /** {@return the sizes of a run of about eight minutes, as far as this machine can have them} */
  public static Sizes full() {
    return new Sizes(
            List.of(1, 10, 100, 1_000),
            List.of(1, 10, 100, 1_000, MAX_WAITERS),
            List.of(100, 1_000, 10_000, 100_000, 1_000_000, MAX_KEYS),
            FEW,
            List.of(1, 2, 3, 6),
            "")
        .within(Limits.ofThisMachine());
  }

  /** {@return the sizes of a run of less than two minutes} */
  public static Sizes quick() {
    return new Sizes(
            List.of(1, 10, 100),
            List.of(1, 10, 100, 1_000),
            List.of(100, 1_000, 10_000, 100_000),
            FEW,
            List.of(1, 2, 3),
            "")
        .within(Limits.ofThisMachine());
  }

  /** {@return these without what needs more open files or more memory than there are} */
  Sizes within(Limits limits) {
    boolean files = limits.openFiles() >= FILES_OF_MOST_WAITERS;
    boolean memory = limits.freeBytes() >= BYTES_OF_MOST_KEYS;
    List<String> missing = new ArrayList<>();
    if (!files && waiters.contains(MAX_WAITERS)) {
      missing.add("10,000 waiters (" + FILES_OF_MOST_WAITERS + " open files)");
    }
    if (!memory && keys.contains(MAX_KEYS)) {
      missing.add("10,000,000 keys (8 GiB of free memory)");
    }
    return new Sizes(
        clients,
        waiters.stream().filter(n -> files || n < MAX_WAITERS).toList(),
        keys.stream().filter(n -> memory || n < MAX_KEYS).toList(),
        few,
        masters,
        String.join(", ", missing));
  }
}
