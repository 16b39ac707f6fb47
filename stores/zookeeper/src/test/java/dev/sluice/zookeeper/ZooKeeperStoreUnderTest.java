package dev.sluice.zookeeper;

import dev.sluice.spi.Backend;
import dev.sluice.testkit.StoreUnderTest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;

/** A real server under test, each time under a path of its own: its clock is the world's. */
final class ZooKeeperStoreUnderTest implements StoreUnderTest {
  private static final AtomicInteger PATHS = new AtomicInteger();

  private final String servers;
  private final CuratorFramework hand;
  private final String path = "/test" + PATHS.incrementAndGet();

  /**
   * @param servers host:port,host:port
   * @param hand a client that sees all
   */
  ZooKeeperStoreUnderTest(String servers, CuratorFramework hand) {
    this.servers = servers;
    this.hand = hand;
  }

  String uri() {
    return "zookeeper://" + servers + path + "?sessionTimeout=60s";
  }

  String path() {
    return path;
  }

  @Override
  public Backend connect() {
    return ZooKeeperBackend.builder().uri(uri()).requestTimeout(Duration.ofSeconds(20)).build();
  }

  @Override
  public void loseData() {
    try {
      if (hand.checkExists().forPath(path + "/sluice") != null) {
        hand.delete().deletingChildrenIfNeeded().forPath(path + "/sluice");
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public boolean servesWritersFirst() {
    return false;
  }

  @Override
  public boolean growsTickets() {
    return false;
  }

  /** The servers of the tests remove empty containers soon. */
  @Override
  public boolean forgetsInTime(String name) {
    long end = System.nanoTime() + patience().toNanos();
    while (System.nanoTime() - end < 0) {
      try {
        if (hand.checkExists().forPath(path + "/sluice") == null) {
          return true;
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      LockSupport.parkNanos(20_000_000);
    }
    return false;
  }

  @Override
  public void close() {
    try {
      if (hand.checkExists().forPath(path) != null) {
        hand.delete().deletingChildrenIfNeeded().forPath(path);
      }
    } catch (KeeperException.NoNodeException e) {
      // the server was faster
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
