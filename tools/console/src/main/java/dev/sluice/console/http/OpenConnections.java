package dev.sluice.console.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the open connections within their {@link ConnectionBounds}. Safe for use by many threads.
 *
 * <p>A connection waits for a request, or the server answers one. A new connection above a bound
 * closes the one that has waited longest. If none waits, it closes the one whose client has for
 * longest not taken what the server writes, and is closed itself if there is none either. So
 * connections that send half a request, or read no response, cannot keep a client out, even one of
 * the same address.
 */
public final class OpenConnections implements Connection.Listener {
  private static final int NETWORK_BYTES = 8;

  /** The time within which a reading client takes the server's output. */
  private static final long STALLED_NANOS = Duration.ofSeconds(1).toNanos();

  private final ConnectionBounds bounds;
  private final Scheduler scheduler;

  /** Waiting connections and writing connections, each in order of arrival. Guarded by this. */
  private final Map<Connection, Peer> peers = new LinkedHashMap<>();

  public OpenConnections(ConnectionBounds bounds, Scheduler scheduler) {
    this.bounds = bounds;
    this.scheduler = scheduler;
  }

  @Override
  public void onOpened(Connection connection) {
    Peer peer = new Peer(connection);
    List<Peer> dropped = new ArrayList<>();
    synchronized (this) {
      peers.put(connection, peer);
      peer.closeAfter(bounds.request());
      dropAbove(bounds.perAddress(), each -> each.network.equals(peer.network), peer, dropped);
      dropAbove(bounds.all(), each -> true, peer, dropped);
    }
    dropped.forEach(each -> each.close("too many connections"));
  }

  private void dropAbove(int most, Predicate<Peer> counted, Peer newest, List<Peer> dropped) {
    if (peers.values().stream().filter(counted).count() <= most) {
      return;
    }
    Peer victim =
        first(counted, each -> each.waits && each != newest)
            .or(() -> first(counted, Peer::isStalled))
            .orElse(newest);
    peers.remove(victim.connection);
    victim.keepOpen();
    dropped.add(victim);
  }

  private Optional<Peer> first(Predicate<Peer> counted, Predicate<Peer> wanted) {
    return peers.values().stream().filter(counted).filter(wanted).findFirst();
  }

  @Override
  public void onClosed(Connection connection) {
    synchronized (this) {
      Peer peer = peers.remove(connection);
      if (peer != null) {
        peer.keepOpen();
      }
    }
  }

  /** {@return the connection of a request; empty if it is closed} */
  public synchronized Optional<Peer> of(Request request) {
    return Optional.ofNullable(peers.get(request.getConnectionMetaData().getConnection()));
  }

  /** One connection. Its state is guarded by the {@link OpenConnections}. */
  public final class Peer {
    private final Connection connection;
    private final Object network;
    private boolean waits = true;
    private boolean written; // a write to it has begun, and has not ended
    private long writtenNanos; // when it began
    private Scheduler.@Nullable Task deadline;

    private Peer(Connection connection) {
      this.connection = connection;
      this.network = network(connection.getEndPoint().getRemoteSocketAddress());
    }

    /** The request has arrived with its body. */
    public void received() {
      synchronized (OpenConnections.this) {
        waits = false;
        keepOpen();
      }
    }

    /** The response has been written. */
    public void answered() {
      synchronized (OpenConnections.this) {
        if (toTheEnd()) {
          waits = true;
          closeAfter(bounds.request());
        }
      }
    }

    /** {@return whether the connection is open} */
    private boolean toTheEnd() {
      boolean open = peers.remove(connection) != null;
      if (open) {
        peers.put(connection, this);
      }
      return open;
    }

    /** {@return the stream, whose writes end in time or fail} */
    public OutputStream bounded(OutputStream out) {
      return new OutputStream() {
        @Override
        public void write(int b) throws IOException {
          write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
          synchronized (OpenConnections.this) {
            toTheEnd();
            written = true;
            writtenNanos = System.nanoTime();
            closeAfter(bounds.write());
          }
          out.write(bytes, from, length);
          synchronized (OpenConnections.this) {
            written = false;
            keepOpen();
          }
        }

        @Override
        public void flush() throws IOException {
          out.flush();
        }
      };
    }

    private boolean isStalled() {
      return written && System.nanoTime() - writtenNanos > STALLED_NANOS;
    }

    private void closeAfter(Duration time) {
      keepOpen();
      deadline =
          scheduler.schedule(
              () -> close("no progress in " + time), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void keepOpen() {
      if (deadline != null) {
        deadline.cancel();
        deadline = null;
      }
    }

    private void close(String why) {
      connection.getEndPoint().close(new TimeoutException(why));
    }
  }

  /** An IPv6 client has a whole /64 network of addresses. */
  private static Object network(SocketAddress remote) {
    if (!(remote instanceof InetSocketAddress known) || known.getAddress() == null) {
      return remote;
    }
    InetAddress address = known.getAddress();
    byte[] bytes = address.getAddress();
    return bytes.length == 4 ? address : ByteBuffer.wrap(bytes, 0, NETWORK_BYTES);
  }
}
