package dev.sluice.zookeeper.nodes;

import dev.sluice.BackendException;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/** The current session, and whether its connection is open. Safe for use by many threads. */
public final class Link implements ConnectionStateListener {

  /** A listener for sessions. It must not block. */
  interface SessionListener {
    /** It is unknown until the servers answer again whether the session has ended. */
    void suspended();

    void lost(Session session);
  }

  private static final System.Logger LOG = System.getLogger("dev.sluice.zookeeper");

  private final String describe;
  private final CuratorFramework client;
  private final List<ACL> acl;
  private final List<SessionListener> listeners = new ArrayList<>();
  private volatile @Nullable Session current;
  private volatile boolean connected;

  public Link(String describe, CuratorFramework client, List<ACL> acl) {
    this.describe = describe;
    this.client = client;
    this.acl = acl;
  }

  String describe() {
    return describe;
  }

  /** Called before {@link #open}. */
  void addListener(SessionListener listener) {
    listeners.add(listener);
  }

  public void open() {
    client.getConnectionStateListenable().addListener(this);
    connected = client.getZookeeperClient().isConnected();
    session();
  }

  public void close() {
    client.getConnectionStateListenable().removeListener(this);
  }

  /** Called by the timer. */
  public void beat() {
    Session known = current;
    if (known != null) {
      known.beat(System.nanoTime());
    }
  }

  boolean isConnected() {
    return connected;
  }

  /**
   * The present session.
   *
   * @throws BackendException if there is none
   */
  public Session session() {
    Session known = current;
    return known != null && !known.isLost() ? known : adopt();
  }

  private Session adopt() {
    ZooKeeper handle;
    try {
      handle = client.getZookeeperClient().getZooKeeper();
    } catch (Exception e) {
      throw new BackendException(describe + " cannot be reached", e);
    }
    Session ended = null;
    Session present;
    synchronized (this) {
      Session known = current;
      if (known != null && known.is(handle)) {
        if (known.isLost()) {
          throw new BackendException(describe + ": the session has ended", null);
        }
        return known;
      }
      ended = known;
      Session[] self = new Session[1];
      present =
          new Session(handle, acl, () -> listeners.forEach(listener -> listener.lost(self[0])));
      self[0] = present;
      current = present;
    }
    if (ended != null) {
      ended.lose();
    }
    return present;
  }

  @Override
  public void stateChanged(CuratorFramework from, ConnectionState state) {
    switch (state) {
      case CONNECTED, RECONNECTED -> {
        connected = true;
        try {
          adopt();
        } catch (BackendException e) {
          LOG.log(System.Logger.Level.DEBUG, "the next request retries", e);
        }
      }
      case SUSPENDED, READ_ONLY -> {
        connected = false;
        listeners.forEach(SessionListener::suspended);
      }
      case LOST -> {
        connected = false;
        Session known = current;
        if (known != null && !known.isOpen()) { // else it is a later one already
          known.lose();
        }
      }
    }
  }
}
