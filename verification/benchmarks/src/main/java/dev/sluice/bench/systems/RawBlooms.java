package dev.sluice.bench.systems;

import dev.sluice.bloom.BloomSpec;
import dev.sluice.spi.BloomHashing;
import io.lettuce.core.BitFieldArgs;
import io.lettuce.core.BitFieldArgs.BitFieldType;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The least that a Bloom filter over Lettuce can cost: one shared connection, one BITFIELD. */
final class RawBlooms implements BloomSystem {
  private static final BitFieldType BIT = BitFieldArgs.unsigned(1);

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  RawBlooms(String uri) {
    this.client = RedisClient.create(uri);
    this.connection = client.connect();
  }

  @Override
  public Elements create(String name, int size, double rate) {
    BloomSpec spec = BloomSpec.of(size, rate).withMaxPartitionBits(BloomSpec.MAX_PARTITION_BITS);
    int k = spec.hashes();
    long m = spec.bitsPerPartition();
    return new Elements() {
      private BitFieldArgs bits(List<String> elements, boolean set) {
        BitFieldArgs args = new BitFieldArgs();
        long[] bits = new long[k];
        for (String element : elements) {
          byte[] bytes = element.getBytes(StandardCharsets.UTF_8);
          BloomHashing.hash(bytes).bits(m, bits, 0, k);
          for (long bit : bits) {
            if (set) {
              args.set(BIT, (int) bit, 1);
            } else {
              args.get(BIT, (int) bit);
            }
          }
        }
        return args;
      }

      private long full(List<Long> reply) {
        long full = 0;
        for (int from = 0; from < reply.size(); from += k) {
          boolean all = true;
          for (int i = from; i < from + k; i++) {
            all &= reply.get(i) == 1;
          }
          full += all ? 1 : 0;
        }
        return full;
      }

      @Override
      public boolean add(String element) {
        return addAll(List.of(element)) == 1;
      }

      @Override
      public CompletionStage<Boolean> addLater(String element) {
        return connection
            .async()
            .bitfield(name, bits(List.of(element), true))
            .thenApply(reply -> full(reply) == 0);
      }

      @Override
      public boolean check(String element) {
        return countMaybe(List.of(element)) == 1;
      }

      @Override
      public CompletionStage<Boolean> checkLater(String element) {
        return connection
            .async()
            .bitfield(name, bits(List.of(element), false))
            .thenApply(reply -> full(reply) == 1);
      }

      @Override
      public long addAll(List<String> elements) {
        return elements.size() - full(connection.sync().bitfield(name, bits(elements, true)));
      }

      @Override
      public long countMaybe(List<String> elements) {
        return full(connection.sync().bitfield(name, bits(elements, false)));
      }
    };
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
