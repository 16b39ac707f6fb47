package dev.sluice.spi;

/**
 * A request for the right to load a value. If the reply contains neither that nor a value, it says
 * after which time to retry.
 *
 * @param key what to load
 * @param client the process
 * @param attempt distinguishes this attempt from every other of this client
 * @param leaseMicros how long the lease is to last, in microseconds, at least 1
 * @param aim what the caller wants
 * @since 0.1
 */
public record CacheRequest(CacheKey key, String client, long attempt, long leaseMicros, Aim aim) {

  /** The purpose of a request. */
  public enum Aim {
    /** The value, or the lease to load it. */
    LOAD,
    /** The lease only, even if a value exists. */
    REFRESH
  }
}
