package dev.sluice.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A line to a server that tests may spoil: hold what is sent or what is answered, cut connections,
 * swallow what goes over some of them, refuse new ones, be slow. What is held is delivered when the
 * line is open again, even when its connection was cut meanwhile: that is how a request comes late.
 * Loopback only; safe for use by many threads.
 */
public final class TcpProxy implements AutoCloseable {

  private static final int BUFFER_BYTES = 65_536;

  private final ServerSocket listener;
  private final int target;
  private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
  private final Set<Socket> servers = ConcurrentHashMap.newKeySet();
  private final Gate requests = new Gate();
  private final Gate replies = new Gate();
  private final Supplier<Filter> filters;
  private final @Nullable String mark;
  private final Set<Socket> marked = ConcurrentHashMap.newKeySet();
  private final Set<Socket> swallowed = ConcurrentHashMap.newKeySet();
  private volatile boolean refusing;
  private volatile long slowestNanos;

  /** Looks at what the client of one connection sends, and may change it. */
  @FunctionalInterface
  public interface Filter {
    /**
     * Forwards received bytes. Called by one thread.
     *
     * @param bytes a buffer
     * @param count how many of its bytes came
     * @param out the server
     * @throws IOException if the server does not take it
     */
    void pass(byte[] bytes, int count, OutputStream out) throws IOException;
  }

  /** Lets bytes pass, or keeps them until it is opened. */
  private static final class Gate {
    private boolean shut;
    private int kept;

    synchronized void set(boolean shut) {
      this.shut = shut;
      notifyAll();
    }

    synchronized void pass() throws IOException {
      kept++;
      try {
        while (shut) {
          wait();
        }
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      } finally {
        kept--;
      }
    }

    synchronized int kept() {
      return shut ? kept : 0;
    }
  }

  /**
   * Starts to listen on a free port.
   *
   * @param target port of the server, on the loopback interface
   */
  public TcpProxy(int target) {
    this(target, TcpProxy::pass);
  }

  /**
   * Starts to listen on a free port.
   *
   * @param target port of the server, on the loopback interface
   * @param mark marks the connections whose client sends this text, for {@link #swallow()}
   */
  public TcpProxy(int target, String mark) {
    this(target, TcpProxy::pass, mark);
  }

  /**
   * Starts to listen on a free port.
   *
   * @param target port of the server, on the loopback interface
   * @param filters makes what each connection's requests go through
   */
  public TcpProxy(int target, Supplier<Filter> filters) {
    this(target, filters, null);
  }

  private TcpProxy(int target, Supplier<Filter> filters, @Nullable String mark) {
    this.target = target;
    this.filters = filters;
    this.mark = mark;
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon("accept", this::accept);
  }

  /** {@return the port to connect to, on 127.0.0.1} */
  public int port() {
    return listener.getLocalPort();
  }

  /**
   * Keeps what clients send, or delivers it.
   *
   * @param hold true to keep
   */
  public void holdRequests(boolean hold) {
    requests.set(hold);
  }

  /**
   * Keeps what the server answers, or delivers it.
   *
   * @param hold true to keep
   */
  public void holdReplies(boolean hold) {
    replies.set(hold);
  }

  /**
   * Makes the line slow: what comes, either way, waits for a random time before it goes on.
   *
   * @param longest the longest such time; zero for a line that is as fast as it can be
   */
  public void slow(Duration longest) {
    slowestNanos = longest.toNanos();
  }

  /** {@return how many connections have a request that is kept} */
  public int heldRequests() {
    return requests.kept();
  }

  /** {@return how many connections have an answer that is kept} */
  public int heldReplies() {
    return replies.kept();
  }

  /**
   * Resets new connections immediately, or accepts them.
   *
   * @param refuse true to reset
   */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  /** Resets the connections to all clients. What they sent and is held still reaches the server. */
  public void cut() {
    for (Socket client : clients) {
      clients.remove(client);
      reset(client);
    }
  }

  /** {@return how many connections are open whose client sent the mark, and are not swallowed} */
  public int marked() {
    return marked.size();
  }

  /**
   * Drops from here on all that goes over the marked connections, in both directions. They stay
   * open, and neither side sees an end of the other. Connections that are marked later work.
   */
  public void swallow() {
    for (Socket client : marked) {
      swallowed.add(client);
      marked.remove(client);
    }
  }

  private static Filter pass() {
    return (bytes, count, out) -> out.write(bytes, 0, count);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (refusing) {
          reset(client);
          continue;
        }
        connect(client);
      } catch (IOException e) {
        continue; // closed; or the server is down, which the client sees as a cut
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Socket server;
    try {
      server = new Socket(InetAddress.getLoopbackAddress(), target);
    } catch (IOException e) {
      reset(client);
      throw e;
    }
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    clients.add(client);
    servers.add(server);
    daemon("requests", () -> carryRequests(client, server));
    daemon("replies", () -> carryReplies(server, client));
  }

  /** When the client has closed, the server still gets all that was sent, and then the end. */
  private void carryRequests(Socket client, Socket server) {
    try {
      copy(client, client, server, requests, filters.get());
    } catch (IOException e) {
      clients.remove(client); // cut, or closed by the server, which the other direction sees
    }
    marked.remove(client);
    if (swallowed.contains(client)) {
      return;
    }
    try {
      server.shutdownOutput();
    } catch (IOException e) {
      reset(client);
    }
  }

  private void carryReplies(Socket server, Socket client) {
    try (server;
        client) {
      copy(client, server, client, replies, pass());
    } catch (IOException e) {
      reset(client);
    } finally {
      clients.remove(client);
      servers.remove(server);
      swallowed.remove(client);
    }
  }

  private void copy(Socket client, Socket from, Socket to, Gate gate, Filter filter)
      throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      if (from == client && !clients.contains(client)) {
        // a thread that is blocked in read keeps a closed socket open until it is woken
        throw new IOException("sent after the cut");
      }
      long slowest = slowestNanos;
      if (slowest > 0) {
        delay(ThreadLocalRandom.current().nextLong(slowest));
      }
      gate.pass();
      if (swallowed.contains(client)) {
        continue;
      }
      filter.pass(buffer, n, out);
      if (mark != null
          && from == client
          && new String(buffer, 0, n, StandardCharsets.ISO_8859_1).contains(mark)) {
        marked.add(client);
      }
    }
  }

  private static void delay(long nanos) throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      throw new InterruptedIOException();
    }
  }

  private static void daemon(String what, Runnable task) {
    Thread thread = new Thread(task, "sluice-proxy-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  private static void reset(Socket socket) {
    try (socket) {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      return; // it is closed already
    }
  }

  /** Stops listening and resets every connection. Idempotent. */
  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    requests.set(false);
    replies.set(false);
    cut();
    for (Socket server : servers) {
      reset(server);
    }
    servers.clear();
  }
}
