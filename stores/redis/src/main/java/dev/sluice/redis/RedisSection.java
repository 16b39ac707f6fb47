package dev.sluice.redis;

import static java.util.Objects.requireNonNull;

import dev.sluice.guard.FencingToken;
import dev.sluice.redis.command.Script;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Accesses of one section to the data of one resource. Each is one script in one round trip: refuse
 * a stale token, raise the guard, then do it. Keys must be in the slot of the guard, see {@link
 * RedisGuard#keyOf}, on a single server too.
 *
 * <p>All of them throw {@link dev.sluice.guard.StaleTokenException} if the guard has seen a higher
 * token, and then have changed nothing; {@link dev.sluice.OutcomeUnknownException} if no answer
 * came, and {@link dev.sluice.BackendException} if the server refused, for a value of another type
 * for example. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class RedisSection {
  private static final String COMMAND = Script.read("guard/guarded_command");

  /** The most arguments that the server's Lua can pass to one command, with a margin. */
  private static final int MAX_FIELDS = 3000;

  private final RedisGuard guard;
  private final String resource;
  private final FencingToken token;

  RedisSection(RedisGuard guard, String resource, FencingToken token) {
    this.guard = guard;
    this.resource = resource;
    this.token = requireNonNull(token, "token must not be null");
  }

  /** Raises the guard only. */
  public void advance() {
    guard.advance(resource, token);
  }

  /**
   * Reads a string.
   *
   * @param key in the slot of the guard
   * @return its value, null if there is none
   */
  public @Nullable String get(String key) {
    return command(ScriptOutputType.VALUE, "GET", key);
  }

  /**
   * Writes a string; an expiry of the key is dropped.
   *
   * @param key in the slot of the guard
   * @param value its value
   */
  public void set(String key, String value) {
    command(ScriptOutputType.STATUS, "SET", key, value);
  }

  /**
   * Reads a hash.
   *
   * @param key in the slot of the guard
   * @return its fields, none if there is no such key
   */
  public Map<String, String> hgetall(String key) {
    List<String> flat = command(ScriptOutputType.MULTI, "HGETALL", key);
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; flat != null && i + 1 < flat.size(); i += 2) {
      fields.put(flat.get(i), flat.get(i + 1));
    }
    return fields;
  }

  /**
   * Writes fields of a hash.
   *
   * @param key in the slot of the guard
   * @param fields 1 to 3000 of them
   */
  public void hset(String key, Map<String, String> fields) {
    if (fields.isEmpty() || fields.size() > MAX_FIELDS) {
      throw new IllegalArgumentException(
          "fields must be 1 to " + MAX_FIELDS + ": " + fields.size());
    }
    List<String> words = new ArrayList<>();
    fields.forEach(
        (field, value) -> {
          words.add(field);
          words.add(value);
        });
    command(ScriptOutputType.INTEGER, "HSET", key, words.toArray(String[]::new));
  }

  /**
   * Deletes a key.
   *
   * @param key in the slot of the guard
   * @return whether it was there
   */
  public boolean del(String key) {
    Long deleted = command(ScriptOutputType.INTEGER, "DEL", key);
    return deleted != null && deleted > 0;
  }

  /**
   * Runs a script of the caller after the check.
   *
   * @param lua body of a function of {@code KEYS} and {@code ARGV}, both from 1; the guard is not
   *     among them. The text is cached by the server, so what differs belongs into the arguments
   * @param type what the script returns
   * @param keys in the slot of the guard
   * @param arguments of the script
   * @param <T> as {@code type} says
   * @return what the script returned
   */
  public <T> @Nullable T eval(
      String lua, ScriptOutputType type, List<String> keys, String... arguments) {
    return guard.run(resource, token, lua, type, keys, arguments);
  }

  private <T> @Nullable T command(
      ScriptOutputType type, String name, String key, String... arguments) {
    String[] words = new String[1 + arguments.length];
    words[0] = name;
    System.arraycopy(arguments, 0, words, 1, arguments.length);
    return guard.run(resource, token, COMMAND, type, List.of(key), words);
  }
}
