package dev.sluice.bench.run;

import dev.sluice.servers.JavaCommand;
import dev.sluice.servers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A ZooKeeper server in a separate JVM, which forces its log to the disk as it does by default. */
final class ZooKeeperStore implements BenchStore {
  private static final int ANSWER_MILLIS = 5000;

  private final ServerProcess server;

  private ZooKeeperStore(ServerProcess server) {
    this.server = server;
  }

  static ZooKeeperStore start(List<String> jvmFlags) {
    ZooKeeperStore store = new ZooKeeperStore(ServerProcess.ofOurUser());
    try {
      store.launch(jvmFlags);
      return store;
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private void launch(List<String> jvmFlags) {
    Path settings = server.folder().resolve("zoo.cfg");
    try {
      Files.writeString(
          settings,
          """
          dataDir=%s
          clientPort=%d
          clientPortAddress=127.0.0.1
          tickTime=2000
          maxClientCnxns=0
          admin.enableServer=false
          4lw.commands.whitelist=mntr
          """
              .formatted(server.folder().resolve("data"), server.port()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command = JavaCommand.of();
    command.addAll(jvmFlags);
    command.add("-cp");
    command.add(ManagementFactory.getRuntimeMXBean().getClassPath());
    command.add(ZooKeeperServerMain.class.getName());
    command.add(settings.toString());
    server.start(() -> monitored("zk_packets_received"), command.toArray(new String[0]));
  }

  /** A line of the answer to {@code mntr}. */
  private String monitored(String key) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return answer
          .lines()
          .filter(line -> line.startsWith(key + "\t"))
          .map(line -> line.substring(key.length() + 1).trim())
          .findFirst()
          .orElseThrow(() -> new IOException("no " + key + " in: " + answer));
    }
  }

  @Override
  public String uri() {
    return "zookeeper://127.0.0.1:" + server.port();
  }

  @Override
  public ServerCounters counters() {
    try {
      long requests = Long.parseLong(monitored("zk_packets_received"));
      return new ServerCounters(Map.of("request", requests), Map.of(), server.cpuSeconds());
    } catch (IOException e) {
      throw new UncheckedIOException("ZooKeeper does not answer mntr", e);
    }
  }

  @Override
  public String about() {
    try {
      return monitored("zk_version").replaceFirst("[-,].*", "")
          + ", its own server in a JVM with the flags of the workers, log forced to the disk";
    } catch (IOException e) {
      throw new UncheckedIOException("ZooKeeper does not answer mntr", e);
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
