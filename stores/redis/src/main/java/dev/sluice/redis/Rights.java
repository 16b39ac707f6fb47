package dev.sluice.redis;

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
 * The commands that Sluice sends or calls in scripts, and what each of them is for. The ACL line in
 * docs/operations.md grants the same.
 */
final class Rights {
  /** A key that nobody writes. */
  private static final String KEY = "sl:{doctor}:probe";

  /** What people use, and may grant by itself. */
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

    /** Needed by this part alone: who lacks them all was not meant to use it. */
    final Set<String> own;

    final Set<String> all;

    Part(String words, String own, String shared) {
      this.words = words;
      this.own = words(own);
      this.all = words(own + " " + shared);
    }
  }

  /** Without these nothing works. */
  static final Set<String> BASE = words("evalsha eval");

  /** Hints; without them everything works by polls. */
  static final Set<String> MESSAGES = words("publish subscribe unsubscribe");

  /** For lists of names, and for clearing caches. */
  static final Set<String> LISTS = words("scan");

  /** For errors that say what stands in the way. */
  static final Set<String> ERRORS = words("type");

  /** What the driver sends when it connects. */
  static final Set<String> CONNECTION = words("hello auth ping client|setname");

  /**
   * Each command in a form that passes the check of rights and then changes nothing: what writes is
   * given arguments that it refuses, or has nothing to work on.
   */
  private static final Map<String, List<String>> HARMLESS =
      forms(
          List.of("evalsha", "0".repeat(40), "0"),
          List.of("eval", "return 1", "0"),
          List.of("time"),
          List.of("type", KEY),
          List.of("get", KEY),
          List.of("set", KEY, "x", "no-such-option"),
          List.of("pexpire", KEY, "no-number"),
          List.of("hget", KEY, "f"),
          List.of("hset", KEY, "f", "v", "no-pair"),
          List.of("hdel", KEY, "f"),
          List.of("hlen", KEY),
          List.of("hgetall", KEY),
          List.of("hmget", KEY, "f"),
          List.of("hscan", KEY, "0"),
          List.of("persist", KEY),
          List.of("zadd", KEY, "no-number", "m"),
          List.of("zrem", KEY, "m"),
          List.of("zrank", KEY, "m"),
          List.of("zrange", KEY, "0", "0"),
          List.of("zcard", KEY),
          List.of("zcount", KEY, "0", "0"),
          List.of("zscore", KEY, "m"),
          List.of("zrangebyscore", KEY, "0", "0"),
          List.of("zrevrangebyscore", KEY, "0", "0"),
          List.of("zremrangebyscore", KEY, "0", "0"),
          List.of("bitfield", KEY, "GET", "u1", "0"),
          List.of("bitfield_ro", KEY, "GET", "u1", "0"),
          List.of("bitcount", KEY),
          List.of("bitop", "no-such-operation", KEY, KEY),
          List.of("unlink", KEY),
          List.of("rename", KEY, KEY),
          List.of("pttl", KEY),
          List.of("del", KEY),
          List.of("exists", KEY),
          List.of("getrange", KEY, "0", "0"),
          List.of("setrange", KEY, "0", ""),
          List.of("strlen", KEY),
          List.of("xadd", KEY, "no-id", "f", "v"),
          List.of("xrange", KEY, "-", "+"),
          List.of("xack", KEY, "g", "0-1"),
          List.of("xclaim", KEY, "g", "c", "0", "0-1"),
          List.of("xdel", KEY, "0-1"),
          List.of("xgroup", "SETID", KEY, "g", "0"),
          List.of("xinfo", "STREAM", KEY),
          List.of("xlen", KEY),
          List.of("xpending", KEY, "g"),
          List.of("xread", "STREAMS", KEY, "0"),
          List.of("xreadgroup", "GROUP", "g", "c", "STREAMS", KEY, ">"),
          List.of("publish", "sl:inbox:doctor", "x"),
          List.of("scan", "0", "COUNT", "1"));

  private final Set<String> missing = new LinkedHashSet<>();

  /** Keys or channels beyond the patterns of the user. */
  private final Set<String> patterns = new TreeSet<>();

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

  static Map<String, List<String>> harmless() {
    return HARMLESS;
  }

  /** What a refusal of a command says about rights; most say nothing. */
  void refused(String command, RedisCommandExecutionException refusal) {
    String text = String.valueOf(refusal.getMessage());
    if (text.startsWith("NOPERM")) {
      if (text.contains(" key")) {
        patterns.add("~sl:*");
      } else if (text.contains(" channel")) {
        patterns.add("&sl:inbox:*");
      } else {
        missing.add(command);
      }
    } else if (text.startsWith("ERR unknown command")) { // renamed, or taken out by a provider
      missing.add(command);
    }
  }

  boolean lacksKeys() {
    return patterns.contains("~sl:*");
  }

  /** Messages that cannot be sent or heard, as ACL rules; empty if all can. */
  String messages() {
    Set<String> rules = new TreeSet<>();
    MESSAGES.stream().filter(missing::contains).forEach(command -> rules.add("+" + command));
    if (patterns.contains("&sl:inbox:*")) {
      rules.add("&sl:inbox:*");
    }
    return String.join(" ", rules);
  }

  /** Parts that lack some rights, and which; those that were not granted at all are left out. */
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
