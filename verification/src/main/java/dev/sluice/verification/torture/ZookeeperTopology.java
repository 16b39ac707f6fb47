package dev.sluice.verification.torture;

import dev.sluice.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * An ensemble of three, as it is set up by default but eight times as fast: a server that has lost
 * its leader goes on answering reads for longer than a session lasts without a sign of life.
 */
final class ZookeeperTopology implements FaultyServers {
  private static final int NODES = 3;
  private static final int TICK_MILLIS = 250;

  /** A client that has died, or is away for longer, keeps its place for that time. */
  private static final Duration SESSION = Duration.ofMillis(2500);

  private static final Duration MAX_PAUSE = Duration.ofMillis(2500);
  private static final int MAX_SPLIT_MILLIS = 4000;
  private static final Duration MAX_START = Duration.ofSeconds(60);
  private static final int MAX_SHOWN = 5;

  /** What is written stays when a process dies; there is no need to wait for the disk. */
  private static final List<String> SETTINGS =
      List.of(
          "tickTime=" + TICK_MILLIS,
          "initLimit=40",
          "syncLimit=14",
          "maxClientCnxns=0",
          "forceSync=no",
          "admin.enableServer=false",
          "4lw.commands.whitelist=*");

  private final List<ZookeeperNode> nodes = new ArrayList<>();

  ZookeeperTopology() {
    boolean ready = false;
    try {
      for (int i = 1; i <= NODES; i++) {
        nodes.add(new ZookeeperNode(i));
      }
      nodes.forEach(node -> node.start(nodes, SETTINGS));
      awaitWhole();
      ready = true;
    } finally {
      if (!ready) {
        close();
      }
    }
  }

  private void awaitWhole() {
    try {
      if (!ClientProcesses.await(MAX_START, () -> nodes.stream().allMatch(ZookeeperNode::serves))) {
        throw new IllegalStateException("the ensemble did not come together");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.line.port())
        .collect(
            Collectors.joining(
                ",", "zookeeper://", "/torture?sessionTimeout=" + SESSION.toMillis() + "ms"));
  }

  @Override
  public String describe() {
    return "a ZooKeeper ensemble of " + NODES;
  }

  @Override
  public Duration afterlife() {
    return SESSION.plusMillis(2 * TICK_MILLIS); // sessions are ended by the tick
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    for (ZookeeperNode node : nodes) {
      faults.addAll(ServerFaults.ofLine(node.line, Duration.ofSeconds(3)));
      faults.add(ServerFaults.paused(node::pause, node::resume, MAX_PAUSE));
      faults.add(ServerFaults.killed(node::kill, node::restart));
      faults.add(new Fault("node cut off", 3, (random, notes) -> cutOff(node, random)));
    }
    faults.add(new Fault("leader cut off", 6, (random, notes) -> cutOffTheLeader(random)));
    faults.add(new Fault("leader killed", 4, (random, notes) -> killTheLeader(random)));
    faults.add(new Fault("majority stopped", 5, (random, notes) -> stopMajority(random)));
    return faults;
  }

  /** It gets nothing from its ensemble, and its clients still reach it. */
  private String cutOff(ZookeeperNode node, RandomGenerator random) throws InterruptedException {
    List<TcpProxy> lines = new ArrayList<>();
    for (ZookeeperNode other : nodes) {
      if (other != node) {
        lines.add(other.peer(node.number));
        lines.add(node.peer(other.number));
      }
    }
    for (TcpProxy line : lines) {
      line.holdRequests(true);
      line.holdReplies(true);
    }
    int millis = random.nextInt(200, MAX_SPLIT_MILLIS);
    try {
      ServerFaults.pass(millis);
    } finally {
      lines.forEach(ServerFaults::heal);
    }
    return "node " + node.number + " cut off from the others for " + millis + " ms";
  }

  private ZookeeperNode leader() {
    return nodes.stream().filter(ZookeeperNode::leads).findFirst().orElse(nodes.get(0));
  }

  private String cutOffTheLeader(RandomGenerator random) throws InterruptedException {
    return "leader, " + cutOff(leader(), random);
  }

  private String killTheLeader(RandomGenerator random) throws InterruptedException {
    ZookeeperNode leader = leader();
    leader.kill();
    ServerFaults.pass(random.nextLong(3000));
    leader.restart();
    return "leader, node " + leader.number + ", killed, restarted with its data";
  }

  private String stopMajority(RandomGenerator random) throws InterruptedException {
    int first = random.nextInt(NODES);
    List<ZookeeperNode> stopped =
        List.of(nodes.get(first), nodes.get((first + 1) % NODES)); // of any client
    stopped.forEach(ZookeeperNode::pause);
    try {
      ServerFaults.pass(random.nextLong(200, 3000));
    } finally {
      stopped.forEach(ZookeeperNode::resume);
    }
    return "majority stopped";
  }

  @Override
  public void heal() {
    nodes.forEach(ZookeeperNode::heal);
    awaitWhole();
  }

  /** Ephemeral nodes and watches belong to clients; the containers are the server's to clean. */
  @Override
  public List<String> leftovers() {
    List<String> found = new ArrayList<>();
    for (ZookeeperNode node : nodes) {
      node.ask("mntr")
          .lines()
          .map(line -> line.split("\t", 2))
          .filter(
              words -> words[0].equals("zk_ephemerals_count") || words[0].equals("zk_watch_count"))
          .filter(words -> !words[1].equals("0"))
          .forEach(words -> found.add("node " + node.number + ": " + words[0] + " " + words[1]));
      if (!found.isEmpty()) {
        found.add(node.ask("dump"));
        break;
      }
    }
    return found.subList(0, Math.min(found.size(), MAX_SHOWN));
  }

  @Override
  public void close() {
    nodes.forEach(ZookeeperNode::close);
  }
}
