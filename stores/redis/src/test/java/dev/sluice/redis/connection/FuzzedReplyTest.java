package dev.sluice.redis.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.limit.Limit;
import dev.sluice.redis.keys.StoredValue;
import dev.sluice.servers.Fuzz;
import dev.sluice.spi.CacheValue;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that answers our requests with anything, well-formed or not. */
@Timeout(60)
class FuzzedReplyTest {
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final int CASES = 3;

  /**
   * A server that answers the driver's connection correctly, and Sluice's requests with random
   * replies.
   */
  private static final class Liar implements AutoCloseable {
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile byte[] answer = new byte[0];

    Liar() throws IOException {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      daemon(this::accept);
    }

    private static void daemon(Runnable task) {
      Thread thread = new Thread(task, "liar");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      while (!listener.isClosed()) {
        try {
          Socket socket = listener.accept();
          open.add(socket);
          daemon(() -> serve(socket));
        } catch (IOException e) {
          return;
        }
      }
    }

    private void serve(Socket socket) {
      try (socket) {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        for (List<String> words = words(in); !words.isEmpty(); words = words(in)) {
          socket.getOutputStream().write(reply(words));
        }
      } catch (IOException e) {
        open.remove(socket);
      }
    }

    private static List<String> words(InputStream in) throws IOException {
      List<String> words = new ArrayList<>();
      String head = line(in);
      int count = head.isEmpty() ? 0 : Integer.parseInt(head.substring(1));
      for (int i = 0; i < count; i++) {
        int length = Integer.parseInt(line(in).substring(1));
        words.add(new String(in.readNBytes(length + 2), 0, length, ISO_8859_1));
      }
      return words;
    }

    private static String line(InputStream in) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
        line.append(c == '\r' ? "" : (char) c);
      }
      return line.toString();
    }

    private byte[] reply(List<String> words) {
      String text =
          switch (words.get(0).toUpperCase(Locale.ROOT)) {
            case "HELLO" -> "-ERR unknown command 'HELLO'\r\n";
            case "CLIENT", "SELECT" -> "+OK\r\n";
            case "PING" -> "+PONG\r\n";
            case "INFO" -> bulk("# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n");
            case "SUBSCRIBE" -> "*3\r\n" + bulk("subscribe") + bulk(words.get(1)) + ":1\r\n";
            case "TIME" -> "*2\r\n" + bulk("1800000000") + bulk("1");
            default -> "";
          };
      return text.isEmpty() ? answer : text.getBytes(UTF_8);
    }

    String uri() {
      return "redis://127.0.0.1:" + listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private static String bulk(String text) {
    return "$" + text.getBytes(UTF_8).length + "\r\n" + text + "\r\n";
  }

  /** Replies of the right grammar and the wrong shape. None of them can be a grant. */
  private static String wrongShape(Fuzz fuzz) {
    return switch (fuzz.below(8)) {
      case 0 -> "-" + fuzz.pick("ERR no", "WRONGTYPE no", "LOADING no", "OOM no", "X") + "\r\n";
      case 1 -> "$-1\r\n";
      case 2 -> "*-1\r\n";
      case 3 -> "*0\r\n";
      case 4 -> "+" + fuzz.pick("OK", "", "QUEUED") + "\r\n";
      case 5 -> bulk(fuzz.text(3));
      case 6 -> "*2\r\n*1\r\n:1\r\n" + bulk("x");
      default -> "*1\r\n-ERR within\r\n";
    };
  }

  /** What no server says. */
  private static String noGrammar(Fuzz fuzz) {
    return fuzz.pick("x", "*1\r\n?\r\n", "$9999999999\r\n", ":abc\r\n", "*x\r\n", "$5\r\nab\r\n")
        + fuzz.text(2).replace("\n", "")
        + "\r\n";
  }

  private static void refused(Supplier<?> call) {
    long from = System.nanoTime();
    try {
      Object found = call.get();
      assertThat(found).as("a call that nobody answered as it must be").isNull();
    } catch (SluiceException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(30));
  }

  private static Sluice connect(Liar liar) {
    return Sluice.builder().uri(liar.uri()).requestTimeout(PATIENCE).build();
  }

  private static void ask(Sluice sluice) {
    refused(() -> sluice.lock("x").tryAcquire().orElse(null));
    refused(() -> sluice.semaphore("s", 1).tryAcquire().orElse(null));
    var limit = Limit.tokenBucket(5, Duration.ofSeconds(1));
    refused(() -> sluice.rateLimiter("l", limit).tryAcquire("k").allowed() ? true : null);
    var stock = sluice.inventory("i", InventoryOptions.defaults().timeout(SHORT));
    refused(() -> stock.claim("c", 1, "r").isClaimed() ? true : null);
    var filter = sluice.bloomFilter("b", Funnel.utf8(), BloomSpec.of(100, 0.01));
    refused(() -> filter.mightContain("x") ? null : true); // what cannot be known is "maybe"
  }

  @Test
  void aReplyOfAnotherShapeIsAFailureAndNoGrant() throws IOException {
    try (Liar liar = new Liar();
        Sluice sluice = connect(liar)) {
      Fuzz.each(
          CASES,
          fuzz -> {
            liar.answer = wrongShape(fuzz).getBytes(UTF_8);
            ask(sluice);
          });
    }
  }

  /** The driver closes such a connection and opens another one. */
  @Test
  void bytesThatAreNoReplyEndInAFailureInTime() throws IOException {
    try (Liar liar = new Liar();
        Sluice sluice = connect(liar)) {
      Fuzz.each(
          1,
          fuzz -> {
            liar.answer = noGrammar(fuzz).getBytes(UTF_8);
            refused(() -> sluice.lock("x").tryAcquire().orElse(null));
          });
    }
  }

  @Test
  void storedValuesOfCachesAreReadOrForeign() {
    Fuzz.each(
        1_000,
        fuzz -> {
          byte[] head = StoredValue.head(new CacheValue(new byte[3], 1, 1, List.of("a", "bé"), 7));
          byte[] stored = fuzz.below(4) == 0 ? fuzz.bytes(60) : fuzz.mutate(head);
          Object found = StoredValue.parse(ByteBuffer.wrap(stored));
          if (found instanceof StoredValue value) {
            value.at(fuzz.number());
          } else if (found instanceof StoredValue.Foreign foreign) {
            assertThat(foreign.what()).matches("text '[ -~]*'");
          }
        });
  }
}
