package dev.sluice.bench.systems;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RBloomFilter with default settings. */
final class RedissonBlooms implements BloomSystem {
  private final RedissonClient redisson;

  RedissonBlooms(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    this.redisson = Redisson.create(config);
  }

  @Override
  public Elements create(String name, int size, double rate) {
    RBloomFilter<String> filter = redisson.getBloomFilter(name);
    filter.tryInit(size, rate);
    return new Elements() {
      @Override
      public boolean add(String element) {
        return filter.add(element);
      }

      @Override
      public CompletionStage<Boolean> addLater(String element) {
        return filter.addAsync(element);
      }

      @Override
      public boolean check(String element) {
        return filter.contains(element);
      }

      @Override
      public CompletionStage<Boolean> checkLater(String element) {
        return filter.containsAsync(element);
      }

      @Override
      public long addAll(List<String> elements) {
        return filter.add(elements);
      }

      @Override
      public long countMaybe(List<String> elements) {
        return filter.contains(elements);
      }
    };
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
