package dev.sluice.console;

import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.Sluice;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A {@link Console} behind the HTTP server of the JDK. Safe for use by many threads. */
public final class ConsoleServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.sluice.console");
  private static final int MOST_THREADS = 64;

  private final Console console;
  private final HttpServer server;
  private final ThreadPoolExecutor threads;

  private ConsoleServer(Console console, HttpServer server) {
    this.console = console;
    this.server = server;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            0,
            MOST_THREADS,
            30,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "sluice-console-http-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts to answer.
   *
   * @param settings of the console; the server closes it
   * @param address where to listen; port 0 takes any that is free
   * @return a server that runs
   * @throws IllegalArgumentException if the address is not resolved
   * @throws IOException if the address cannot be listened at
   */
  public static ConsoleServer start(Console.Builder settings, InetSocketAddress address)
      throws IOException {
    requireNonNull(settings, "settings must not be null");
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          "the address to listen at is unknown: " + address.getHostString());
    }
    HttpServer http = HttpServer.create(address, 0);
    ConsoleServer server = new ConsoleServer(settings.build(), http);
    http.createContext("/", server::exchange);
    http.setExecutor(server.threads);
    http.start();
    return server;
  }

  /**
   * A server for a client, at this machine's loopback, for people on it.
   *
   * @param sluice the client
   * @param port 0 for any that is free
   * @return a server that runs
   * @throws IOException if the port cannot be listened at
   */
  public static ConsoleServer start(Sluice sluice, int port) throws IOException {
    return start(Console.builder(sluice), new InetSocketAddress("127.0.0.1", port));
  }

  /**
   * Where the pages are. If the console made its token, the address ends with it, so that it signs
   * in whoever follows it: {@code #token=...}, which no browser sends or puts into a log.
   *
   * @return the address; a secret if the token was made
   */
  public URI uri() {
    InetSocketAddress at = server.getAddress();
    String host = at.getAddress().getHostAddress();
    String shown =
        at.getAddress().isAnyLocalAddress()
            ? "localhost"
            : host.contains(":") ? "[" + host + "]" : host;
    String token = console.madeToken().map(made -> "#token=" + made).orElse("");
    return URI.create("http://" + shown + ":" + at.getPort() + "/" + token);
  }

  private void exchange(HttpExchange exchange) throws IOException {
    try (exchange) {
      ConsoleResponse response = console.handle(request(exchange));
      response.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
      ConsoleResponse.Stream stream = response.stream();
      boolean hasBody =
          !exchange.getRequestMethod().equals("HEAD")
              && response.status() != 304
              && (stream != null || response.body().length > 0);
      long length = !hasBody ? -1 : stream != null ? 0 : response.body().length;
      if (stream == null) {
        exchange.sendResponseHeaders(response.status(), length);
        if (hasBody) {
          exchange.getResponseBody().write(response.body());
        }
      } else {
        sendStream(exchange, response, stream, length);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "a reader has gone", e);
    }
  }

  /** The stream runs in any case: it has entered somebody who must leave. */
  private static void sendStream(
      HttpExchange exchange, ConsoleResponse response, ConsoleResponse.Stream stream, long length)
      throws IOException {
    IOException gone = null;
    try {
      exchange.sendResponseHeaders(response.status(), length);
    } catch (IOException e) {
      gone = e;
    }
    boolean heard = gone == null && length >= 0;
    stream.writeTo(heard ? exchange.getResponseBody() : new Deaf());
  }

  /** Nobody is there. */
  private static final class Deaf extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("the reader has gone");
    }
  }

  private static ConsoleRequest request(HttpExchange exchange) {
    URI uri = exchange.getRequestURI();
    @Nullable String path = uri.getPath();
    return new ConsoleRequest(
        exchange.getRequestMethod(),
        path == null || path.isEmpty() ? "/" : path,
        uri.getRawQuery(),
        name -> exchange.getRequestHeaders().getFirst(name),
        exchange.getRequestBody(),
        exchange.getRemoteAddress().getAddress());
  }

  /** Ends the streams and stops listening. Idempotent. */
  @Override
  public void close() {
    console.close();
    server.stop(0);
    threads.shutdownNow();
  }
}
