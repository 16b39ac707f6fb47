package dev.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.ForeignDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.servers.TcpProxy;
import dev.sluice.testkit.guard.Guards;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;

class ZooKeeperGuardContractIT implements Guards {
  private static final AtomicInteger PATHS = new AtomicInteger();

  private final CuratorFramework client = SharedServers.hand();
  private final String path = "/guard" + PATHS.incrementAndGet();
  private final ZooKeeperGuard guard = ZooKeeperGuard.create(client, path + "/guards");

  @Override
  public Guard guard() {
    return guard;
  }

  @Override
  public Register register() {
    String node = path + "/register";
    return new Register() {
      @Override
      public long read(FencingToken token) {
        guard.advance("register", token);
        try {
          return ByteBuffer.wrap(client.getData().forPath(node)).getLong();
        } catch (KeeperException.NoNodeException e) {
          return 0;
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }

      @Override
      public void write(FencingToken token, long value) {
        byte[] bytes = ByteBuffer.allocate(8).putLong(value).array();
        try {
          Op change =
              client.checkExists().forPath(node) == null
                  ? Op.create(node, bytes, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)
                  : Op.setData(node, bytes, -1);
          guard.multi("register", token, List.of(change));
        } catch (StaleTokenException e) {
          throw e;
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
    };
  }

  private static FencingToken token(long value) {
    return new FencingToken(value, "a." + value);
  }

  @Test
  void transactionIsAllOrNothing() throws Exception {
    String one = path + "/one";
    guard.advance("r", token(5));
    List<Op> twice =
        List.of(
            Op.create(one, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
            Op.create(one, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));

    assertThatThrownBy(() -> guard.multi("r", token(6), twice))
        .isInstanceOf(KeeperException.NodeExistsException.class);
    assertThat(client.checkExists().forPath(one)).isNull();
    guard.check("r", token(5)); // nor was the guard raised
    assertThatThrownBy(() -> guard.multi("r", token(4), twice.subList(0, 1)))
        .isInstanceOf(StaleTokenException.class);
    assertThat(client.checkExists().forPath(one)).isNull();
    assertThat(guard.multi("r", token(6), twice.subList(0, 1))).hasSize(1);
    assertThat(client.checkExists().forPath(one)).isNotNull();
    assertThatThrownBy(() -> guard.check("r", token(5))).isInstanceOf(StaleTokenException.class);
  }

  /** Interrupted when the transaction is on its way and its answer is held back. */
  @Test
  void transactionThatWasInterruptedMayHaveBeenMade() throws Exception {
    String one = path + "/one";
    Thread caller = Thread.currentThread();
    AtomicReference<TcpProxy> line = new AtomicReference<>();
    TcpProxy.Filter interruptsTheTransaction =
        (bytes, count, out) -> {
          if (new String(bytes, 0, count, StandardCharsets.ISO_8859_1).contains(one)) {
            line.get().holdReplies(true);
            caller.interrupt();
          }
          out.write(bytes, 0, count);
        };
    try (TcpProxy proxy = new TcpProxy(SharedServers.port(), () -> interruptsTheTransaction)) {
      line.set(proxy);
      try (CuratorFramework slow = SharedServers.hand("127.0.0.1:" + proxy.port())) {
        ZooKeeperGuard other = ZooKeeperGuard.create(slow, path + "/guards");
        other.advance("r", token(5));

        assertThatThrownBy(
                () ->
                    other.multi(
                        "r",
                        token(6),
                        List.of(
                            Op.create(
                                one, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT))))
            .isInstanceOf(OutcomeUnknownException.class)
            .hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
        await().until(() -> client.checkExists().forPath(one) != null);
        assertThatThrownBy(() -> guard.check("r", token(5)))
            .isInstanceOf(StaleTokenException.class);
        proxy.holdReplies(false);
      }
    }
  }

  @Test
  void namespaceOfTheClientHoldsForTheGuardsNode() throws Exception {
    CuratorFramework named = client.usingNamespace(path.substring(1));
    ZooKeeperGuard other = ZooKeeperGuard.create(named, "/named");
    String one = path + "/one";
    other.multi(
        "r",
        token(7),
        List.of(Op.create(one, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
    other.multi("r", token(7), List.of(Op.delete(one, -1)));

    other.check("r", token(7));
    assertThat(client.getData().forPath(path + "/named/r")).asString().isEqualTo("7:a.7");
  }

  @Test
  void rightsAreThoseOfTheFoldersToo() throws Exception {
    List<ACL> acl =
        List.of(
            new ACL(Perms.ALL, Ids.ANYONE_ID_UNSAFE),
            new ACL(Perms.READ, new Id("ip", "127.0.0.1")));
    ZooKeeperGuard.create(client, path + "/a/b", acl).advance("r", token(1));
    ZooKeeperGuard.create(client, path + "/c/d", acl)
        .multi("r", token(1), List.of(Op.check(path, -1)));
    for (String made : List.of("/a", "/a/b", "/a/b/r", "/c", "/c/d", "/c/d/r")) {
      assertThat(client.getACL().forPath(path + made)).as(made).containsExactlyElementsOf(acl);
    }
  }

  /** The server that is asked may lag behind: a transaction is sure of what it sees. */
  @Test
  void sameTokenIsAskedOfTheLeaderToo() throws Exception {
    guard.advance("r", token(5));
    int version = client.checkExists().forPath(path + "/guards/r").getVersion();
    guard.advance("r", token(5));
    assertThat(client.checkExists().forPath(path + "/guards/r").getVersion())
        .isEqualTo(version + 1);
  }

  @Test
  void transactionThatTheUserMayNotMakeIsRefusedAtOnce() throws Exception {
    String node = path + "/guards/r";
    client
        .create()
        .creatingParentsIfNeeded()
        .withACL(Ids.READ_ACL_UNSAFE)
        .forPath(node, "5:a.5".getBytes(StandardCharsets.US_ASCII));
    List<Op> change = List.of(Op.check(path, -1));
    assertThatThrownBy(() -> guard.multi("r", token(6), change))
        .isInstanceOf(KeeperException.NoAuthException.class);
  }

  @Test
  void foreignDataIsReportedAndLeftAsItIs() throws Exception {
    String node = path + "/guards/mine";
    client.create().creatingParentsIfNeeded().forPath(node, new byte[] {1, 2});

    assertThatThrownBy(() -> guard.advance("mine", token(1)))
        .isInstanceOf(ForeignDataException.class)
        .hasMessageContaining(node);
    assertThat(client.getData().forPath(node)).containsExactly(1, 2);
  }

  @Test
  void badPathsAreMisuse() {
    for (String bad : new String[] {"", "guards", "/", "/a//b", "/a/../b", "/zookeeper/x"}) {
      assertThatThrownBy(() -> ZooKeeperGuard.create(client, bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
