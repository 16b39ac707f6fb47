package dev.sluice.bench.systems;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's mutex, with the settings of its documentation. */
final class CuratorSystem implements LockSystem {
  private final CuratorFramework client;

  CuratorSystem(String uri) {
    this.client =
        CuratorFrameworkFactory.newClient(
            RawZooKeeper.hosts(uri), new ExponentialBackoffRetry(1000, 3));
    client.start();
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    InterProcessMutex lock = new InterProcessMutex(client, "/curator/" + name);
    return new Mutex() {
      @Override
      public void acquire() throws Exception {
        lock.acquire();
      }

      @Override
      public void release() throws Exception {
        lock.release();
      }
    };
  }

  @Override
  public void close() {
    client.close();
  }
}
