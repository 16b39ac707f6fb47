package dev.sluice.spring.store;

import dev.sluice.BackendException;
import dev.sluice.redis.RedisBackend;
import dev.sluice.redis.RedisBackendBuilder;
import dev.sluice.spi.Backend;
import dev.sluice.spring.SluiceProperties;
import dev.sluice.spring.internal.SettingException;
import dev.sluice.spring.internal.SluiceStartException;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.util.StringUtils;

/**
 * Opens the Redis of the application's connection details: the same address, user, password and
 * certificates, over separate connections. Requests of locks must not wait behind others, and are
 * never resent by the driver.
 */
final class RedisStore {
  private final DataRedisConnectionDetails details;
  private final boolean tls;
  private final @Nullable RedisCredentialsProvider credentials;

  /**
   * @param tls whether it is TLS also where the details have no bundle: by the JVM's certificates
   * @param credentials provides user and password instead of the details; null if there is none
   */
  RedisStore(
      DataRedisConnectionDetails details,
      boolean tls,
      @Nullable RedisCredentialsProvider credentials) {
    this.details = details;
    this.tls = tls || details.getSslBundle() != null;
    this.credentials = credentials;
  }

  /**
   * Connects.
   *
   * @throws SluiceStartException if that fails
   * @throws SettingException if the namespace breaks its rule
   */
  Backend open(SluiceProperties properties) {
    RedisBackendBuilder builder = RedisBackend.builder();
    String namespace = properties.namespace();
    if (namespace != null) {
      SettingException.at("sluice.namespace", () -> builder.namespace(namespace));
    }
    try {
      builder.requestTimeout(properties.requestTimeout());
      SslBundle bundle = details.getSslBundle();
      if (bundle != null) {
        builder.tls(options(bundle));
      }
      return at(builder).build();
    } catch (IllegalArgumentException | BackendException e) {
      throw SluiceStartException.ofRedis(e);
    }
  }

  private RedisBackendBuilder at(RedisBackendBuilder builder) {
    if (details.getMasterReplica() != null) {
      throw new IllegalArgumentException(
          "spring.data.redis.masterreplica names servers without naming the master:"
              + " set sluice.url to the master's");
    }
    DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
    if (sentinel != null) {
      return builder.server(master(sentinel));
    }
    DataRedisConnectionDetails.Cluster cluster = details.getCluster();
    if (cluster != null) {
      return builder.clusterServers(
          cluster.getNodes().stream().map(node -> ours(node).build()).toList());
    }
    DataRedisConnectionDetails.Standalone one = details.getStandalone();
    if (one == null) {
      throw new IllegalArgumentException("the connection details of Redis name no server");
    }
    return builder.server(
        ours(new Node(one.getHost(), one.getPort())).withDatabase(one.getDatabase()).build());
  }

  private RedisURI master(DataRedisConnectionDetails.Sentinel sentinel) {
    RedisURI.Builder master = RedisURI.builder().withSentinelMasterId(sentinel.getMaster());
    for (Node node : sentinel.getNodes()) {
      master.withSentinel(
          with(sentinel.getUsername(), sentinel.getPassword(), place(node)).build());
    }
    return authenticated(master).withDatabase(sentinel.getDatabase()).withSsl(tls).build();
  }

  private RedisURI.Builder ours(Node node) {
    return authenticated(place(node));
  }

  private RedisURI.Builder authenticated(RedisURI.Builder server) {
    return credentials == null
        ? with(details.getUsername(), details.getPassword(), server)
        : server.withAuthentication(credentials);
  }

  private RedisURI.Builder place(Node node) {
    return RedisURI.builder().withHost(node.host()).withPort(node.port()).withSsl(tls);
  }

  private static RedisURI.Builder with(
      @Nullable String user, @Nullable String password, RedisURI.Builder server) {
    if (!StringUtils.hasLength(password)) {
      return server;
    }
    CharSequence secret = password;
    return StringUtils.hasText(user)
        ? server.withAuthentication(user, secret)
        : server.withPassword(secret);
  }

  private static SslOptions options(SslBundle bundle) {
    SslManagerBundle managers = bundle.getManagers();
    SslOptions.Builder options =
        SslOptions.builder()
            .jdkSslProvider()
            .keyManager(managers.getKeyManagerFactory())
            .trustManager(managers.getTrustManagerFactory());
    String[] ciphers = bundle.getOptions().getCiphers();
    if (ciphers != null) {
      options.cipherSuites(ciphers);
    }
    String[] protocols = bundle.getOptions().getEnabledProtocols();
    if (protocols != null) {
      options.protocols(protocols);
    }
    return options.build();
  }
}
