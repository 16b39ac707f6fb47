package dev.sluice.zookeeper;

import static java.util.Objects.requireNonNull;

import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.Namespace;
import dev.sluice.zookeeper.nodes.Folders;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link ZooKeeperBackend}: where to connect to, and how. Not safe for use by several
 * threads.
 *
 * @since 0.1
 */
public final class ZooKeeperBackendBuilder {
  /** The session timeout, after which the servers release the locks of a dead process. */
  static final Duration SESSION = Duration.ofSeconds(10);

  private @Nullable String uri;
  private @Nullable CuratorFramework client;
  private @Nullable String chroot;
  private @Nullable String namespace;
  private @Nullable String user;
  private @Nullable String password;
  private @Nullable List<ACL> acl;
  private @Nullable ZKClientConfig driver;
  private @Nullable Duration sessionTimeout;
  private Duration requestTimeout = Duration.ofSeconds(2);

  ZooKeeperBackendBuilder() {}

  /**
   * Connects by URI.
   *
   * @param uri {@code zookeeper://[user:password@]host[:port],host[:port][/chroot]}, with {@code
   *     ?sessionTimeout=10s}, {@code tls=true}, {@code ca=FILE}, {@code identity=FILE} and {@code
   *     namespace=shop-staging}
   * @return this
   */
  public ZooKeeperBackendBuilder uri(String uri) {
    this.uri = requireNonNull(uri, "uri must not be null");
    return this;
  }

  /**
   * Connects through a started client of the application, and leaves it open. Its namespace, its
   * session timeout and its user are used.
   *
   * @param client the application's client
   * @return this
   */
  public ZooKeeperBackendBuilder client(CuratorFramework client) {
    this.client = requireNonNull(client, "client must not be null");
    return this;
  }

  /**
   * The path of all nodes (default: the root of the tree). It comes before what a URI says.
   *
   * @param chroot "/" and names, or nothing
   * @return this
   */
  public ZooKeeperBackendBuilder chroot(String chroot) {
    this.chroot = ZooKeeperUri.checkChroot(requireNonNull(chroot, "chroot must not be null"));
    return this;
  }

  /**
   * Separates this backend from other data below the path: in the namespace {@code shop-staging},
   * its nodes are below {@code sluice-shop-staging} in place of {@code sluice}. The namespace of a
   * client is another thing: it is a part of the path.
   *
   * @param namespace 1 to 32 lowercase letters, digits and hyphens; comes before what a URI says
   * @return this
   * @throws IllegalArgumentException if it breaks the rule
   */
  public ZooKeeperBackendBuilder namespace(String namespace) {
    this.namespace = Namespace.check(namespace);
    return this;
  }

  /**
   * Sets the user of this backend, by digest. Only that user may then access the nodes, unless
   * {@link #acl} is set. It takes precedence over a URI. A client of the application has its own
   * user.
   *
   * @param user its name, without a colon
   * @param password its password
   * @return this
   */
  public ZooKeeperBackendBuilder credentials(String user, String password) {
    if (requireNonNull(user, "user must not be null").isEmpty() || user.indexOf(':') >= 0) {
      throw new IllegalArgumentException("user must not be empty or have a colon");
    }
    this.user = user;
    this.password = requireNonNull(password, "password must not be null");
    return this;
  }

  /**
   * The access rights of the nodes that are created. Without it, everybody everything, or with
   * {@link #credentials} the creator everything and others nothing.
   *
   * @param acl at least one entry
   * @return this
   */
  public ZooKeeperBackendBuilder acl(List<ACL> acl) {
    if (acl.isEmpty()) {
      throw new IllegalArgumentException("acl must not be empty");
    }
    this.acl = List.copyOf(acl);
    return this;
  }

  /**
   * Settings of the driver, such as those of TLS. They are used in place of {@code tls}, {@code ca}
   * and {@code identity} of a URI, and must contain a setting for each that is given there.
   *
   * @param driver the driver's own settings
   * @return this
   */
  public ZooKeeperBackendBuilder driver(ZKClientConfig driver) {
    this.driver = requireNonNull(driver, "driver must not be null");
    return this;
  }

  /**
   * The session timeout (default: 10 s). The servers release the locks of a dead process after it.
   * A disconnected holder keeps its leases for at most twice this time. The servers have their own
   * bounds, as a rule 2 and 20 of their ticks. It comes before what a URI says.
   *
   * @param timeout 100 ms to 10 minutes
   * @return this
   */
  public ZooKeeperBackendBuilder sessionTimeout(Duration timeout) {
    this.sessionTimeout = checkSession(timeout);
    return this;
  }

  private static Duration checkSession(Duration timeout) {
    if (timeout.compareTo(Duration.ofMillis(100)) < 0
        || timeout.compareTo(Duration.ofMinutes(10)) > 0) {
      throw new IllegalArgumentException("sessionTimeout must be 100ms to 10min: " + timeout);
    }
    return timeout;
  }

  /**
   * Bounds each request (default: 2 s).
   *
   * @param longest 1 ms to one day
   * @return this
   */
  public ZooKeeperBackendBuilder requestTimeout(Duration longest) {
    this.requestTimeout = new BackendSettings(longest).requestTimeout();
    return this;
  }

  /**
   * Connects.
   *
   * @return an open backend
   * @throws IllegalStateException unless exactly one of uri and client was given
   * @throws IllegalArgumentException if the URI does not make sense, or says something of TLS that
   *     the settings of the driver leave out; the message hides passwords
   * @throws dev.sluice.BackendException if no ZooKeeper answers there, or not to us
   */
  public ZooKeeperBackend build() {
    if ((uri == null) == (client == null)) {
      throw new IllegalStateException("exactly one of uri and client must be set");
    }
    if (client != null) {
      return ZooKeeperBackend.over(
          client,
          false,
          "ZooKeeper at "
              + client.getZookeeperClient().getCurrentConnectionString()
              + Namespace.suffix(namespace),
          new Folders(pathOf(client) + (chroot == null ? "" : chroot), namespace),
          acl == null ? ZooDefs.Ids.OPEN_ACL_UNSAFE : acl,
          null,
          requestTimeout);
    }
    ZooKeeperUri place = ZooKeeperUri.parse(requireNonNull(uri));
    String path = chroot == null ? place.chroot() : chroot;
    String named = namespace == null ? place.namespace() : namespace;
    String who = user == null ? place.user() : user;
    String secret = user == null ? place.password() : password;
    boolean known = who != null;
    List<ACL> rights = known ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
    Duration session = sessionTimeout;
    if (session == null) {
      session = place.sessionTimeout() == null ? SESSION : checkSession(place.sessionTimeout());
    }
    return ZooKeeperBackend.over(
        connect(place, session, who, secret),
        true,
        "ZooKeeper at "
            + place.servers()
            + path
            + (place.tls() ? " with TLS" : "")
            + Namespace.suffix(named),
        new Folders(path, named),
        acl == null ? rights : acl,
        session,
        requestTimeout);
  }

  private static String pathOf(CuratorFramework client) {
    String first = client.getNamespace();
    return first == null || first.isEmpty() ? "" : "/" + first;
  }

  private CuratorFramework connect(
      ZooKeeperUri place, Duration session, @Nullable String who, @Nullable String secret) {
    CuratorFrameworkFactory.Builder curator =
        CuratorFrameworkFactory.builder()
            .connectString(place.servers())
            .sessionTimeoutMs(Math.toIntExact(session.toMillis()))
            .connectionTimeoutMs(Math.toIntExact(Math.min(requestTimeout.toMillis(), 60_000)) + 1)
            .retryPolicy(new ExponentialBackoffRetry(100, 3))
            .ensembleTracker(false)
            .zkClientConfig(driver == null ? driverOf(place) : checkDriver(driver, place))
            .threadFactory(
                task -> {
                  Thread thread = new Thread(task, "sluice-curator");
                  thread.setDaemon(true);
                  return thread;
                });
    if (who != null) {
      byte[] auth = (who + ":" + secret).getBytes(StandardCharsets.UTF_8);
      curator.authorization(List.of(new AuthInfo("digest", auth)));
    }
    CuratorFramework started = curator.build();
    started.start();
    return started;
  }

  private static ZKClientConfig driverOf(ZooKeeperUri place) {
    ZKClientConfig driver = new ZKClientConfig();
    driver.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    if (!place.tls()) {
      return driver;
    }
    driver.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
    driver.setProperty(
        ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
    // a certificate has to name the host of the URI, not what the DNS calls its address
    try (ClientX509Util names = new ClientX509Util()) {
      driver.setProperty(names.getSslAllowReverseDnsLookupProperty(), "false");
    }
    pem(driver, "trustStore", place.authorities());
    pem(driver, "keyStore", place.identity());
    return driver;
  }

  private static ZKClientConfig checkDriver(ZKClientConfig driver, ZooKeeperUri place) {
    if (place.tls() && !driver.getBoolean(ZKClientConfig.SECURE_CLIENT)) {
      throw leftOut("tls=true", ZKClientConfig.SECURE_CLIENT);
    }
    ZKClientConfig asked = driverOf(place);
    for (String store : List.of("trustStore", "keyStore")) {
      String key = "zookeeper.ssl." + store + ".location";
      if (asked.getProperty(key) != null && driver.getProperty(key) == null) {
        throw leftOut(store.equals("keyStore") ? "identity" : "ca", key);
      }
    }
    return driver;
  }

  private static IllegalArgumentException leftOut(String part, String key) {
    return new IllegalArgumentException(
        "the URI sets " + part + ", and the driver's settings override it without " + key);
  }

  private static void pem(ZKClientConfig driver, String store, @Nullable File file) {
    if (file != null) {
      driver.setProperty("zookeeper.ssl." + store + ".location", file.getPath());
      driver.setProperty("zookeeper.ssl." + store + ".type", "PEM");
    }
  }
}
