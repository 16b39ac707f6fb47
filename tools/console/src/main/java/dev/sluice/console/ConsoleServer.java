package dev.sluice.console;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import dev.sluice.console.http.ConnectionBounds;
import dev.sluice.console.http.ConsoleRequest;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.console.http.OpenConnections;
import dev.sluice.console.http.Refusal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import org.eclipse.jetty.http.BadMessageException;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Console} behind an embedded HTTP server. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class ConsoleServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.sluice.console");
  private static final int OTHER_THREADS = 8;

  /** A client that does not read blocks its stream early, not after megabytes. */
  private static final int SEND_BUFFER_BYTES = 64 * 1024;

  private final Console console;
  private final Server server;
  private final InetSocketAddress address;

  private ConsoleServer(Console console, Server server, InetSocketAddress address) {
    this.console = console;
    this.server = server;
    this.address = address;
  }

  /**
   * Starts the server.
   *
   * @param settings of the console; the server closes it
   * @param address where to listen; port 0 takes any that is free
   * @return a server that runs
   * @throws IllegalArgumentException if the address is not resolved
   * @throws IOException if the address cannot be listened at
   */
  public static ConsoleServer start(Console.Builder settings, InetSocketAddress address)
      throws IOException {
    return start(settings, address, ConnectionBounds.DEFAULT);
  }

  public static ConsoleServer start(
      Console.Builder settings, InetSocketAddress address, ConnectionBounds bounds)
      throws IOException {
    requireNonNull(settings, "settings must not be null");
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          "the address to listen at is unknown: " + address.getHostString());
    }
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.bind(address);
      return start(settings, channel, bounds);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static ConsoleServer start(
      Console.Builder settings, ServerSocketChannel channel, ConnectionBounds bounds)
      throws IOException {
    // a connection holds one thread at most
    QueuedThreadPool threads = new QueuedThreadPool(bounds.all() + OTHER_THREADS, 1, 30_000);
    threads.setName("sluice-console-http");
    threads.setDaemon(true);
    Server http =
        new Server(threads, new ScheduledExecutorScheduler("sluice-console-bounds", true), null);
    OpenConnections connections = new OpenConnections(bounds, http.getScheduler());
    HttpConfiguration protocol = new HttpConfiguration();
    protocol.setSendServerVersion(false);
    ServerConnector connector =
        new ServerConnector(http, 1, 1, new HttpConnectionFactory(protocol));
    connector.setIdleTimeout(0); // the bounds hold instead
    connector.setAcceptedSendBufferSize(SEND_BUFFER_BYTES);
    connector.addBean(connections);
    connector.open(channel);
    http.addConnector(connector);
    Console console = settings.build();
    http.setHandler(new Exchange(console, connections));
    http.setErrorHandler(ConsoleServer::refuse);
    ConsoleServer server =
        new ConsoleServer(console, http, (InetSocketAddress) channel.getLocalAddress());
    try {
      http.start();
    } catch (Exception e) {
      server.close();
      throw new IOException("the console server did not start", e);
    }
    return server;
  }

  /**
   * Returns a server for a client, on this machine's loopback, for its users.
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
   * The path of the pages. If the console made its token, the address ends with it, and the link
   * signs the user in: {@code #token=...}, which no browser sends or puts into a log.
   *
   * @return the address; a secret if the token was made
   */
  public URI uri() {
    String host = address.getAddress().getHostAddress();
    String shown =
        address.getAddress().isAnyLocalAddress()
            ? "localhost"
            : host.contains(":") ? "[" + host + "]" : host;
    String token = console.madeToken().map(made -> "#token=" + made).orElse("");
    return URI.create("http://" + shown + ":" + address.getPort() + "/" + token);
  }

  /** A request that is not HTTP; the console does not see it. */
  private static boolean refuse(Request request, Response response, Callback callback) {
    int status =
        request.getAttribute(ErrorHandler.ERROR_STATUS) instanceof Integer known ? known : 400;
    ConsoleResponse refusal =
        Console.guarded(
            new Refusal(status, "bad-request", "this is no request of HTTP that the console takes")
                .response());
    begin(refusal, response);
    response.write(true, ByteBuffer.wrap(refusal.body()), callback);
    return true;
  }

  private static void begin(ConsoleResponse answer, Response response) {
    response.setStatus(answer.status());
    answer.headers().forEach((name, value) -> response.getHeaders().put(name, value));
  }

  /** Answers requests. Blocks, so each request has a thread. */
  private static final class Exchange extends Handler.Abstract {
    private final Console console;
    private final OpenConnections connections;

    Exchange(Console console, OpenConnections connections) {
      this.console = console;
      this.connections = connections;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      OpenConnections.@Nullable Peer peer = connections.of(request).orElse(null);
      if (peer == null) {
        callback.failed(new EofException("the connection is closed"));
        return true;
      }
      byte[] body;
      try {
        body = Content.Source.asInputStream(request).readNBytes(Api.MAX_BODY_BYTES + 1);
      } catch (IOException e) { // Jetty reports a malformed chunk like a client that has gone
        LOG.log(System.Logger.Level.DEBUG, "the body of a request did not arrive", e);
        callback.failed(new BadMessageException("the body did not arrive", e));
        return true;
      }
      try {
        peer.received();
        ConsoleResponse answer = console.handle(asked(request, body));
        begin(answer, response);
        boolean hasBody = !request.getMethod().equals("HEAD") && answer.status() != 304;
        OutputStream out = peer.bounded(Content.Sink.asOutputStream(response));
        if (answer.stream() != null) {
          // runs in any case: it has entered a watcher that must leave
          answer.stream().writeTo(hasBody ? out : new Deaf());
        } else if (hasBody && answer.body().length > 0) {
          response.getHeaders().put("Content-Length", answer.body().length);
          out.write(answer.body());
        }
        peer.answered();
        callback.succeeded();
      } catch (IOException e) {
        LOG.log(System.Logger.Level.DEBUG, "a client has disconnected", e);
        callback.failed(new EofException(e));
      }
      return true;
    }

    private static ConsoleRequest asked(Request request, byte[] body) {
      HttpURI uri = request.getHttpURI();
      @Nullable String path = uri.getDecodedPath();
      SocketAddress remote = request.getConnectionMetaData().getRemoteSocketAddress();
      @Nullable InetAddress from =
          remote instanceof InetSocketAddress known ? known.getAddress() : null;
      return new ConsoleRequest(
          request.getMethod(),
          path == null || path.isEmpty() ? "/" : path,
          uri.getQuery(),
          name -> request.getHeaders().get(name),
          new ByteArrayInputStream(body),
          from);
    }
  }

  /** The client has disconnected. */
  private static final class Deaf extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("the reader has disconnected");
    }
  }

  /** Ends the streams and stops listening. Idempotent. */
  @Override
  public void close() {
    console.close();
    try {
      server.stop();
    } catch (Exception e) {
      LOG.log(System.Logger.Level.WARNING, "the console server did not stop", e);
    }
  }
}
