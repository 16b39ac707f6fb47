package dev.sluice.bench.run;

import java.io.Serializable;

/**
 * The job of a worker process, as code: it is serialised, so it may refer to values and to classes,
 * and not to objects around it. A job that the library of the worker cannot do throws, and its
 * failure is what the other process gets.
 */
public interface Job<T> extends Serializable {
  /** Does it in the worker. */
  T run(Worker worker) throws Exception;

  /** A job without a result. */
  interface Step extends Serializable {
    /** Does it in the worker. */
    void run(Worker worker) throws Exception;
  }

  /** Makes the callers of an order, which do not start yet. */
  interface Preparation extends Serializable {
    /** Makes them in the worker. */
    Loop prepare(Worker worker, WorkOrder order) throws Exception;

    /** Throws if what was measured shows that the library did not do what it promises. */
    default void check(String system, Measured done) {}
  }
}
