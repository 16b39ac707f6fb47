package dev.sluice.redis.command;

import dev.sluice.redis.keys.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One Lua script in its wire form: the text, its hash, and the head of the command with either. */
public final class Script {
  /** The declaration of a script's keys: {@code KEYS[1..4]}, or {@code KEYS[1..n]} for any. */
  private static final Pattern KEYS = Pattern.compile("(?m)^-- KEYS\\[(?:1\\.\\.)?(\\d+|n)]");

  private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include ([\\w/]+)\\.lua\n");

  /** The declaration of a fragment's required names: {@code -- needs: now, head}. */
  private static final Pattern NEEDS = Pattern.compile("(?m)^-- needs: (.+)$");

  /** Names declared outside functions. */
  private static final Pattern DECLARED =
      Pattern.compile("(?m)^local (?:function )?(\\w+(?:, \\w+)*)");

  private static final String FOLDER = "/dev/sluice/redis/lua/";
  private static final int MAX_KEYS = 9;

  /** A script that also runs with its first key alone, see state.lua. */
  private static final Pattern ALONE = Pattern.compile("(?m)^-- alone ");

  public final String verb;
  final String sha;
  public final String text;

  /** The encoded start of an {@code EVALSHA} command, by the number of keys. */
  private final byte[][] bySha = new byte[MAX_KEYS + 1][];

  public final boolean runsAlone;

  private Script(String verb, String text, int keys, boolean runsAlone) {
    this.verb = verb;
    this.text = text;
    this.sha = sha1(text);
    this.runsAlone = runsAlone;
    for (int count = 1; count <= MAX_KEYS; count++) {
      boolean takes = keys == 0 || keys == count || runsAlone && count == 1;
      bySha[count] = takes ? head("EVALSHA", sha, count) : new byte[0];
    }
  }

  private static byte[] head(String command, String script, int keys) {
    return Wire.bytes(Wire.bulk(command) + Wire.bulk(script) + Wire.bulk(Integer.toString(keys)));
  }

  /**
   * Reads {@code lua/<file>.lua} and the fragments that it includes.
   *
   * @param file folder and verb: {@code lock/acquire}
   * @param change what to change in the text; tests plant faults and clocks here
   * @throws IllegalStateException if the script does not say which keys it takes, or does not
   *     declare what a fragment needs
   */
  public static Script load(String file, UnaryOperator<String> change) {
    String body = read(file);
    Matcher keys = KEYS.matcher(body);
    if (!keys.find()) {
      throw new IllegalStateException(file + ".lua must say that it takes KEYS[1..4], or so");
    }
    int count = keys.group(1).equals("n") ? 0 : Integer.parseInt(keys.group(1));
    String verb = file.substring(file.lastIndexOf('/') + 1);
    return new Script(
        verb, change.apply(expand(file, Script::read)), count, ALONE.matcher(body).find());
  }

  /** The text of a script, with the fragments that it includes. */
  static String expand(String file, UnaryOperator<String> read) {
    StringBuilder out = new StringBuilder();
    expand(file, read, out, new HashSet<>());
    return out.toString();
  }

  private static void expand(
      String file, UnaryOperator<String> read, StringBuilder out, Set<String> declared) {
    String text = read.apply(file);
    for (Matcher line = NEEDS.matcher(text); line.find(); ) {
      for (String name : line.group(1).split(", ")) {
        if (!declared.contains(name)) {
          throw new IllegalStateException(
              file + ".lua needs '" + name + "', which nothing declares before its include");
        }
      }
    }
    int at = 0;
    for (Matcher include = INCLUDE.matcher(text); include.find(); at = include.end()) {
      append(text.substring(at, include.start()), out, declared);
      expand(include.group(1), read, out, declared);
    }
    append(text.substring(at), out, declared);
  }

  private static void append(String text, StringBuilder out, Set<String> declared) {
    out.append(text);
    for (Matcher found = DECLARED.matcher(text); found.find(); ) {
      declared.addAll(List.of(found.group(1).split(", ")));
    }
  }

  public static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream(FOLDER + file + ".lua")) {
      if (in == null) {
        throw new IllegalStateException(FOLDER + file + ".lua is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The head of {@code EVALSHA}. */
  byte[] bySha(int keys) {
    byte[] head = bySha[keys];
    if (head.length == 0) {
      throw new IllegalArgumentException(verb + ".lua does not take " + keys + " keys");
    }
    return head;
  }

  /** The head of {@code EVAL}, which is rare. */
  byte[] byText(int keys) {
    return head("EVAL", text, keys);
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
