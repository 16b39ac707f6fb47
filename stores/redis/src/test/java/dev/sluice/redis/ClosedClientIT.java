package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.Sluice;
import dev.sluice.redis.quorum.QuorumStore;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.BackendSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients come and go in a process that stays: their sockets go with them. */
@EachRedis
class ClosedClientIT {
  /** The socket of a client was left open about every second time. */
  private static final int CLIENTS = 12;

  /** The first client loads the driver, on a machine that may be busy. */
  private static final Duration AGES = Duration.ofSeconds(30);

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final List<Path> UDP =
      List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6"));
  private static final int INODE = 9;

  private final RedisServer server;

  ClosedClientIT(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void onlyWhereSocketsCanBeCounted() {
    assumeTrue(Files.isDirectory(DESCRIPTORS), "sockets are counted in /proc");
  }

  @Test
  void noSocketOfItsNameResolverStaysOpen() throws Exception {
    Set<String> before = udpSockets();
    for (int i = 0; i < CLIENTS; i++) {
      try (Sluice sluice = connect()) {
        sluice.lock("x").acquire(AGES).close();
        assertThat(since(before)).as("the check sees it while it is open").isNotEmpty();
      }
    }
    assertThat(since(before)).isEmpty();
  }

  @Test
  void noSocketStaysOpenWhereTwoClientsShareALoop() throws Exception {
    Set<String> before = udpSockets();
    List<RedisServer> nodes = new ArrayList<>(List.of(server));
    try {
      nodes.add(RedisServer.start(server.binary()));
      nodes.add(RedisServer.start(server.binary()));
      QuorumOptions settings = QuorumOptions.of(new BackendSettings(AGES)).fresh();
      for (int i = 0; i < CLIENTS; i++) {
        RedisQuorum.connect(QuorumStore.uris(nodes), settings).close();
      }
    } finally {
      nodes.subList(1, nodes.size()).forEach(RedisServer::close);
    }
    assertThat(since(before)).isEmpty();
  }

  private Sluice connect() {
    return Sluice.builder().uri(server.uri()).requestTimeout(AGES).build();
  }

  private static Set<String> since(Set<String> before) throws IOException {
    Set<String> more = udpSockets();
    more.removeAll(before);
    return more;
  }

  /** Links of this process's descriptors that are UDP sockets. */
  private static Set<String> udpSockets() throws IOException {
    Set<String> udp = new HashSet<>();
    for (Path table : UDP) {
      if (Files.exists(table)) {
        try (Stream<String> lines = Files.lines(table)) {
          lines
              .skip(1)
              .forEach(line -> udp.add("socket:[" + line.strip().split(" +")[INODE] + "]"));
        }
      }
    }
    Set<String> open = new HashSet<>();
    try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
      descriptors.forEach(
          descriptor -> {
            try {
              open.add(Files.readSymbolicLink(descriptor).toString());
            } catch (IOException e) {
              return; // it was closed meanwhile
            }
          });
    }
    open.retainAll(udp);
    return open;
  }
}
