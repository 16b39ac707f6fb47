package dev.sluice.redis.keys;

import org.jspecify.annotations.Nullable;

/**
 * The prefix of the keys and channels of a backend. The scripts take it from their first key, see
 * post.lua.
 *
 * @param start {@code sl:}, or in a namespace {@code NAMESPACE:sl:}. A namespace has no colon and
 *     is not {@code sl}, so the first word of a key says which it belongs to
 */
public record KeySpace(String start) {
  public static final KeySpace PLAIN = new KeySpace("sl:");

  public static KeySpace of(@Nullable String namespace) {
    return namespace == null ? PLAIN : new KeySpace(namespace + ":" + PLAIN.start);
  }

  /** The prefix of a name, up to the brace. */
  public String open() {
    return start + "{";
  }

  /** The prefix of a client's channel. */
  public String inbox() {
    return start + "inbox:";
  }

  /** The pattern of all keys in an ACL. */
  public String keyRule() {
    return "~" + start + "*";
  }

  /** The pattern of all channels in an ACL. */
  public String channelRule() {
    return "&" + inbox() + "*";
  }
}
