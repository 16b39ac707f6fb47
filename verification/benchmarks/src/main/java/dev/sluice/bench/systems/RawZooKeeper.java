package dev.sluice.bench.systems;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * The least that a lock on ZooKeeper can cost: three requests, two of them sent together, and no
 * waiting. Nobody else may want the lock.
 */
final class RawZooKeeper implements LockSystem {
  private static final int SESSION_MILLIS = 30_000;
  private static final byte[] NOTHING = {};

  private final ZooKeeper client;

  RawZooKeeper(String uri) {
    CountDownLatch connected = new CountDownLatch(1);
    try {
      this.client =
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
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** The hosts in {@code zookeeper://hosts}. */
  static String hosts(String uri) {
    return uri.substring("zookeeper://".length());
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    String folder = "/raw-" + name.replace('/', '-');
    try {
      client.create(folder, NOTHING, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException e) {
      throw new IllegalStateException(folder, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    return new RawMutex(folder);
  }

  @Override
  public void close() {
    try {
      client.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class RawMutex implements Mutex {
    private final String folder;
    private String own = "";

    RawMutex(String folder) {
      this.folder = folder;
    }

    @Override
    public void acquire() throws Exception {
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
      own = created.get(1, TimeUnit.MINUTES);
      List<String> children = listed.get(1, TimeUnit.MINUTES);
      if (children.size() != 1 || !own.endsWith(children.get(0))) {
        throw new IllegalStateException(own + " is not alone among " + children);
      }
    }

    @Override
    public void release() throws Exception {
      client.delete(own, -1);
    }
  }

  private static <T> void complete(CompletableFuture<T> future, int code, String path, T value) {
    if (code == KeeperException.Code.OK.intValue()) {
      future.complete(value);
    } else {
      future.completeExceptionally(KeeperException.create(KeeperException.Code.get(code), path));
    }
  }
}
