package dev.sluice.guard;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.Lease;
import dev.sluice.spi.LockProtocol;
import java.io.Serializable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Proof of a grant, sent to a resource with each access: the token of the grant and the attempt
 * that received it. As text it is {@code token:attempt}, in logs, in Redis and in the HTTP header
 * {@link FencingHeader#NAME}.
 *
 * @param value the fencing token, 1 to 2^53 - 1
 * @param attempt the attempt that was granted it, see {@link Lease#attempt()}: 1 to 64 letters,
 *     digits, dots, underscores and hyphens
 * @since 0.1
 */
public record FencingToken(long value, String attempt) implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Pattern ATTEMPT = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern TEXT = Pattern.compile("([1-9][0-9]{0,15}):(" + ATTEMPT + ")");

  /** Checks both. */
  public FencingToken {
    requireNonNull(attempt, "attempt must not be null");
    if (value < 1 || value > LockProtocol.MAX_TOKEN) {
      throw new IllegalArgumentException("token must be 1 to 2^53 - 1: " + value);
    }
    if (!ATTEMPT.matcher(attempt).matches()) {
      throw new IllegalArgumentException(
          "attempt must be 1 to 64 letters, digits, '.', '_' and '-': '" + attempt + "'");
    }
  }

  /**
   * The token of a lease. Makes no call, and works for a lease that is over, too.
   *
   * @param lease the lease
   * @return its token
   */
  public static FencingToken of(Lease lease) {
    return new FencingToken(lease.token(), lease.attempt());
  }

  /**
   * Parses the form of {@link #toString}, and nothing else: no sign, no leading zero, no blank.
   *
   * @param text {@code token:attempt}
   * @return the token
   * @throws IllegalArgumentException if it is none
   */
  public static FencingToken parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("a fencing token must have the form TOKEN:ATTEMPT");
    }
    return new FencingToken(Long.parseLong(parts.group(1)), parts.group(2));
  }

  /**
   * Applies the rule of every guard, with this as the highest token so far. Its twins are {@code
   * guard.lua} and the statements of the {@code jdbc} module.
   *
   * @param next the token that is shown now
   * @return true if it is higher, or the same one again; false if it is lower, or if another
   *     attempt has the same number
   */
  public boolean admits(FencingToken next) {
    return next.value > value || next.equals(this);
  }

  /** {@return {@code token:attempt}} */
  @Override
  public String toString() {
    return value + ":" + attempt;
  }
}
