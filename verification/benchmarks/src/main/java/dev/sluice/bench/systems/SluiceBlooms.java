package dev.sluice.bench.systems;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Sluice over {@code redis://}. */
final class SluiceBlooms implements BloomSystem {
  private final Sluice sluice;

  SluiceBlooms(String uri) {
    this.sluice = Sluice.connect(uri);
  }

  @Override
  public Elements create(String name, int size, double rate) {
    BloomFilter<String> filter = sluice.bloomFilter(name, Funnel.utf8(), BloomSpec.of(size, rate));
    filter.create();
    return new Elements() {
      @Override
      public boolean add(String element) {
        return filter.add(element);
      }

      @Override
      public CompletionStage<Boolean> addLater(String element) {
        return filter.async().add(element);
      }

      @Override
      public boolean check(String element) {
        return filter.mightContain(element);
      }

      @Override
      public CompletionStage<Boolean> checkLater(String element) {
        return filter.async().mightContain(element);
      }

      @Override
      public long addAll(List<String> elements) {
        return filter.addAll(elements);
      }

      @Override
      public long countMaybe(List<String> elements) {
        return filter.mightContainAll(elements).stream().filter(maybe -> maybe).count();
      }
    };
  }

  @Override
  public void close() {
    sluice.close();
  }
}
