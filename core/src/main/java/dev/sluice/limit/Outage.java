package dev.sluice.limit;

/**
 * The fallback of a limiter while its store is unreachable.
 *
 * @param kind open, closed or local share
 * @param processes for a local share: how many processes share the limit, 1 to 100,000; else 1
 * @since 0.1
 */
public record Outage(Kind kind, int processes) {

  /** The kinds of policy. */
  public enum Kind {
    /** Everything passes. */
    OPEN,
    /** Nothing passes. */
    CLOSED,
    /** This process counts by itself, with its share of the limit. */
    LOCAL_SHARE
  }

  /** Checks the number. */
  public Outage {
    if (processes < 1 || processes > 100_000) {
      throw new IllegalArgumentException("processes must be 1 to 100000: " + processes);
    }
  }

  /** {@return the fallback that allows every call: a broken store must not stop the service} */
  public static Outage open() {
    return new Outage(Kind.OPEN, 1);
  }

  /**
   * {@return the fallback that refuses every call: the protected resource matters more than the
   * call}
   */
  public static Outage closed() {
    return new Outage(Kind.CLOSED, 1);
  }

  /**
   * Counts in this process with a share of the limit: capacity and rate divided by the number of
   * processes, at least one permit. A limiter counts 100,000 keys this way. Further keys have one
   * share together, until counts of other keys have run out.
   *
   * @param processes how many processes there are, 1 to 100,000
   * @return the policy
   */
  public static Outage localShare(int processes) {
    return new Outage(Kind.LOCAL_SHARE, processes);
  }
}
