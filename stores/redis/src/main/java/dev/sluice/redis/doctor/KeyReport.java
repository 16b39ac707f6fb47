package dev.sluice.redis.doctor;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Observations about the keys under Sluice's prefix. */
final class KeyReport {
  private static final int EXAMPLES = 3;

  /** The kind of a key, by the text after the braces; see docs/stored-formats.md. */
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("lock", "string"),
          Map.entry("queue", "zset"),
          Map.entry("tickets", "hash"),
          Map.entry("over", "hash"),
          Map.entry("permits", "string"),
          Map.entry("permit-queue", "zset"),
          Map.entry("permit-tickets", "hash"),
          Map.entry("permit-over", "hash"),
          Map.entry("ended", "hash"),
          Map.entry("latch", "hash"),
          Map.entry("latchers", "zset"),
          Map.entry("notes", "hash"),
          Map.entry("vote", "string"),
          Map.entry("waiting", "hash"),
          Map.entry("guard", "string"),
          Map.entry("q", "string"),
          Map.entry("turns", "zset"),
          Map.entry("throttle", "string"),
          Map.entry("c", "string"),
          Map.entry("g", "string"),
          Map.entry("tags", "string"),
          Map.entry("log", "stream"),
          Map.entry("stock", "string"),
          Map.entry("claims", "hash"),
          Map.entry("due", "zset"),
          Map.entry("drain", "stream"),
          Map.entry("aside", "zset"),
          Map.entry("bloom", "string"));

  /** Filters live until they are deleted; stocks live until their sale is over and settled. */
  private static final Set<String> LASTING =
      Set.of("bloom", "stock", "claims", "due", "drain", "aside");

  final List<String> immortal = new ArrayList<>();
  final List<String> foreign = new ArrayList<>();

  /** Parts whose keys have a distinct type. */
  final Set<StoredPart> parts = EnumSet.noneOf(StoredPart.class);

  int seen;
  boolean all;

  /** The kind of a key, by its name: {@code lock}, {@code bloom}; null for a foreign key. */
  static @Nullable String kind(String key) {
    int end = key.indexOf("}:");
    if (end < 0) {
      return null;
    }
    String rest = key.substring(end + 2);
    int colon = rest.indexOf(':');
    String first = colon < 0 ? rest : rest.substring(0, colon);
    if (first.equals("l") || first.matches("l[0-9].*")) {
      return "limit";
    }
    if (first.equals("tag")) {
      return "tags"; // strings with an expiry, as those are
    }
    if (first.equals("new")) {
      return "c"; // a value on its way
    }
    return TYPES.containsKey(first) ? first : null;
  }

  /**
   * Reads one key.
   *
   * @param type as TYPE says it; "none" if it was deleted meanwhile
   * @param millis what is left of its life; -1: no expiry
   */
  void add(String key, String kind, String type, long millis) {
    seen++;
    if (type.equals("none")) {
      return;
    }
    if (!type.equals(TYPES.getOrDefault(kind, "string"))) {
      foreign.add(key + " (" + type + ")");
      return;
    }
    StoredPart part = StoredPart.of(kind);
    if (part != null) {
      parts.add(part);
    }
    if (millis == -1 && !LASTING.contains(kind)) {
      immortal.add(key);
    }
  }

  /** The effect on each part in use, "locks: ...; stock: ..."; null if no part was seen. */
  @Nullable String risks(Function<StoredPart, String> risk) {
    if (parts.isEmpty()) {
      return null;
    }
    return parts.stream().map(risk).collect(Collectors.joining("; "))
        + (all ? "" : "; other parts may be in use: only " + seen + " keys were examined");
  }

  /** Whether all keys were examined, and only caches have some. */
  boolean cachesAlone() {
    return all && parts.equals(EnumSet.of(StoredPart.CACHES));
  }

  /** Formats "2, such as a, b". */
  static String some(List<String> keys) {
    return keys.size()
        + (keys.size() > EXAMPLES ? ", such as " : ": ")
        + String.join(", ", keys.subList(0, Math.min(EXAMPLES, keys.size())));
  }

  /** Formats "of 120 keys", and whether there may be more. */
  String scope() {
    return all ? "of all " + seen + " keys" : "of the first " + seen + " keys";
  }
}
