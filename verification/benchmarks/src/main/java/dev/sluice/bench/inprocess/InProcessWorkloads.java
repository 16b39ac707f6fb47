package dev.sluice.bench.inprocess;

import static dev.sluice.bench.systems.InProcessKind.BARE;
import static dev.sluice.bench.systems.InProcessKind.CAFFEINE;
import static dev.sluice.bench.systems.InProcessKind.REENTRANT_LOCK;

import dev.sluice.bench.chapter.Workload;
import java.util.List;

/** What never leaves the JVM. There are no goals: the ratios are for the regression gate. */
public final class InProcessWorkloads {
  private InProcessWorkloads() {}

  /** {@return all of them, in the order of the report} */
  public static List<Workload> all() {
    return List.of(
        new JmhWorkload(
            "lock",
            "Lock in memory, acquire and release",
            "One thread takes a lock that nobody else wants and gives it back. Ours is a renewing"
                + " lease with a fencing token.",
            LockCost.class,
            REENTRANT_LOCK),
        new JmhWorkload(
            "limit",
            "Rate limit, on permits taken in advance",
            "One thread asks for one key, and the process has permits. The floor is one atomic"
                + " number and a look at the clock.",
            LimitCost.class,
            BARE),
        new JmhWorkload(
            "bloom",
            "Bloom filter, from a key to its bits",
            "A key of 14 characters becomes bytes, a hash and the numbers of seven bits. The floor"
                + " is bytes and hash.",
            BloomCost.class,
            BARE),
        new JmhWorkload(
            "near",
            "Cache, hit in the process",
            "One thread reads 1,024 keys in turn. Every value of 100 bytes has a copy in the"
                + " process.",
            NearCost.class,
            CAFFEINE),
        new JmhWorkload(
            "memo",
            "Limited stock, known to be sold out",
            "1,024 claimants in turn are told that nothing is left, and no store is asked. The floor"
                + " is a flag and a set of those who have bought.",
            MemoCost.class,
            BARE),
        new JmhWorkload(
            "guard",
            "Guard in memory, a token is shown",
            "1,024 resources in turn, each time the token that each has seen. The floor is the"
                + " greater of two tokens in a map.",
            GuardCost.class,
            BARE));
  }
}
