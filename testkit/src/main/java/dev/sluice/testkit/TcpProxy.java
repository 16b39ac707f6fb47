package dev.sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A line to a server that tests may spoil: hold what is sent or what is answered, cut connections,
 * refuse new ones. What is held is delivered when the line is open again, even when its connection
 * was cut meanwhile: that is how a request comes late. Loopback only; safe for use by many threads.
 */
public final class TcpProxy implements AutoCloseable {

  private static final int BUFFER_BYTES = 65_536;

  private final ServerSocket listener;
  private final int target;
  private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
  private final Set<Socket> servers = ConcurrentHashMap.newKeySet();
  private final Gate requests = new Gate();
  private final Gate replies = new Gate();
  private volatile boolean refusing;

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
    this.target = target;
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

  /** {@return how many connections have a request that is kept} */
  public int heldRequests() {
    return requests.kept();
  }

  /** {@return how many connections have an answer that is kept} */
  public int heldReplies() {
    return replies.kept();
  }

  /**
   * Resets new connections at once, or accepts them.
   *
   * @param refuse true to reset
   */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  /** Resets the connections to all clients. What they sent and is held still reaches the server. */
  public void cut() {
    for (Socket client : clients) {
      reset(client);
    }
    clients.clear();
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

  /** When the client is gone, the server still gets all that was sent, and then the end. */
  private void carryRequests(Socket client, Socket server) {
    try {
      copy(client, server, requests);
    } catch (IOException e) {
      clients.remove(client); // cut, or the server is gone, which the other direction sees
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
      copy(server, client, replies);
    } catch (IOException e) {
      reset(client);
    } finally {
      clients.remove(client);
      servers.remove(server);
    }
  }

  private static void copy(Socket from, Socket to, Gate gate) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      gate.pass();
      out.write(buffer, 0, n);
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
