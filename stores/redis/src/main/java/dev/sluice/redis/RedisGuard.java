package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.GuardRule;
import dev.sluice.guard.GuardStats;
import dev.sluice.lock.Lease;
import dev.sluice.redis.command.RedisFailures;
import dev.sluice.redis.command.Script;
import dev.sluice.redis.keys.KeySpace;
import dev.sluice.spi.Namespace;
import dev.sluice.text.Names;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A guard beside its data, on Redis or Valkey: check and access are one script in one round trip,
 * so no stale access comes in between. The guard of a resource is a separate key in the hash slot
 * of its data; {@link #keyOf} makes keys that belong there.
 *
 * <pre>{@code
 * RedisGuard guard = RedisGuard.create(connection.async(), Duration.ofSeconds(2));
 * RedisSection section = guard.section(lease);
 * String balance = section.get("{account/7}:balance");      // raises the guard
 * section.set("{account/7}:balance", changed(balance));     // refused if the guard has seen a higher token
 * }</pre>
 *
 * <p>A guard is kept for {@link #DEFAULT_RETENTION} after its last access, unless set: a holder
 * that slept longer is not known any more. It shares the fate of its data: what a crash or a
 * fail-over takes back, it takes back of both, if they were written together. A server that evicts
 * keys may lose the guard alone. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class RedisGuard implements Guard {
  /** The default life of a guard after its last access: {@value} days. */
  public static final int DEFAULT_RETENTION_DAYS = 30;

  /** The default life of a guard after its last access. */
  public static final Duration DEFAULT_RETENTION = Duration.ofDays(DEFAULT_RETENTION_DAYS);

  private static final String CHECK = Script.read("guard/guard");
  private static final String LOOK = "return redis.call('GET', KEYS[1])";
  private static final Pattern REFUSED = Pattern.compile("SLUICE<(stale|foreign) ([^>]*)>");
  private static final int MANY = 1000;

  private final RedisClusterAsyncCommands<String, String> commands;
  private final Duration timeout;
  private final KeySpace space;
  private final Duration retention;
  private final GuardRule rule;

  /** The caller's scripts, prefixed with the check, by their text. */
  private final ConcurrentHashMap<String, Composed> scripts = new ConcurrentHashMap<>();

  private record Composed(String text, String sha) {}

  private RedisGuard(
      RedisClusterAsyncCommands<String, String> commands,
      Duration timeout,
      KeySpace space,
      Duration retention,
      GuardRule rule) {
    this.commands = commands;
    this.timeout = timeout;
    this.space = space;
    this.retention = retention;
    this.rule = rule;
  }

  /**
   * A guard over a connection of the application, to a single server or a cluster.
   *
   * @param commands of the connection: {@code connection.async()}
   * @param timeout longest wait for an answer, positive
   * @return the guard
   */
  public static RedisGuard create(
      RedisClusterAsyncCommands<String, String> commands, Duration timeout) {
    requireNonNull(commands, "commands must not be null");
    positive("timeout", timeout);
    return new RedisGuard(commands, timeout, KeySpace.PLAIN, DEFAULT_RETENTION, new GuardRule());
  }

  /**
   * Sets the time for which guards are kept. All who guard a resource should say the same.
   *
   * @param time how long a guard outlives its last access: longer than any holder may sleep, at
   *     least 1 ms
   * @return a guard that counts together with this one
   */
  public RedisGuard retention(Duration time) {
    positive("retention", time);
    if (time.toMillis() < 1) {
      throw new IllegalArgumentException("retention must be at least 1ms: " + time);
    }
    return new RedisGuard(commands, timeout, space, time, rule);
  }

  /**
   * Sets the namespace of guards: their keys begin with it and a colon. All who guard a resource
   * must say the same; the keys of the data are the application's, independent of the namespace.
   *
   * @param namespace 1 to 32 lowercase letters, digits and hyphens
   * @return a guard that counts together with this one
   * @throws IllegalArgumentException if it breaks the rule
   */
  public RedisGuard namespace(String namespace) {
    KeySpace named = KeySpace.of(Namespace.check(namespace));
    return new RedisGuard(commands, timeout, named, retention, rule);
  }

  private static void positive(String what, Duration time) {
    requireNonNull(time, what + " must not be null");
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(what + " must be positive: " + time);
    }
  }

  /**
   * A key in the slot of a resource's guard.
   *
   * @param resource 1 to 512 bytes of UTF-8
   * @param part what of it, in the key behind a colon
   * @return {@code {resource}:part}; braces, percent signs and control characters of the resource
   *     are percent-encoded
   */
  public static String keyOf(String resource, String part) {
    return "{" + Names.encode(Names.check("resource", resource)) + "}:" + part;
  }

  private String guardKey(String resource) {
    return space.open() + Names.encode(Names.check("resource", resource)) + "}:guard";
  }

  /**
   * Returns the accesses of one section to the resource with the lock's name.
   *
   * @param lease the lease of the section
   * @return a view, safe for use by many threads
   */
  public RedisSection section(Lease lease) {
    return section(lease.name(), FencingToken.of(lease));
  }

  /**
   * Returns the accesses of one section.
   *
   * @param resource what is accessed, 1 to 512 bytes of UTF-8
   * @param token the token of the section
   * @return a view, safe for use by many threads
   */
  public RedisSection section(String resource, FencingToken token) {
    Names.check("resource", resource);
    return new RedisSection(this, resource, token);
  }

  @Override
  public void advance(String resource, FencingToken token) {
    Names.check("resource", resource);
    run(resource, token, "return 1", ScriptOutputType.INTEGER, List.of(), new String[0]);
  }

  @Override
  public void check(String resource, FencingToken token) {
    String key = guardKey(resource);
    requireNonNull(token, "token must not be null");
    String found;
    try {
      // a script goes to the master, where a plain GET may be sent to a replica that lags
      found =
          await(
              commands.eval(LOOK, ScriptOutputType.VALUE, new String[] {key}), "check " + resource);
    } catch (RedisException e) {
      if (String.valueOf(e.getMessage()).contains("WRONGTYPE")) {
        throw foreign(key, "value of another type");
      }
      throw explain(e, resource, token);
    }
    rule.check(resource, token, found == null ? null : parse(key, found));
  }

  private static FencingToken parse(String key, String found) {
    try {
      return FencingToken.parse(found);
    } catch (IllegalArgumentException e) {
      throw foreign(key, "text");
    }
  }

  /**
   * Runs the check and the caller's script in one step.
   *
   * @param lua body of a function of KEYS and ARGV
   */
  <T> @Nullable T run(
      String resource,
      FencingToken token,
      String lua,
      ScriptOutputType type,
      List<String> keys,
      String[] arguments) {
    requireNonNull(token, "token must not be null");
    String guardKey = guardKey(resource);
    String[] allKeys = new String[1 + keys.size()];
    allKeys[0] = guardKey;
    for (int i = 0; i < keys.size(); i++) {
      allKeys[1 + i] = sameSlot(guardKey, keys.get(i));
    }
    String[] all = new String[3 + arguments.length];
    all[0] = Long.toString(token.value());
    all[1] = token.attempt();
    all[2] = Long.toString(retention.toMillis());
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    Composed script = composed(lua);
    try {
      T answer = send(script, resource, type, allKeys, all);
      rule.admit();
      return answer;
    } catch (RedisException e) {
      throw explain(e, resource, token);
    }
  }

  private <T> @Nullable T send(
      Composed script, String resource, ScriptOutputType type, String[] keys, String[] arguments) {
    String verb = "access " + resource;
    try {
      return await(commands.evalsha(script.sha, type, keys, arguments), verb);
    } catch (RedisNoScriptException e) {
      return await(commands.eval(script.text, type, keys, arguments), verb);
    }
  }

  private static String sameSlot(String guardKey, String key) {
    if (SlotHash.getSlot(key) != SlotHash.getSlot(guardKey)) {
      String tag = guardKey.substring(guardKey.indexOf('{'), guardKey.lastIndexOf(':'));
      throw new IllegalArgumentException(
          "key " + Names.quoted(key) + " is not in the slot of its guard: put " + tag + " into it");
    }
    return key;
  }

  private Composed composed(String lua) {
    Composed known = scripts.get(lua);
    if (known != null) {
      return known;
    }
    if (lua.startsWith("#!")) {
      throw new IllegalArgumentException("a guarded script cannot begin with '#!'");
    }
    if (scripts.size() >= MANY) {
      scripts.clear(); // scripts that differ each time; parameters belong into ARGV
    }
    String text =
        CHECK
            + "local function access(KEYS, ARGV)\n"
            + lua
            + "\nend\nreturn access(from(2, KEYS), from(4, ARGV))\n";
    Composed made = new Composed(text, commands.digest(text));
    scripts.put(lua, made);
    return made;
  }

  private <T> @Nullable T await(CompletionStage<T> answer, String verb) {
    boolean interrupted = false;
    try {
      long until = System.nanoTime() + timeout.toNanos();
      while (true) {
        try {
          long left = Math.max(0, until - System.nanoTime());
          return answer.toCompletableFuture().get(left, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true; // an interruption ends no call to a store
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RedisException refusal) {
        throw refusal;
      }
      throw new BackendException("Redis did not carry out '" + verb + "'", e.getCause());
    } catch (TimeoutException e) {
      throw new OutcomeUnknownException(
          "Redis did not answer '" + verb + "' within " + RedisFailures.shortly(timeout), e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private RuntimeException explain(RedisException failure, String resource, FencingToken token) {
    String text = String.valueOf(failure.getMessage());
    Matcher refused = REFUSED.matcher(text);
    if (refused.find()) {
      String key = guardKey(resource);
      return refused.group(1).equals("stale")
          ? rule.refuse(resource, token, parse(key, refused.group(2)))
          : foreign(key, refused.group(2));
    }
    if (failure instanceof RedisCommandTimeoutException) {
      return new OutcomeUnknownException(
          "Redis did not answer for " + Names.quoted(resource), failure);
    }
    return failure instanceof RedisCommandExecutionException
        ? new BackendException(
            "Redis refused an access of " + Names.quoted(resource) + ": " + text, failure)
        : new OutcomeUnknownException(
            "Redis did not answer for " + Names.quoted(resource) + ": " + text, failure);
  }

  private static ForeignDataException foreign(String key, String what) {
    return new ForeignDataException(
        "key '"
            + key
            + "' holds a "
            + what
            + ", which Sluice did not write; look at it and remove it",
        null);
  }

  @Override
  public GuardStats stats() {
    return rule.stats();
  }
}
