package dev.sluice.verification.torture;

import dev.sluice.servers.TcpProxy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests of clients to one server: the last requests are kept, so that they can be repeated,
 * and scripts are changed where a fault is planted. Safe for use by many threads.
 */
final class Requests {
  private static final int KEPT = 64;

  private final PlantedFault plant;

  /** By the hash of a script, the hash of the changed one. */
  private final Map<String, String> changedHashes = new ConcurrentHashMap<>();

  private final AtomicInteger changed = new AtomicInteger();
  private final Deque<byte[]> last = new ArrayDeque<>(); // guarded by itself

  Requests(PlantedFault plant) {
    this.plant = plant;
  }

  /** {@return for one connection} */
  TcpProxy.Filter filter() {
    return new Splitter();
  }

  /** {@return how many scripts were changed on their way} */
  int changed() {
    return changed.get();
  }

  /** {@return some of the last script calls, oldest first} */
  List<byte[]> recent() {
    synchronized (last) {
      return new ArrayList<>(last);
    }
  }

  private byte[] pass(List<byte[]> words, byte[] whole) {
    String verb = text(words.get(0)).toUpperCase(Locale.ROOT);
    if (words.size() < 3 || !(verb.equals("EVAL") || verb.equals("EVALSHA"))) {
      return whole;
    }
    byte[] passed = whole;
    if (plant.changesScripts()) {
      String script = text(words.get(1));
      String instead;
      if (verb.equals("EVAL")) {
        instead = plant.change(script);
        if (!instead.equals(script)) {
          changed.incrementAndGet();
          changedHashes.put(sha1(script), sha1(instead));
        }
      } else {
        instead = changedHashes.getOrDefault(script, script);
      }
      if (!instead.equals(script)) {
        words.set(1, instead.getBytes(StandardCharsets.UTF_8));
        passed = join(words);
      }
    }
    synchronized (last) {
      last.add(passed);
      if (last.size() > KEPT) {
        last.remove();
      }
    }
    return passed;
  }

  private static String text(byte[] word) {
    return new String(word, StandardCharsets.UTF_8);
  }

  private static byte[] join(List<byte[]> words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(("*" + words.size() + "\r\n").getBytes(StandardCharsets.US_ASCII));
    for (byte[] word : words) {
      out.writeBytes(("$" + word.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      out.writeBytes(word);
      out.writeBytes(new byte[] {'\r', '\n'});
    }
    return out.toByteArray();
  }

  private static String sha1(String script) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-1").digest(script.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Cuts what one connection sends into commands. What is no array of words passes as it is. */
  private final class Splitter implements TcpProxy.Filter {
    private byte[] pending = new byte[0];

    @Override
    public void pass(byte[] bytes, int count, OutputStream out) throws IOException {
      byte[] all = new byte[pending.length + count];
      System.arraycopy(pending, 0, all, 0, pending.length);
      System.arraycopy(bytes, 0, all, pending.length, count);
      ByteArrayOutputStream ready = new ByteArrayOutputStream(all.length);
      int at = 0;
      while (at < all.length) {
        if (all[at] != '*') {
          ready.write(all, at, all.length - at);
          at = all.length;
          break;
        }
        List<byte[]> words = new ArrayList<>();
        int end = command(all, at, words);
        if (end < 0) {
          break;
        }
        byte[] whole = new byte[end - at];
        System.arraycopy(all, at, whole, 0, whole.length);
        ready.writeBytes(words.isEmpty() ? whole : Requests.this.pass(words, whole));
        at = end;
      }
      pending = new byte[all.length - at];
      System.arraycopy(all, at, pending, 0, pending.length);
      out.write(ready.toByteArray());
    }

    /** Where the command ends that begins here, or -1 if not all of it has come. */
    private int command(byte[] bytes, int from, List<byte[]> words) {
      int line = lineEnd(bytes, from);
      if (line < 0) {
        return -1;
      }
      int count = number(bytes, from + 1, line);
      int at = line + 2;
      for (int i = 0; i < count; i++) {
        int end = lineEnd(bytes, at);
        if (end < 0) {
          return -1;
        }
        int length = number(bytes, at + 1, end);
        at = end + 2;
        if (at + length + 2 > bytes.length) {
          return -1;
        }
        byte[] word = new byte[length];
        System.arraycopy(bytes, at, word, 0, length);
        words.add(word);
        at += length + 2;
      }
      return at;
    }

    private int lineEnd(byte[] bytes, int from) {
      for (int i = from; i + 1 < bytes.length; i++) {
        if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
          return i;
        }
      }
      return -1;
    }

    private int number(byte[] bytes, int from, int to) {
      return Integer.parseInt(new String(bytes, from, to - from, StandardCharsets.US_ASCII));
    }
  }
}
