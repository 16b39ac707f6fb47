package dev.sluice.redis.verbs;

import dev.sluice.redis.InTwoNamespaces;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.testkit.cache.CacheBadInput;
import dev.sluice.testkit.cache.CacheOutages;
import dev.sluice.testkit.cache.CachedValues;
import dev.sluice.testkit.cache.NearCopies;
import dev.sluice.testkit.cache.RefreshAndStale;
import dev.sluice.testkit.cache.SingleLoads;
import dev.sluice.testkit.cache.WritesDuringLoads;
import org.junit.jupiter.api.Tag;

/** Two namespaces keep every promise about caches. */
@EachRedis
@Tag("full")
class NamespaceCacheContractIT extends InTwoNamespaces
    implements CachedValues,
        SingleLoads,
        RefreshAndStale,
        WritesDuringLoads,
        CacheOutages,
        NearCopies,
        CacheBadInput {
  NamespaceCacheContractIT(RedisServer server) {
    super(server);
  }
}
