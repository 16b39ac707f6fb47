package dev.sluice.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One Lua script as it goes over the wire: the text, its hash, and the head of the command with
 * either, ready to be sent.
 */
final class Script {
  /** What a script says about its keys: {@code KEYS[1..4]}. */
  private static final Pattern KEYS = Pattern.compile("(?m)^-- KEYS\\[(?:1\\.\\.)?(\\d+)]");

  private static final String INCLUDE_QUEUE = "-- include queue.lua\n";

  final String verb;
  final String sha;
  final String text;

  /** {@code EVALSHA hash keys}, without the count of words. */
  final byte[] bySha;

  /** {@code EVAL text keys}, without the count of words. */
  final byte[] byText;

  private Script(String verb, String text) {
    this.verb = verb;
    this.text = text;
    this.sha = sha1(text);
    String keys = Wire.bulk(Integer.toString(LockKeys.COUNT));
    this.bySha = Wire.bytes(Wire.bulk("EVALSHA") + Wire.bulk(sha) + keys);
    this.byText = Wire.bytes(Wire.bulk("EVAL") + Wire.bulk(text) + keys);
  }

  /**
   * Reads {@code lua/<verb>.lua}, with {@code state.lua} in front of it and {@code queue.lua} where
   * it asks for that.
   *
   * @param change what to change in the text; tests plant faults and clocks here
   * @throws IllegalStateException if the script asks for another number of keys than it gets
   */
  static Script load(String verb, UnaryOperator<String> change) {
    String body = read(verb);
    Matcher keys = KEYS.matcher(body);
    if (!keys.find() || Integer.parseInt(keys.group(1)) != LockKeys.COUNT) {
      throw new IllegalStateException(
          verb + ".lua must say that it takes KEYS[1.." + LockKeys.COUNT + "]");
    }
    String text = read("state") + body.replace(INCLUDE_QUEUE, read("queue"));
    return new Script(verb, change.apply(text));
  }

  private static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream("lua/" + file + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("lua/" + file + ".lua is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha1(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
