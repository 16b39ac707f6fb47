package dev.sluice.redis.doctor;

import dev.sluice.redis.keys.KeySpace;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The commands that Sluice sends or calls in scripts, and the purpose of each. The ACL line in
 * docs/operations.md grants the same.
 */
final class Rights {
  /** A feature whose rights can be granted separately. */
  enum Part {
    LOCKS(
        "locks",
        "hget hdel hgetall zrank",
        "time get set pexpire del hset hlen zadd zrem zrange zcard exists zrangebyscore"
            + " zremrangebyscore"),
    LIMITS(
        "limits",
        "zcount zscore zrevrangebyscore",
        "time get set pexpire del getrange setrange strlen zadd zrem zrange zcard exists zrangebyscore"
            + " zremrangebyscore"),
    BLOOM(
        "Bloom filters",
        "bitfield bitfield_ro bitcount bitop",
        "time get set pexpire getrange setrange unlink rename pttl type"),
    CACHES(
        "caches",
        "xrange",
        "time get set pexpire getrange setrange strlen unlink rename pttl xadd"),
    INVENTORY(
        "stocks",
        "hmget hscan persist xack xclaim xdel xgroup xinfo xlen xpending xread xreadgroup",
        "time get set pexpire unlink hset hlen zadd zrem zrange zrangebyscore zcard xadd");

    final String words;

    /** Rights that only this part needs; a user that lacks all of them is not meant to use it. */
    final Set<String> own;

    final Set<String> all;

    Part(String words, String own, String shared) {
      this.words = words;
      this.own = words(own);
      this.all = words(own + " " + shared);
    }
  }

  /** The commands that every feature needs. */
  static final Set<String> BASE = words("evalsha eval");

  /** Hints; without them, clients poll. */
  static final Set<String> MESSAGES = words("publish subscribe unsubscribe");

  /** The commands for lists of names and for clearing caches. */
  static final Set<String> LISTS = words("scan");

  /** The commands that make error messages more precise. */
  static final Set<String> ERRORS = words("type");

  /** The commands that the driver sends when it connects. */
  static final Set<String> CONNECTION = words("hello auth ping client|setname");

  private final KeySpace space;
  private final Set<String> missing = new LinkedHashSet<>();

  /** Keys or channels beyond the patterns of the user. */
  private final Set<String> patterns = new TreeSet<>();

  Rights(KeySpace space) {
    this.space = space;
  }

  @SafeVarargs
  private static Map<String, List<String>> forms(List<String>... all) {
    Map<String, List<String>> forms = new LinkedHashMap<>();
    for (List<String> form : all) {
      forms.put(form.get(0), form);
    }
    return forms;
  }

  private static Set<String> words(String text) {
    return new LinkedHashSet<>(Arrays.asList(text.split(" ")));
  }

  /**
   * Each command in a form that passes the check of rights and changes nothing: arguments that a
   * write command refuses, or a missing key.
   */
  Map<String, List<String>> harmless() {
    String key = space.open() + "doctor}:probe"; // that is never written
    return forms(
        List.of("evalsha", "0".repeat(40), "0"),
        List.of("eval", "return 1", "0"),
        List.of("time"),
        List.of("type", key),
        List.of("get", key),
        List.of("set", key, "x", "no-such-option"),
        List.of("pexpire", key, "no-number"),
        List.of("hget", key, "f"),
        List.of("hset", key, "f", "v", "no-pair"),
        List.of("hdel", key, "f"),
        List.of("hlen", key),
        List.of("hgetall", key),
        List.of("hmget", key, "f"),
        List.of("hscan", key, "0"),
        List.of("persist", key),
        List.of("zadd", key, "no-number", "m"),
        List.of("zrem", key, "m"),
        List.of("zrank", key, "m"),
        List.of("zrange", key, "0", "0"),
        List.of("zcard", key),
        List.of("zcount", key, "0", "0"),
        List.of("zscore", key, "m"),
        List.of("zrangebyscore", key, "0", "0"),
        List.of("zrevrangebyscore", key, "0", "0"),
        List.of("zremrangebyscore", key, "0", "0"),
        List.of("bitfield", key, "GET", "u1", "0"),
        List.of("bitfield_ro", key, "GET", "u1", "0"),
        List.of("bitcount", key),
        List.of("bitop", "no-such-operation", key, key),
        List.of("unlink", key),
        List.of("rename", key, key),
        List.of("pttl", key),
        List.of("del", key),
        List.of("exists", key),
        List.of("getrange", key, "0", "0"),
        List.of("setrange", key, "0", ""),
        List.of("strlen", key),
        List.of("xadd", key, "no-id", "f", "v"),
        List.of("xrange", key, "-", "+"),
        List.of("xack", key, "g", "0-1"),
        List.of("xclaim", key, "g", "c", "0", "0-1"),
        List.of("xdel", key, "0-1"),
        List.of("xgroup", "SETID", key, "g", "0"),
        List.of("xinfo", "STREAM", key),
        List.of("xlen", key),
        List.of("xpending", key, "g"),
        List.of("xread", "STREAMS", key, "0"),
        List.of("xreadgroup", "GROUP", "g", "c", "STREAMS", key, ">"),
        List.of("publish", space.inbox() + "doctor", "x"),
        List.of("scan", "0", "COUNT", "1"));
  }

  /** The missing right that the error of a command reports; most errors report none. */
  void refused(String command, RedisCommandExecutionException refusal) {
    String text = String.valueOf(refusal.getMessage());
    if (text.startsWith("NOPERM")) {
      if (text.contains(" key")) {
        patterns.add(space.keyRule());
      } else if (text.contains(" channel")) {
        patterns.add(space.channelRule());
      } else {
        missing.add(command);
      }
    } else if (text.startsWith("ERR unknown command")) { // renamed, or taken out by a provider
      missing.add(command);
    }
  }

  boolean lacksKeys() {
    return patterns.contains(space.keyRule());
  }

  /** Missing rights on channels, as ACL rules; empty if there are none. */
  String messages() {
    Set<String> rules = new TreeSet<>();
    MESSAGES.stream().filter(missing::contains).forEach(command -> rules.add("+" + command));
    if (patterns.contains(space.channelRule())) {
      rules.add(space.channelRule());
    }
    return String.join(" ", rules);
  }

  /** Parts that lack some rights, with these rights; parts without any right are left out. */
  Map<Part, Set<String>> halfGranted() {
    Map<Part, Set<String>> lacking = new LinkedHashMap<>();
    for (Part part : Part.values()) {
      Set<String> lacks =
          part.all.stream()
              .filter(missing::contains)
              .collect(Collectors.toCollection(TreeSet::new));
      if (!lacks.isEmpty() && !isLeftOut(part)) {
        lacking.put(part, lacks);
      }
    }
    return lacking;
  }

  boolean isLeftOut(Part part) {
    return missing.containsAll(part.own);
  }

  boolean lacksBase() {
    return BASE.stream().anyMatch(missing::contains);
  }

  static String rules(Set<String> commands) {
    return commands.stream().map(command -> "+" + command).collect(Collectors.joining(" "));
  }

  Set<String> missing() {
    return missing;
  }
}
