/** Sluice on Redis and Valkey: one server, Sentinel, Cluster, or several independent servers. */
module dev.sluice.redis {
  requires transitive dev.sluice.core;
  requires transitive lettuce.core;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.resolver;
  requires io.netty.resolver.dns;
  requires io.netty.transport;
  requires static org.jspecify;

  exports dev.sluice.redis;

  provides dev.sluice.spi.BackendProvider with
      dev.sluice.redis.RedisBackendProvider;
}
