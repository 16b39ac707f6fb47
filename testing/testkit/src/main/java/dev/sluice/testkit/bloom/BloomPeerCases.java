package dev.sluice.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.MissingDataException;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Creation;
import dev.sluice.bloom.Funnel;
import dev.sluice.testkit.Contract;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Behaviours of Redisson's Bloom filter that its tests name. One answer is the opposite of what is
 * pinned there, as a comment states.
 *
 * @since 0.1
 */
public interface BloomPeerCases extends Contract {

  /** Five billion elements; a partition does not exist until one of its bits is set. */
  BloomSpec HUGE = BloomSpec.of(5_500_000_000L, 0.03);

  /** {@return the filter of a name, opened by another process} */
  default BloomFilter<String> filter(String name, BloomSpec spec) {
    return client().bloomFilter(name, Funnel.utf8(), spec);
  }

  @Test
  default void aRateThatIsNoneIsRefused() {
    for (double rate : new double[] {-1, 2, 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> BloomSpec.of(1, rate))
          .withMessageContaining("falsePositiveRate");
    }
  }

  @Test
  default void theSizeIsTheTextbooks() {
    BloomFilter<String> filter = filter("filter", BloomSpec.of(100, 0.03));
    filter.create();
    BloomInfo info = filter.info().orElseThrow();
    assertThat(info.expectedInsertions()).isEqualTo(100);
    assertThat(info.falsePositiveRate()).isEqualTo(0.03);
    assertThat(info.hashes()).isEqualTo(5);
    assertThat(info.bitsPerPartition() * info.partitions()).isEqualTo(729);
  }

  @Test
  default void aSecondCreationMakesNothingUntilTheFilterIsDeleted() {
    BloomFilter<String> first = filter("filter", BloomSpec.of(55_000_000, 0.03));
    BloomFilter<String> second = filter("filter", BloomSpec.of(55_000_001, 0.03));
    assertThat(first.create()).isEqualTo(Creation.CREATED);
    assertThat(second.create()).isEqualTo(Creation.EXISTS_WITH_OTHER_SPEC);
    assertThat(first.delete()).isTrue();
    assertThat(first.delete()).isFalse();
    assertThat(second.create()).isEqualTo(Creation.CREATED);
    assertThat(first.info().orElseThrow().expectedInsertions()).isEqualTo(55_000_001);
  }

  @Test
  default void withoutAFilterNothingIsKnownOfIt() {
    BloomFilter<String> filter = filter("filter", BloomSpec.of(100, 0.03));
    assertThat(filter.info()).isEmpty();
    assertThatExceptionOfType(MissingDataException.class)
        .isThrownBy(filter::clear)
        .withMessageContaining("it does not exist");
  }

  @Test
  default void withoutAFilterNothingIsAdded() {
    BloomFilter<String> filter = filter("filter", BloomSpec.of(100, 0.03));
    assertThatExceptionOfType(MissingDataException.class).isThrownBy(() -> filter.add("123"));
    assertThatExceptionOfType(MissingDataException.class)
        .isThrownBy(() -> filter.addAll(List.of("123")));
    assertThat(filter.info()).isEmpty();
  }

  /** Redisson throws an exception here, where a guard admits elements if the filter is missing. */
  @Test
  default void withoutAFilterEverythingIsMaybe() {
    BloomFilter<String> filter = filter("filter", BloomSpec.of(100, 0.03));
    assertThat(filter.mightContain("32")).isTrue();
    assertThat(filter.mightContainAll(List.of("32", "33"))).containsExactly(true, true);
  }

  @Test
  default void anElementIsNewOnce() {
    BloomFilter<String> filter = filter("filter", HUGE);
    filter.create();
    int count = 0;
    for (String element : List.of("123", "hflgs;jl;ao1-32471320o31803-24")) {
      assertThat(filter.mightContain(element)).isFalse();
      assertThat(filter.add(element)).isTrue();
      assertThat(filter.mightContain(element)).isTrue();
      assertThat(filter.add(element)).isFalse();
      assertThat(filter.info().orElseThrow().approximateCount()).isEqualTo(++count);
    }
  }

  @Test
  default void collectionsAreAddedAndAskedForAtOnce() {
    BloomFilter<String> filter = filter("filter", BloomSpec.of(100_000, 1e-6));
    filter.create();
    assertThat(filter.addAll(List.of("1", "2", "3"))).isEqualTo(3);
    assertThat(filter.addAll(List.of("2", "3", "4", "5"))).isEqualTo(2);
    assertThat(filter.mightContainAll(List.of("1", "5", "6", "2", "7")))
        .containsExactly(true, true, false, true, false);
    assertThat(filter.addAll(List.of())).isZero();
    assertThat(filter.mightContainAll(List.of())).isEmpty();
    assertThat(filter.info().orElseThrow().approximateCount()).isEqualTo(5);
  }

  @Test
  default void allOfItExpires() {
    BloomSpec several = BloomSpec.of(1_000, 0.01).maxPartitionBits(1_400);
    for (BloomSpec spec : List.of(BloomSpec.of(1_000, 0.01), several)) {
      BloomFilter<String> filter = filter("filter", spec);
      filter.create();
      filter.add("123");
      assertThat(filter.expire(Duration.ofSeconds(3))).isTrue();
      assertThat(filter.info().orElseThrow().timeToLive()).isPresent();
      store().pass(Duration.ofMillis(3_200));
      assertThat(filter.info()).isEmpty();
      assertThat(filter.mightContain("456")).isTrue();
      assertThat(filter.delete()).as("nothing remains").isFalse();
    }
  }

  /** Redisson answers "no" to a query with another size. Here the stored size counts. */
  @Test
  default void whoAsksWithAnotherSizeIsNotToldNo() {
    BloomFilter<String> first = filter("filter", BloomSpec.of(100, 0.03));
    BloomFilter<String> second = filter("filter", BloomSpec.of(200, 0.001));
    first.create();
    first.add("123");
    second.create();
    assertThat(second.mightContain("123")).isTrue();
    assertThat(second.mightContainAll(List.of("123", "absent"))).containsExactly(true, false);
    assertThat(second.add("456")).isTrue();
    assertThat(first.mightContain("456")).isTrue();
    first.delete();
    assertThat(second.mightContain("123")).isTrue();
    assertThat(first.mightContain("123")).isTrue();
  }
}
