package dev.sluice.limit;

import org.jspecify.annotations.Nullable;

/**
 * The fallback of a limiter while its store is unreachable. An immutable value.
 *
 * @since 0.1
 */
public final class Outage {
  private static final int MAX_PROCESSES = 100_000;

  private static final Outage ALLOWS = new Outage(Kind.OPEN, 1);
  private static final Outage REFUSES = new Outage(Kind.CLOSED, 1);

  private final Kind kind;
  private final int processes;

  private Outage(Kind kind, int processes) {
    this.kind = kind;
    this.processes = processes;
  }

  /** The kinds of policy. */
  public enum Kind {
    /** Everything passes. */
    OPEN,
    /** Nothing passes. */
    CLOSED,
    /** This process counts by itself, with its share of the limit. */
    LOCAL_SHARE
  }

  /** {@return the fallback that allows every call: a broken store must not stop the service} */
  public static Outage open() {
    return ALLOWS;
  }

  /**
   * {@return the fallback that refuses every call: the protected resource matters more than the
   * call}
   */
  public static Outage closed() {
    return REFUSES;
  }

  /**
   * Counts in this process with a share of the limit: capacity and rate divided by the number of
   * processes, at least one permit. A limiter counts 100,000 keys this way. Further keys have one
   * share together, until counts of other keys have run out.
   *
   * @param processes how many processes there are, 1 to 100,000
   * @return the policy
   * @throws IllegalArgumentException if the number is out of range
   */
  public static Outage localShare(int processes) {
    if (processes < 1 || processes > MAX_PROCESSES) {
      throw new IllegalArgumentException("processes must be 1 to 100000: " + processes);
    }
    return new Outage(Kind.LOCAL_SHARE, processes);
  }

  /** {@return open, closed or local share} */
  public Kind kind() {
    return kind;
  }

  /**
   * {@return the number of processes that share the limit}
   *
   * @throws IllegalStateException if this is no local share
   */
  public int processes() {
    if (kind != Kind.LOCAL_SHARE) {
      throw new IllegalStateException("only a local share has a number of processes: " + this);
    }
    return processes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Outage outage && kind == outage.kind && processes == outage.processes;
  }

  @Override
  public int hashCode() {
    return 31 * kind.hashCode() + processes;
  }

  /** {@return the kind, and the number of processes of a local share} */
  @Override
  public String toString() {
    return kind == Kind.LOCAL_SHARE ? kind + " of " + processes : kind.toString();
  }
}
