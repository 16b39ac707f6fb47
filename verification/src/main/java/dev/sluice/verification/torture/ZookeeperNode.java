package dev.sluice.verification.torture;

import dev.sluice.servers.JavaCommand;
import dev.sluice.servers.ServerProcess;
import dev.sluice.servers.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One server of an ensemble, in a separate JVM, the connection of clients to it, and the
 * connections of the other servers when it leads. Not safe for use by several threads.
 */
final class ZookeeperNode implements AutoCloseable {
  private static final int SILENCE_MILLIS = 1000;

  final int number;
  final TcpProxy line;
  private final ServerProcess process;
  private final int quorumPort = ServerProcess.freePort();
  private final int electionPort = ServerProcess.freePort();
  private final Map<Integer, TcpProxy> peers = new HashMap<>();
  private final List<String> command;

  ZookeeperNode(int number) {
    this.number = number;
    this.process = ServerProcess.inFolderOf(System.getProperty("user.name"), "TERM");
    this.line = new TcpProxy(process.port());
    this.command =
        JavaCommand.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx128m",
            "-cp",
            ClientProcess.classPath(),
            "org.apache.zookeeper.server.quorum.QuorumPeerMain",
            process.folder().resolve("zoo.cfg").toString());
  }

  /** The line by which another server comes. */
  TcpProxy peer(int from) {
    return peers.computeIfAbsent(from, other -> new TcpProxy(quorumPort));
  }

  /**
   * Starts it.
   *
   * @param all its ensemble
   * @param settings lines of its configuration
   */
  void start(List<ZookeeperNode> all, List<String> settings) {
    Path data = process.folder().resolve("data");
    StringBuilder config = new StringBuilder();
    settings.forEach(setting -> config.append(setting).append('\n'));
    config.append("dataDir=").append(data).append('\n');
    config.append("clientPortAddress=127.0.0.1\nclientPort=").append(process.port()).append('\n');
    for (ZookeeperNode node : all) {
      int port = node == this ? quorumPort : node.peer(number).port();
      config.append("server.%d=127.0.0.1:%d:%d\n".formatted(node.number, port, node.electionPort));
    }
    try {
      Files.createDirectories(data);
      Files.writeString(data.resolve("myid"), "" + number);
      Files.writeString(process.folder().resolve("zoo.cfg"), config);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    restart();
  }

  /** It is in its ensemble only when it reports that. */
  void restart() {
    process.start(() -> true, Map.of(), command);
  }

  void kill() {
    process.stop("KILL");
  }

  void pause() {
    process.pause();
  }

  void resume() {
    process.resume();
  }

  /** {@return what it answers to a command of four letters; nothing if it does not} */
  String ask(String command) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port()), SILENCE_MILLIS);
      socket.setSoTimeout(SILENCE_MILLIS);
      socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  boolean serves() {
    return ask("srvr").contains("Mode: ");
  }

  boolean leads() {
    return ask("srvr").contains("Mode: leader");
  }

  void heal() {
    ServerFaults.heal(line);
    peers.values().forEach(ServerFaults::heal);
  }

  @Override
  public void close() {
    line.close();
    peers.values().forEach(TcpProxy::close);
    process.close();
  }
}
