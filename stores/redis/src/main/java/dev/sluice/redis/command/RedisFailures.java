package dev.sluice.redis.command;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.SluiceException;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * The failures that callers get, from error replies of a server and otherwise.
 *
 * @param describe the server, for messages
 */
public record RedisFailures(String describe) {

  /**
   * What an error reply means to the caller.
   *
   * @param verb what was asked
   * @param owner whose keys they are
   * @param key a key of the request by its index, from 1
   */
  SluiceException of(String verb, String owner, IntFunction<String> key, String error) {
    if (error.startsWith("WRONGTYPE")) {
      return foreign(key.apply(1), "value of another type");
    }
    String[] ours = ours(error);
    if (ours.length == 3 && ours[0].equals("foreign")) {
      return foreign(key.apply(Integer.parseInt(ours[1])), ours[2]);
    }
    if (ours.length == 2 && ours[0].equals("exhausted")) {
      return new ForeignDataException(
          Names.quoted(owner)
              + " has no fencing token left: the last one is "
              + ours[1]
              + "; use another name",
          null);
    }
    if (ours.length == 2 && ours[0].equals("ttl")) {
      Duration longest = Duration.ofNanos(1000 * Long.parseLong(ours[1]));
      return new BackendException(
          describe + " belongs to a quorum whose longest lease is " + shortly(longest), null);
    }
    return new BackendException(describe + " refused '" + verb + "': " + error, null);
  }

  /** A key that holds what Sluice did not write. */
  public ForeignDataException foreign(String key, String what) {
    return new ForeignDataException(
        "key '"
            + key
            + "' on "
            + describe
            + " holds a "
            + what
            + ", which Sluice did not write; look at it and remove it",
        null);
  }

  /** The words in the brackets of {@code SLUICE<...>}: errors that the scripts define. */
  private static String[] ours(String error) {
    int from = error.indexOf("SLUICE<");
    int to = error.indexOf('>', Math.max(0, from));
    return from < 0 || to < 0 ? new String[0] : error.substring(from + 7, to).split(" ", 3);
  }

  /** The backend is closed. */
  public static IllegalStateException closed() {
    return new IllegalStateException("this Redis backend is closed");
  }

  /** "2s", "250ms". */
  public static String shortly(Duration time) {
    return time.toMillis() % 1000 == 0
        ? time.toSeconds() + "s"
        : time.toMillis() > 0
            ? time.toMillis() + "ms"
            : String.format(Locale.ROOT, "%dus", time.toNanos() / 1000);
  }
}
