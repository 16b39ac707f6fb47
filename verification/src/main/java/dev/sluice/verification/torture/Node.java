package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisServer;
import dev.sluice.servers.TcpProxy;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One Redis server, the line to it, and its clock. Not safe for use by several threads. */
final class Node implements AutoCloseable {
  /** How far tokens may run ahead of the clock, with room for what a busy machine adds. */
  static final Duration LEAD = Duration.ofMillis(150);

  final RedisServer server;
  final TcpProxy line;
  final Requests requests;
  private final @Nullable ClockShim clock;
  private Duration highestAhead = Duration.ZERO;
  private boolean down;

  Node(PlantedFault plant, @Nullable ClockShim clock, String... arguments) {
    RedisBinary binary = RedisBinary.any();
    this.clock = clock;
    this.requests = new Requests(plant);
    this.server = RedisServer.start(clock == null ? binary : clock.wrap(binary), arguments);
    this.line = new TcpProxy(server.port(), requests::filter);
  }

  /** A server that runs, as part of a cluster. */
  Node(RedisServer server, PlantedFault plant) {
    this.clock = null;
    this.requests = new Requests(plant);
    this.server = server;
    this.line = new TcpProxy(server.port(), requests::filter);
  }

  boolean hasClock() {
    return clock != null;
  }

  /** {@return the longest time by which the last token may be ahead of the server's clock} */
  Duration lead() {
    ClockShim own = clock;
    return own == null ? LEAD : LEAD.plus(highestAhead.minus(own.ahead()));
  }

  /** Moves the server's clock by so much. */
  void step(Duration by) {
    ClockShim own = clock;
    if (own == null) {
      throw new IllegalStateException("this server has the machine's clock");
    }
    own.set(own.ahead().plus(by));
    highestAhead = highestAhead.compareTo(own.ahead()) > 0 ? highestAhead : own.ahead();
  }

  void kill() {
    server.kill();
    down = true;
  }

  void restart() {
    server.restart();
    down = false;
  }

  void restartEmpty() {
    server.restartEmpty();
    down = false;
  }

  boolean isDown() {
    return down;
  }

  /** Carries out the last script calls once more, as a network does that repeats itself. */
  void repeat(int most) {
    List<byte[]> recent = requests.recent();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(500);
      OutputStream out = socket.getOutputStream();
      for (byte[] request : recent.subList(Math.max(0, recent.size() - most), recent.size())) {
        out.write(request);
        if (socket.getInputStream().read(new byte[4096]) < 0) {
          return;
        }
      }
    } catch (IOException e) {
      return; // the server is busy with another fault; what it took, it took
    }
  }

  /** Opens the line. */
  void heal() {
    ServerFaults.heal(line);
  }

  @Override
  public void close() {
    line.close();
    server.close();
  }
}
