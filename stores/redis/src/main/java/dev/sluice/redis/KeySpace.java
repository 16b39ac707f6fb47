package dev.sluice.redis;

import org.jspecify.annotations.Nullable;

/**
 * What the keys and channels of a backend begin with. The scripts take it from their first key, see
 * post.lua.
 *
 * @param start {@code sl:}, or in a namespace {@code NAMESPACE:sl:}. A namespace has no colon and
 *     is not {@code sl}, so the first word of a key says which it belongs to
 */
record KeySpace(String start) {
  static final KeySpace PLAIN = new KeySpace("sl:");

  static KeySpace of(@Nullable String namespace) {
    return namespace == null ? PLAIN : new KeySpace(namespace + ":" + PLAIN.start);
  }

  /** What stands before a name, up to the brace. */
  String open() {
    return start + "{";
  }

  /** What stands before a client in the name of its channel. */
  String inbox() {
    return start + "inbox:";
  }

  /** All keys, as a rule of an ACL. */
  String keyRule() {
    return "~" + start + "*";
  }

  /** All channels, as a rule of an ACL. */
  String channelRule() {
    return "&" + inbox() + "*";
  }
}
