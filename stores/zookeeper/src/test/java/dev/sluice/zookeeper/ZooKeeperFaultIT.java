package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.ForeignDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.servers.TcpProxy;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.zookeeper.nodes.Nodes;
import dev.sluice.zookeeper.nodes.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Connections that break, sessions that end, nodes that vanish. */
class ZooKeeperFaultIT {
  private static final LockOptions LONG = LockOptions.renewing(Duration.ofSeconds(30));
  private static final LockOptions FIXED = LockOptions.fixed(Duration.ofSeconds(30));
  private static final Duration SESSION = Duration.ofSeconds(5);

  /** Longer than the driver takes to connect again, on a machine that is busy. */
  private static final Duration WIDE = Duration.ofSeconds(10);

  private static final AtomicInteger PATHS = new AtomicInteger();
  private static TestingServer server;
  private static CuratorFramework hand;

  private final String path = "/fault" + PATHS.incrementAndGet();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<LeaseState> told = Collections.synchronizedList(new ArrayList<>());

  @BeforeAll
  static void start() throws Exception {
    server = new TestingServer(Servers.spec(500), true); // sessions of 1 to 10 s
    hand = SharedServers.hand(server.getConnectString());
  }

  @AfterAll
  static void stop() throws Exception {
    hand.close();
    server.close();
  }

  @AfterEach
  void closeAll() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private TcpProxy line() {
    TcpProxy proxy = new TcpProxy(server.getPort());
    open.add(proxy);
    return proxy;
  }

  private ZooKeeperBackend backend(int port, Duration session) {
    return backend(port, session, Duration.ofSeconds(port == server.getPort() ? 20 : 5));
  }

  private ZooKeeperBackend backend(int port, Duration session, Duration answers) {
    ZooKeeperBackend backend =
        ZooKeeperBackend.builder()
            .uri("zookeeper://127.0.0.1:" + port + path)
            .sessionTimeout(session)
            .requestTimeout(answers)
            .build();
    open.add(backend);
    return backend;
  }

  private Sluice client(ZooKeeperBackend backend) {
    Sluice client = Sluice.builder().backend(backend).build();
    open.add(client);
    return client;
  }

  private Sluice client() {
    return client(backend(server.getPort(), WIDE));
  }

  private Lease take(Sluice client, LockOptions options) {
    return client.lock("seat", options).tryAcquire().orElseThrow().onChange(this::receive);
  }

  private void receive(Lease lease, LeaseState state) {
    told.add(state);
  }

  private static CompletableFuture<Lease> queue(Sluice client) {
    return client.lock("seat", LONG).async().acquire(Duration.ofMinutes(1)).toCompletableFuture();
  }

  private static Optional<LockInfo.Holder> holder(Sluice client) {
    return client.inspect().lock("seat").holder();
  }

  /** Makes the folder of a lock, which the servers would otherwise remove when it is empty. */
  private void keepFolder(String name) throws Exception {
    hand.create().creatingParentsIfNeeded().forPath(path + "/sluice/locks/" + name);
  }

  private static void waits(Sluice client, Sluice watcher) {
    await()
        .until(
            () ->
                watcher.inspect().lock("seat").waiters().stream()
                    .anyMatch(w -> w.client().equals(client.clientId())));
  }

  private static long session(ZooKeeperBackend backend) throws Exception {
    return backend.client().getZookeeperClient().getZooKeeper().getSessionId();
  }

  /** Curator forgets it and leaves the node (CURATOR-486, CURATOR-678). */
  @Test
  void releaseDuringALostConnectionIsFinishedInTheBackground() throws Exception {
    TcpProxy line = line();
    ZooKeeperBackend backend = backend(line.port(), WIDE);
    Sluice a = client(backend);
    Sluice b = client();
    Lease lease = take(a, LONG);
    long session = session(backend);
    line.refuse(true);
    line.cut();

    assertThat(lease.release()).isTrue();
    assertThat(holder(b)).isPresent();
    line.refuse(false);
    await().until(() -> holder(b).isEmpty());
    assertThat(session(backend)).as("the session has not ended").isEqualTo(session);
    take(b, LONG);
  }

  @Test
  void lostReplyOfTheCreateLeavesNoOrphan() throws Exception {
    TcpProxy line = line();
    ZooKeeperBackend backend = backend(line.port(), WIDE);
    Sluice a = client(backend);
    Sluice b = client();
    keepFolder("seat");
    take(a, LONG).release();
    await().until(() -> holder(b).isEmpty());
    long session = session(backend);
    line.holdReplies(true);
    CompletableFuture<?> asked = a.lock("seat", LONG).async().tryAcquire().toCompletableFuture();
    await().until(() -> holder(b).isPresent());
    line.cut();
    line.holdReplies(false);

    assertThat(asked)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(OutcomeUnknownException.class);
    await().until(() -> holder(b).isEmpty());
    assertThat(session(backend)).as("the session has not ended").isEqualTo(session);
  }

  @Test
  void waitGoesOnWhereTheReplyOfTheCreateWasLost() throws Exception {
    boolean isSameNode = false;
    // where it takes too long to connect anew, the wait is given up and asked for anew
    for (int tries = 0; tries < 10 && !isSameNode; tries++) {
      isSameNode = waitGoesOnAtTheSameNode("lost-" + tries);
    }
    assertThat(isSameNode).isTrue();
  }

  private boolean waitGoesOnAtTheSameNode(String name) throws Exception {
    TcpProxy line = line();
    DistributedLock a = client(backend(line.port(), WIDE, WIDE)).lock(name, LONG);
    Sluice b = client();
    keepFolder(name);
    a.tryAcquire().orElseThrow().release();
    await().until(() -> b.inspect().lock(name).holder().isEmpty());
    line.holdReplies(true);
    CompletableFuture<Lease> asked = a.async().acquire(Duration.ofMinutes(1)).toCompletableFuture();
    await().until(() -> b.inspect().lock(name).holder().isPresent());
    long token = b.inspect().lock(name).holder().orElseThrow().token();
    line.cut();
    line.holdReplies(false);

    await().until(asked::isDone);
    assertThat(b.inspect().lock(name).waiters()).isEmpty();
    Lease lease = asked.join();
    assertThat(lease.release()).isTrue();
    assertThat(b.inspect().lock(name).holder()).isEmpty();
    return lease.token() == token;
  }

  /** Curator's mutex goes on to say that it is held, and its release throws nothing. */
  @Test
  void sessionThatTheServersEndIsALossToldAtOnce() throws Exception {
    for (LockOptions options : List.of(LONG, FIXED)) {
      told.clear();
      ZooKeeperBackend backend = backend(server.getPort(), WIDE);
      Sluice a = client(backend);
      Sluice b = client();
      Lease lease = take(a, options);
      CompletableFuture<Lease> waiting = queue(b);
      Servers.expire(backend.client(), server.getConnectString());

      await().until(() -> told.contains(LeaseState.LOST));
      assertThat(lease.state()).isEqualTo(LeaseState.LOST);
      assertThat(lease.renew(Duration.ofSeconds(1))).isFalse();
      assertThat(lease.release()).isFalse();
      await().until(waiting::isDone);
      assertThat(waiting.join().token()).isGreaterThan(lease.token());
      CompletableFuture<Lease> again = queue(a); // in a session of its own
      waits(a, b);
      assertThat(waiting.join().release()).isTrue();
      await().until(again::isDone);
      again.join().close();
      a.close();
    }
  }

  @Test
  void waiterWhoseSessionEndedQueuesAgain() throws Exception {
    ZooKeeperBackend backend = backend(server.getPort(), WIDE);
    Sluice a = client();
    Sluice b = client(backend);
    Lease held = take(a, LONG);
    CompletableFuture<Lease> waiting = queue(b);
    waits(b, a);
    Servers.expire(backend.client(), server.getConnectString());
    waits(b, a);
    held.close();
    await().until(waiting::isDone);
    assertThat(waiting.join().token()).isGreaterThan(held.token());
  }

  /** Two clients hold Curator's mutex after that (CURATOR-604). */
  @Test
  void clientThatIsCutOffKnowsOfTheLossBeforeAnotherIsGranted() {
    TcpProxy line = line();
    Sluice a = client(backend(line.port(), SESSION));
    Sluice b = client();
    Lease lease = take(a, LONG);
    AtomicReference<LeaseState> atGrant = new AtomicReference<>();
    CompletableFuture<Lease> waiting =
        queue(b).whenComplete((granted, failure) -> atGrant.set(lease.state()));
    waits(b, a);
    line.holdRequests(true); // nothing arrives, and the connection stands: as in a long pause
    line.holdReplies(true);

    await().until(() -> atGrant.get() != null);
    assertThat(atGrant.get()).isEqualTo(LeaseState.LOST);
    assertThat(waiting.join().token()).isGreaterThan(lease.token());
    await().until(() -> told.contains(LeaseState.LOST));
    line.holdRequests(false);
    line.holdReplies(false);
    assertThat(lease.release()).isFalse();
    assertThat(holder(b).orElseThrow().client()).isEqualTo(b.clientId());
  }

  @Test
  void deadProcessIsReplacedWithItsSession() {
    TcpProxy line = line();
    Sluice a = client(backend(line.port(), SESSION));
    Sluice b = client();
    take(a, LONG);
    CompletableFuture<Lease> waiting = queue(b);
    waits(b, a);
    line.refuse(true);
    line.cut();
    await().until(waiting::isDone);
    assertThat(b.inspect().lock("seat").waiters()).isEmpty();
  }

  @Test
  void deadWaiterIsSkippedWithItsSession() {
    TcpProxy line = line();
    Sluice a = client();
    Sluice dying = client(backend(line.port(), SESSION));
    Sluice b = client();
    Lease held = take(a, LONG);
    queue(dying);
    waits(dying, a);
    CompletableFuture<Lease> waiting = queue(b);
    waits(b, a);
    line.refuse(true);
    line.cut();
    held.close();
    await().until(waiting::isDone);
  }

  @Test
  void lostConnectionIsDoubtAtOnceForLocksAndPermits() {
    TcpProxy line = line();
    Sluice a = client(backend(line.port(), Duration.ofSeconds(30))); // time to come back
    List<Lease> leases =
        List.of(
            take(a, LONG),
            a.lock("fixed", FIXED).tryAcquire().orElseThrow(),
            a.semaphore("permits", 3, LONG).tryAcquire().orElseThrow(),
            a.readWriteLock("shared", LONG, ReadWriteOrder.FAIR)
                .readLock()
                .tryAcquire()
                .orElseThrow());
    line.refuse(true);
    line.cut();
    await()
        .atMost(Duration.ofSeconds(9)) // before any of them would end
        .until(() -> leases.stream().allMatch(l -> l.state() == LeaseState.IN_DOUBT));
    line.refuse(false);
    await().until(() -> leases.stream().allMatch(l -> l.state() == LeaseState.HELD));
    leases.forEach(Lease::checkHeld);
    leases.forEach(lease -> assertThat(lease.release()).isTrue());
  }

  @Test
  void connectionThatComesAndGoesLosesNothing() {
    TcpProxy line = line();
    Sluice a = client(backend(line.port(), Duration.ofSeconds(30))); // time to come back
    Sluice b = client();
    Lease lease = take(a, LONG);
    CompletableFuture<Lease> waiting = queue(b);
    waits(b, a);
    for (int i = 0; i < 3; i++) {
      int heard = told.size();
      line.cut();
      await().until(() -> told.size() >= heard + 2);
      assertThat(told.subList(heard, heard + 2))
          .containsExactly(LeaseState.IN_DOUBT, LeaseState.HELD);
    }
    assertThat(told).doesNotContain(LeaseState.LOST);
    assertThat(waiting).isNotDone();
    assertThat(lease.release()).isTrue();
    await().until(waiting::isDone);
  }

  @Test
  void waiterIsServedThoughItsConnectionBrokeWhileItWaited() {
    TcpProxy line = line();
    Sluice a = client();
    Sluice b = client(backend(line.port(), WIDE));
    Lease held = take(a, LONG);
    CompletableFuture<Lease> waiting = queue(b);
    waits(b, a);
    line.refuse(true);
    line.cut();
    held.close(); // unseen
    line.refuse(false);
    await().until(waiting::isDone);
    assertThat(waiting.join().token()).isGreaterThan(held.token());
  }

  @Test
  void nodeDeletedByHandIsALossToldAtOnce() throws Exception {
    for (LockOptions options : List.of(LONG, FIXED)) {
      told.clear();
      Lease lease = take(client(), options);
      String folder = path + "/sluice/locks/seat";
      hand.delete().forPath(folder + "/" + hand.getChildren().forPath(folder).get(0));

      await().until(() -> told.contains(LeaseState.LOST));
      assertThat(lease.release()).isFalse();
    }
  }

  @Test
  void waiterWhoseNodeIsDeletedByHandQueuesAgain() throws Exception {
    Sluice a = client();
    Sluice b = client();
    Lease held = take(a, LONG);
    CompletableFuture<Lease> waiting = queue(b);
    waits(b, a);
    String folder = path + "/sluice/locks/seat";
    for (String node : hand.getChildren().forPath(folder)) {
      if (node.startsWith(b.clientId())) {
        hand.delete().forPath(folder + "/" + node);
      }
    }
    held.close();
    await().until(waiting::isDone);
    assertThat(waiting.join().release()).isTrue();
  }

  @Test
  void foreignNodeInALineIsReported() throws Exception {
    Sluice a = client();
    keepFolder("seat");
    String foreign = path + "/sluice/locks/seat/mine";
    hand.create().forPath(foreign);
    assertThatThrownBy(() -> a.lock("seat").tryAcquire())
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining(foreign);
    assertThat(hand.checkExists().forPath(foreign)).isNotNull();
    hand.delete().forPath(foreign);
    await().untilAsserted(() -> assertThat(a.lock("seat").tryAcquire()).isPresent());
  }

  /** What nobody can keep from a paused holder, the resource refuses (CURATOR-689). */
  @Test
  void staleHoldersTransactionIsRefused() throws Exception {
    ZooKeeperBackend backend = backend(server.getPort(), WIDE);
    ZooKeeperGuard guard = ZooKeeperGuard.create(hand, path + "/guards");
    Lease stale = take(client(backend), LONG);
    Op write = Op.create(path + "/data", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    Servers.expire(backend.client(), server.getConnectString());
    Sluice b = client();
    Lease next = queue(b).get(60, TimeUnit.SECONDS);
    guard.advance(next);

    assertThatThrownBy(() -> guard.multi(stale, List.of(write)))
        .isInstanceOf(StaleTokenException.class);
    assertThat(hand.checkExists().forPath(path + "/data")).isNull();
    guard.multi(next, List.of(write));
    assertThat(hand.checkExists().forPath(path + "/data")).isNotNull();
  }

  /** Curator's LeaderLatch had two (CURATOR-444, 504, 620, 644, 653, 696). */
  @Test
  void leaderWhoseSessionEndedIsNoLeaderWhenTheNextOneIs() throws Exception {
    ZooKeeperBackend backend = backend(server.getPort(), WIDE);
    Sluice a = client(backend);
    Sluice b = client();
    try (LeaderElection first = a.election("chief", LONG);
        LeaderElection second = b.election("chief", LONG)) {
      first.lead(term -> new CountDownLatch(1).await());
      await().until(first::isLeader);
      AtomicInteger both = new AtomicInteger();
      second.lead(term -> new CountDownLatch(1).await());
      Servers.expire(backend.client(), server.getConnectString());
      await()
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                boolean next = second.isLeader();
                if (next && first.isLeader()) {
                  both.incrementAndGet();
                }
                return next;
              });
      assertThat(both).hasValue(0);
    }
  }

  @Test
  void clientOfTheApplicationStaysOpenAndKeepsNoNode() throws Exception {
    try (CuratorFramework own = SharedServers.hand(server.getConnectString())) {
      CuratorFramework named = own.usingNamespace(path.substring(1) + "x");
      ZooKeeperBackend backend = ZooKeeperBackend.builder().client(named).build();
      Sluice a = client(backend);
      take(a, LONG);
      assertThat(hand.getChildren().forPath(path + "x/sluice/locks/seat")).hasSize(1);
      backend.close(); // before the client that uses it
      assertThat(nodes(path + "x/sluice/locks/seat")).isEmpty();
      assertThat(own.checkExists().forPath("/")).isNotNull();
    }
  }

  @Test
  void nodesAreDeletedThoughTheBackendWasClosedWithoutAConnection() throws Exception {
    TcpProxy line = line();
    try (CuratorFramework own = SharedServers.hand("127.0.0.1:" + line.port())) {
      ZooKeeperBackend backend =
          ZooKeeperBackend.builder()
              .client(own)
              .chroot(path)
              .requestTimeout(Duration.ofSeconds(3))
              .build();
      Lease lease = take(client(backend), LONG);
      long session = session(backend);
      line.refuse(true);
      line.cut();
      await().until(() -> lease.state() == LeaseState.IN_DOUBT);
      backend.close();
      String folder = path + "/sluice/locks/seat";
      assertThat(hand.getChildren().forPath(folder)).hasSize(1);
      line.refuse(false);
      await().until(() -> nodes(folder).isEmpty());
      assertThat(session(backend)).as("the session has not ended").isEqualTo(session);
    }
  }

  /** The leader hears of a process by its pings, and a process that stands still sends none. */
  @Test
  void requestsAroundAPauseProveNothing() throws Exception {
    ZooKeeperBackend backend = backend(server.getPort(), SESSION);
    AtomicReference<Session> made = new AtomicReference<>();
    await() // a request that leaves after a pause of this machine proves nothing
        .until(
            () -> {
              ZooKeeper handle = backend.client().getZookeeperClient().getZooKeeper();
              made.set(new Session(handle, Ids.OPEN_ACL_UNSAFE, () -> {}));
              made.get().sync("/").join();
              return made.get().isCertain(System.nanoTime());
            });
    Session session = made.get();
    await() // no clock beats
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              session.sync("/").join();
              return session.certainMicros(System.nanoTime()) <= 0;
            });
    session.beat(System.nanoTime());
    session.sync("/").join();
    assertThat(session.certainMicros(System.nanoTime())).isNegative();
    await()
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              session.beat(System.nanoTime());
              session.sync("/").join();
              return session.isCertain(System.nanoTime());
            });
  }

  /** What is in a folder, which the servers remove when it is empty. */
  private static List<String> nodes(String folder) throws Exception {
    try {
      return hand.getChildren().forPath(folder);
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    }
  }

  private static GrantRequest units(String client, int least, int most) {
    return units(client, 1, least, most);
  }

  private static GrantRequest units(String client, long attempt, int least, int most) {
    return new GrantRequest("units", client, attempt, 30_000_000, 5, least, most, false, 1, true);
  }

  private static GrantReply ask(ZooKeeperBackend backend, GrantRequest request) {
    return backend.permits().acquire(request).toCompletableFuture().join();
  }

  /** What a request does whose answer is lost. */
  private void cutByHand(String client, int units) throws Exception {
    String folder = path + "/sluice/permits/units";
    String old = node(client);
    byte[] data = hand.getData().forPath(folder + "/" + old);
    Nodes.Node cut = Nodes.Node.parse(folder, old);
    hand.transaction()
        .forOperations(
            hand.transactionOp().delete().forPath(folder + "/" + old),
            hand.transactionOp()
                .create()
                .withMode(CreateMode.EPHEMERAL)
                .forPath(folder + "/" + cut.with(units), data));
  }

  private String node(String client) throws Exception {
    return hand.getChildren().forPath(path + "/sluice/permits/units").stream()
        .filter(one -> one.startsWith(client + "."))
        .findAny()
        .orElseThrow();
  }

  @Test
  void unitsThatAreGrantedAreThoseOfTheNode() throws Exception {
    ZooKeeperBackend a = backend(server.getPort(), WIDE);
    ZooKeeperBackend b = backend(server.getPort(), WIDE);
    assertThat(ask(b, units("b", 5, 5)).units()).isEqualTo(5);
    assertThat(ask(a, units("a", 2, 3)).units()).isZero();
    assertThat(node("a")).startsWith("a.1.2.");
    cutByHand("a", 1);
    assertThat(
            b.permits()
                .release(new GrantAttempt.Id("units", "b", 1), 0)
                .toCompletableFuture()
                .join())
        .isTrue();
    AtomicReference<GrantReply> reply = new AtomicReference<>();
    await()
        .until(
            () -> {
              reply.set(ask(a, units("a", 2, 3)));
              return reply.get().units() > 0;
            });
    assertThat(reply.get().units()).isEqualTo(1);
  }

  @Test
  void unitsAreGivenBackThoughTheNodeHasAnotherName() throws Exception {
    ZooKeeperBackend a = backend(server.getPort(), WIDE);
    assertThat(ask(a, units("a", 5, 5)).units()).isEqualTo(5);
    cutByHand("a", 4);
    assertThat(
            a.permits()
                .release(new GrantAttempt.Id("units", "a", 1), 2)
                .toCompletableFuture()
                .join())
        .isTrue();
    assertThat(node("a")).startsWith("a.1.2.");
    assertThat(
            a.permits()
                .release(new GrantAttempt.Id("units", "a", 1), 0)
                .toCompletableFuture()
                .join())
        .isTrue();
    assertThat(nodes(path + "/sluice/permits/units")).isEmpty();
  }

  @Test
  void unitsAreGivenBackThoughTheRestFollowsAtOnce() {
    ZooKeeperBackend a = backend(server.getPort(), WIDE);
    for (int i = 1; i <= 20; i++) {
      assertThat(ask(a, units("a", i, 5, 5)).units()).isEqualTo(5);
      List<CompletableFuture<Boolean>> freed = new ArrayList<>();
      for (int keep : new int[] {4, 2, 0}) {
        freed.add(
            a.permits().release(new GrantAttempt.Id("units", "a", i), keep).toCompletableFuture());
      }
      assertThat(freed).allMatch(CompletableFuture::join);
    }
  }

  @Test
  void twoWhoSettleANumberAtOnceBothHaveAnEffect() {
    ZooKeeperBackend a = backend(server.getPort(), WIDE);
    ZooKeeperBackend b = backend(server.getPort(), WIDE);
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Integer> three =
          a.permits().resize().orElseThrow().resize("r" + i, 3).toCompletableFuture();
      CompletableFuture<Integer> four =
          b.permits().resize().orElseThrow().resize("r" + i, 4).toCompletableFuture();
      assertThat(List.of(three.join(), four.join()))
          .as("one finds nothing, the other what the first left")
          .isIn(List.of(0, 3), List.of(4, 0));
    }
  }

  @Test
  void delayedReleaseHasANameThatNoOtherHas() throws Exception {
    Sluice client = client();
    Lease lease = take(client, LONG);
    assertThat(client.lock(lease.name()).releaseAfter(lease, Duration.ofMinutes(1))).isTrue();
    assertThat(hand.getChildren().forPath(path + "/sluice/locks/seat"))
        .singleElement()
        .asString()
        .startsWith("-." + lease.token() / Nodes.TOKENS + ".1.");
  }

  /** Two hundred times, the node is deleted after its claim was first and before that is known. */
  @Test
  void claimIsNotGrantedOnceItsNodeIsGone() {
    TcpProxy line = line();
    GrantBackend direct = backend(server.getPort(), WIDE).locks();
    GrantBackend slow = backend(line.port(), WIDE).locks();
    Queue<LockMessage> heard = new ConcurrentLinkedQueue<>();
    slow.listen("w", heard::add).toCompletableFuture().join();
    for (int attempt = 1; attempt <= 400; attempt += 2) {
      assertThat(ask(direct, "h", attempt).join()).isInstanceOf(GrantReply.Granted.class);
      assertThat(ask(slow, "w", attempt).join()).isInstanceOf(GrantReply.Queued.class);
      heard.clear();
      direct.release(new GrantAttempt.Id("race", "h", attempt), 0).toCompletableFuture().join();
      await().pollInterval(Duration.ofMillis(1)).until(() -> !heard.isEmpty());

      line.holdReplies(true);
      CompletableFuture<GrantReply> asked = ask(slow, "w", attempt);
      ForcedRelease forced =
          direct.force().orElseThrow().force("race", 0).toCompletableFuture().join().orElseThrow();
      line.holdReplies(false);
      assertThat(forced.holder().client()).isEqualTo("w");
      assertThat(asked.join()).isInstanceOf(GrantReply.Over.class);

      GrantReply next = ask(slow, "w", attempt + 1).join();
      assertThat(next)
          .isInstanceOfSatisfying(
              GrantReply.Granted.class,
              granted -> assertThat(granted.token()).isGreaterThan(forced.fence()));
      slow.release(new GrantAttempt.Id("race", "w", attempt + 1), 0).toCompletableFuture().join();
    }
  }

  private static CompletableFuture<GrantReply> ask(
      GrantBackend backend, String client, long attempt) {
    return backend
        .acquire(new GrantRequest("race", client, attempt, 30_000_000, 1, true))
        .toCompletableFuture();
  }

  /** One per cent of it is longer than what a session is certain for. */
  @Test
  void leaseOfADayIsGranted() {
    Sluice a = client();
    Lease lease = take(a, LockOptions.fixed(Duration.ofDays(1)));

    assertThat(lease.renew(Duration.ofDays(1))).isTrue();
    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    lease.release();
  }

  @Test
  void foldersAreRemovedWhenTheyAreEmpty() {
    Sluice a = client();
    take(a, LONG).release();
    a.semaphore("permits", 3, LONG).tryAcquire().orElseThrow().release();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> hand.checkExists().forPath(path + "/sluice") == null);
    take(a, LONG).release(); // and made again
  }

  @Test
  void uncontendedPairCostsThreeRequests() throws Exception {
    keepFolder("seat"); // the more time this takes, the more often it would be removed
    Sluice a = client();
    take(a, LONG).release();
    long before = Servers.requests(server.getPort());
    int pairs = 300;
    for (int i = 0; i < pairs; i++) {
      a.lock("seat", LONG).tryAcquire().orElseThrow().release();
    }
    long requests = Servers.requests(server.getPort()) - before;
    // what else there is: pings
    assertThat(requests).isBetween(3L * pairs, 3L * pairs + 40);
  }

  /** Curator: 20.9 requests for each hand-over among 2 x 8 threads, since all its threads wake. */
  @Test
  void turnsOfManyThreadsCostLessThanARequestEach() throws Exception {
    int threads = 8;
    int rounds = 100;
    List<Thread> all = new ArrayList<>();
    AtomicInteger turns = new AtomicInteger();
    Sluice[] clients = {client(), client()};
    LockOptions byTurns = LONG.handOff(LONG.handOffTurns(), Duration.ofDays(1)); // not by the clock
    Lease first = take(clients[0], LONG);
    long before = Servers.requests(server.getPort());
    for (Sluice client : clients) {
      AtomicInteger left = new AtomicInteger(threads * rounds); // so that no thread is left alone
      List<Thread> ofClient = new CopyOnWriteArrayList<>();
      for (int t = 0; t < threads; t++) {
        Thread thread =
            new Thread(
                () -> {
                  while (left.getAndDecrement() > 0) {
                    try (Lease lease =
                        client.lock("seat", byTurns).acquire(Duration.ofMinutes(1))) {
                      lease.checkHeld();
                      turns.incrementAndGet();
                      while (ofClient.stream().anyMatch(this::runs)
                          && ofClient.stream().noneMatch(this::waits)) {
                        Thread.yield();
                      }
                    } catch (InterruptedException e) {
                      return;
                    }
                  }
                });
        thread.setDaemon(true);
        ofClient.add(thread);
      }
      ofClient.forEach(Thread::start);
      all.addAll(ofClient);
    }
    // a thread that were alone would pay three requests for each turn
    await().until(() -> all.stream().allMatch(this::waits));
    first.release();
    for (Thread thread : all) {
      thread.join(60_000);
    }
    assertThat(turns).hasValue(2 * threads * rounds);
    assertThat(Servers.requests(server.getPort()) - before).isLessThan(2L * threads * rounds / 10);
  }

  private boolean waits(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING;
  }

  /** Whether another thread is on its way to the lock. */
  private boolean runs(Thread thread) {
    return thread != Thread.currentThread() && thread.isAlive() && !waits(thread);
  }
}
