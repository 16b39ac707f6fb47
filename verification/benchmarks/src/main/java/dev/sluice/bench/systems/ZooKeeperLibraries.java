package dev.sluice.bench.systems;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** A peer and a floor on ZooKeeper. */
final class ZooKeeperLibraries {
  private static final int SESSION_MILLIS = 30_000;
  private static final byte[] NOTHING = {};

  private ZooKeeperLibraries() {}

  private static String hosts(String uri) {
    return uri.substring("zookeeper://".length());
  }

  /** Curator's mutex, with the settings of its documentation. */
  static Library curator(String uri) {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(hosts(uri), new ExponentialBackoffRetry(1000, 3));
    client.start();
    return Library.ofLocks(
        name -> {
          InterProcessMutex lock = new InterProcessMutex(client, "/curator/" + name);
          return Mutex.of(lock::acquire, lock::release);
        });
  }

  /**
   * The least that a lock on ZooKeeper can cost: three requests, two of them sent together, and no
   * waiting. The lock must be uncontended.
   */
  static Library floor(String uri) throws IOException, InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper client =
        new ZooKeeper(
            hosts(uri),
            SESSION_MILLIS,
            event -> {
              if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    if (!connected.await(SESSION_MILLIS, TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("no session at " + uri);
    }
    return Library.ofLocks(
        name -> {
          String folder = "/raw-" + name.replace('/', '-');
          try {
            client.create(folder, NOTHING, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
          } catch (KeeperException | InterruptedException e) {
            throw new IllegalStateException(folder, e);
          }
          String[] own = {""};
          return Mutex.of(() -> own[0] = create(client, folder), () -> client.delete(own[0], -1));
        });
  }

  private static String create(ZooKeeper client, String folder) throws Exception {
    CompletableFuture<String> created = new CompletableFuture<>();
    CompletableFuture<List<String>> listed = new CompletableFuture<>();
    AsyncCallback.StringCallback onCreated =
        (code, path, context, made) -> complete(created, code, path, made);
    AsyncCallback.ChildrenCallback onListed =
        (code, path, context, children) -> complete(listed, code, path, children);
    client.create(
        folder + "/n-",
        NOTHING,
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.EPHEMERAL_SEQUENTIAL,
        onCreated,
        null);
    client.getChildren(folder, false, onListed, null);
    String own = created.get(1, TimeUnit.MINUTES);
    List<String> children = listed.get(1, TimeUnit.MINUTES);
    if (children.size() != 1 || !own.endsWith(children.get(0))) {
      throw new IllegalStateException(own + " is not alone among " + children);
    }
    return own;
  }

  private static <T> void complete(CompletableFuture<T> future, int code, String path, T value) {
    if (code == KeeperException.Code.OK.intValue()) {
      future.complete(value);
    } else {
      future.completeExceptionally(KeeperException.create(KeeperException.Code.get(code), path));
    }
  }
}
