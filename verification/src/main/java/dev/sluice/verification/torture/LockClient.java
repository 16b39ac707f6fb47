package dev.sluice.verification.torture;

import dev.sluice.lock.LeaseState;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock library as one process uses it. Found by {@link java.util.ServiceLoader} under its word;
 * made with a public constructor without arguments. Used by many threads.
 */
public interface LockClient extends AutoCloseable {

  /** {@return the word for it on the command line} */
  String word();

  /**
   * Connects. Called again when it failed.
   *
   * @param uri where to; several, between blanks, where the library wants several servers
   * @param ttl length of a lease, where the library wants to know it beforehand
   * @throws Exception if that fails
   */
  void open(String uri, Duration ttl) throws Exception;

  /**
   * Asks for a lock.
   *
   * @param name which
   * @param terms for how long
   * @param wait longest wait; zero asks once
   * @return the acquired lock, or null if another client has it
   * @throws Exception if the library could not tell, or broke
   */
  @Nullable Hold acquire(String name, Terms terms, Duration wait) throws Exception;

  /**
   * The options of a lock.
   *
   * @param ttl length of a lease
   * @param renewing whether it is lengthened while it is held
   * @param sticky whether the process may keep it when it is released
   */
  record Terms(Duration ttl, boolean renewing, boolean sticky) {}

  /** A lock in hand. */
  interface Hold {
    /** {@return its fencing token; zero where the library has none} */
    long token();

    /** {@return how long the holder may still believe; Long.MAX_VALUE if it is not reported} */
    long remainingNanos();

    /**
     * Adds a listener.
     *
     * @param listener is called for each change, where the library reports it
     */
    void onChange(Consumer<LeaseState> listener);

    /**
     * Gives it back.
     *
     * @return whether it was still ours
     * @throws Exception if the library broke
     */
    boolean release() throws Exception;
  }

  @Override
  void close();
}
