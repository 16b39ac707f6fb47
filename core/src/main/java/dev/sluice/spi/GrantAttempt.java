package dev.sluice.spi;

/**
 * One attempt of a client on a name: an acquire begins it, and renewals and releases of its grant
 * refer to it. Immutable. A {@link GrantRequest} is one; a store compares the three values, not the
 * objects.
 *
 * @since 0.1
 */
public interface GrantAttempt {

  /** {@return the name, as the caller gave it} */
  String name();

  /** {@return 128 random bits of the process, as text} */
  String client();

  /** {@return the number of the attempt, growing within a client} */
  long attempt();

  /**
   * An attempt by itself, for a caller that does not have its request.
   *
   * @param name the name
   * @param client the process
   * @param attempt number of the attempt
   * @since 0.1
   */
  record Id(String name, String client, long attempt) implements GrantAttempt {}
}
