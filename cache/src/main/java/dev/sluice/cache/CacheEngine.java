package dev.sluice.cache;

import dev.sluice.Extensions;
import dev.sluice.Sluice;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.ClientParts;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The caches of one client. Safe for use by many threads. */
final class CacheEngine implements AutoCloseable {
  private final CacheClient client;
  private final Set<ClientCache<?, ?>> caches = ConcurrentHashMap.newKeySet();

  private CacheEngine(ClientParts parts) {
    this.client = new CacheClient(parts, this::wake);
  }

  static CacheEngine of(Sluice sluice) {
    return Extensions.of(sluice, CacheEngine.class, CacheEngine::new);
  }

  <K, V> GuardedCache<K, V> cache(CacheSettings<K, V> settings) {
    client.checkOpen();
    String why = client.backend.whyNotStrong();
    if (settings.strong && why != null) {
      throw new UnsupportedOperationException("this store does not support STRONG: " + why);
    }
    ClientCache<K, V> cache = new ClientCache<>(client, settings);
    caches.add(cache);
    client.listens();
    return cache;
  }

  List<GuardedCache<?, ?>> caches() {
    return List.copyOf(caches);
  }

  private void wake(CacheKey key) {
    for (ClientCache<?, ?> cache : caches) {
      if (cache.name().equals(key.cache())) {
        cache.wake(key.key());
      }
    }
  }

  @Override
  public void close() {
    client.stop();
    caches.forEach(ClientCache::close);
    client.close();
  }
}
