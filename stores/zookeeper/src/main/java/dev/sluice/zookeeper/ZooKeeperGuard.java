package dev.sluice.zookeeper;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.ForeignDataException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.GuardRule;
import dev.sluice.guard.GuardStats;
import dev.sluice.lock.Lease;
import dev.sluice.text.Names;
import dev.sluice.zookeeper.nodes.KeeperFailures;
import dev.sluice.zookeeper.nodes.Nodes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A guard for data in ZooKeeper: the highest token and its attempt are in a node of the resource,
 * {@code <path>/<resource>}, as {@code token:attempt}. {@link #multi} changes the nodes of the
 * resource in one transaction with the check. {@link #advance} and {@link #check} by themselves are
 * separate steps: what is read after {@link #advance} may be relied on, because no holder of a
 * lower token can change it any more.
 *
 * <p>The nodes of the guard stay until they are deleted. If a node is deleted, the guard no longer
 * knows its highest token. Calls block for two round trips as a rule. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class ZooKeeperGuard implements Guard {
  /** The number of retries after concurrent writes. */
  private static final int MAX_TRIES = 1000;

  private final CuratorFramework client;
  private final String path;
  private final List<ACL> acl;
  private final GuardRule rule = new GuardRule();

  private ZooKeeperGuard(CuratorFramework client, String path, List<ACL> acl) {
    this.client = client;
    this.path = path;
    this.acl = List.copyOf(acl);
  }

  /**
   * A guard over a client of the application; every client may read and write its nodes.
   *
   * @param client started; stays open
   * @param path where the nodes of the guard are, "/" and names; made where it is missing
   * @return the guard
   * @throws IllegalArgumentException if the path is none
   */
  public static ZooKeeperGuard create(CuratorFramework client, String path) {
    return create(client, path, ZooDefs.Ids.OPEN_ACL_UNSAFE);
  }

  /**
   * A guard with access rights for the nodes that it creates.
   *
   * @param client started; stays open
   * @param path where the nodes of the guard are, "/" and names; made where it is missing
   * @param acl their permissions; a user that may write one may raise the guard
   * @return the guard
   * @throws IllegalArgumentException if the path is none, or there is no entry in the list
   */
  public static ZooKeeperGuard create(CuratorFramework client, String path, List<ACL> acl) {
    requireNonNull(client, "client must not be null");
    if (path.isEmpty()) {
      throw new IllegalArgumentException("path must not be empty");
    }
    if (acl.isEmpty()) {
      throw new IllegalArgumentException("acl must not be empty");
    }
    return new ZooKeeperGuard(client, ZooKeeperUri.checkChroot(path), acl);
  }

  /** The token that the guard read, and the version of its node: -1 if there is no node. */
  private record Seen(@Nullable FencingToken highest, int version) {}

  private String node(String resource) {
    return path + "/" + Nodes.encode(Names.check("resource", resource));
  }

  @Override
  public void advance(String resource, FencingToken token) {
    requireNonNull(token, "token must not be null");
    String node = node(resource);
    for (int i = 0; i < MAX_TRIES; i++) {
      Seen seen = see(node);
      if (seen.highest != null && !seen.highest.admits(token)) {
        throw rule.refuse(resource, token, seen.highest);
      }
      try {
        raise(node, seen, token); // also to the same: what was seen may be out of date
        rule.admit();
        return;
      } catch (KeeperException.BadVersionException
          | KeeperException.NodeExistsException
          | KeeperException.NoNodeException e) {
        // another was faster: what does it say now?
      } catch (Exception e) {
        throw failed(node, e);
      }
    }
    throw new BackendException(
        "gave up on '" + node + "' after " + MAX_TRIES + " concurrent changes", null);
  }

  private void raise(String node, Seen seen, FencingToken token) throws Exception {
    if (seen.version < 0) {
      client.create().creatingParentsIfNeeded().withACL(acl, true).forPath(node, bytes(token));
    } else {
      client.setData().withVersion(seen.version).forPath(node, bytes(token));
    }
  }

  @Override
  public void check(String resource, FencingToken token) {
    requireNonNull(token, "token must not be null");
    String node = node(resource);
    for (int i = 0; i < MAX_TRIES; i++) {
      Seen seen = see(node);
      if (isLatest(node, seen)) {
        rule.check(resource, token, seen.highest);
        return;
      }
    }
    throw new BackendException(
        "gave up on '" + node + "' after " + MAX_TRIES + " concurrent changes", null);
  }

  /** A server may lag behind the others, but a transaction reads the present state. */
  private boolean isLatest(String node, Seen seen) {
    try {
      int version = Math.max(0, seen.version);
      client
          .transaction()
          .forOperations(client.transactionOp().check().withVersion(version).forPath(node));
      return seen.version >= 0;
    } catch (KeeperException.NoNodeException e) {
      return seen.version < 0;
    } catch (KeeperException.BadVersionException e) {
      return false;
    } catch (Exception e) {
      throw failed(node, e);
    }
  }

  /**
   * Runs {@link #advance} and changes of the resource in one transaction, atomically.
   *
   * @param resource what is changed, 1 to 512 bytes of UTF-8
   * @param token the token of the section
   * @param changes at least one, with whole paths: a namespace of the client is not added
   * @return the results of the changes, in their order
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token; nothing was
   *     changed
   * @throws KeeperException if the servers refused one of the changes; nothing was changed
   * @throws OutcomeUnknownException if the answer was lost: the changes may have been made. They
   *     are not sent again
   * @throws BackendException if the servers did not answer
   */
  public List<OpResult> multi(String resource, FencingToken token, List<Op> changes)
      throws KeeperException {
    requireNonNull(token, "token must not be null");
    if (changes.isEmpty()) {
      throw new IllegalArgumentException("changes must not be empty");
    }
    String node = node(resource);
    for (int i = 0; i < MAX_TRIES; i++) {
      Seen seen = see(node);
      if (seen.highest != null && !seen.highest.admits(token)) {
        throw rule.refuse(resource, token, seen.highest);
      }
      if (seen.version < 0) {
        makeFolder();
      }
      try {
        List<Op> all = new ArrayList<>(changes.size() + 1);
        all.add(first(node, seen, token));
        all.addAll(changes);
        // not by Curator, which would send it again when the answer is lost
        List<OpResult> results = client.getZookeeperClient().getZooKeeper().multi(all);
        rule.admit();
        return results.subList(1, results.size());
      } catch (KeeperException e) {
        if (KeeperFailures.isUnknown(e)) {
          throw failed(node, e);
        }
        if (!isOfTheGuard(e)) {
          throw e;
        }
      } catch (Exception e) {
        throw failed(node, e);
      }
    }
    throw new BackendException(
        "gave up on '" + node + "' after " + MAX_TRIES + " concurrent changes", null);
  }

  /**
   * A guard for the resource that has the name of the lock.
   *
   * @param lease the lease of the section
   * @param changes at least one, with whole paths
   * @return the results of the changes, in their order
   * @throws dev.sluice.guard.StaleTokenException if the guard has seen a higher token; nothing was
   *     changed
   * @throws KeeperException if the servers refused one of the changes; nothing was changed
   */
  public List<OpResult> multi(Lease lease, List<Op> changes) throws KeeperException {
    return multi(lease.name(), FencingToken.of(lease), changes);
  }

  private Op first(String node, Seen seen, FencingToken token) {
    String namespace = client.getNamespace();
    String whole = namespace == null || namespace.isEmpty() ? node : "/" + namespace + node;
    if (seen.version < 0) {
      return Op.create(whole, bytes(token), acl, CreateMode.PERSISTENT);
    }
    return token.equals(seen.highest)
        ? Op.check(whole, seen.version)
        : Op.setData(whole, bytes(token), seen.version);
  }

  /**
   * Returns whether the first operation failed, because another client raised the guard meanwhile.
   */
  private static boolean isOfTheGuard(KeeperException refused) {
    List<OpResult> results = refused.getResults();
    return results != null
        && !results.isEmpty()
        && results.get(0) instanceof OpResult.ErrorResult error
        && error.getErr() == refused.code().intValue()
        && (refused instanceof KeeperException.BadVersionException
            || refused instanceof KeeperException.NodeExistsException
            || refused instanceof KeeperException.NoNodeException);
  }

  private void makeFolder() {
    try {
      client.create().creatingParentsIfNeeded().withACL(acl, true).forPath(path, new byte[0]);
    } catch (KeeperException.NodeExistsException e) {
      // as it should be
    } catch (Exception e) {
      throw failed(path, e);
    }
  }

  private Seen see(String node) {
    try {
      Stat stat = new Stat();
      byte[] data = client.getData().storingStatIn(stat).forPath(node);
      return new Seen(parse(node, data), stat.getVersion());
    } catch (KeeperException.NoNodeException e) {
      return new Seen(null, -1);
    } catch (Exception e) {
      throw failed(node, e);
    }
  }

  private static FencingToken parse(String node, byte[] data) {
    try {
      return FencingToken.parse(new String(data, StandardCharsets.US_ASCII));
    } catch (IllegalArgumentException e) {
      throw new ForeignDataException(
          "'" + node + "' is not a node of a guard: move it elsewhere", e);
    }
  }

  private static byte[] bytes(FencingToken token) {
    return token.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static RuntimeException failed(String node, Exception failure) {
    if (failure instanceof RuntimeException ours) {
      return ours;
    }
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      return new OutcomeUnknownException("interrupted before '" + node + "' was answered", failure);
    }
    return KeeperFailures.isUnknown(failure)
        ? new OutcomeUnknownException(
            "the connection was lost before '" + node + "' was answered", failure)
        : new BackendException("ZooKeeper refused '" + node + "'", failure);
  }

  @Override
  public GuardStats stats() {
    return rule.stats();
  }
}
