package dev.sluice.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.sluice.MissingDataException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomInfo;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Creation;
import dev.sluice.bloom.Funnel;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BloomBackend;
import dev.sluice.spi.BloomHeader;
import dev.sluice.spi.BloomPart;
import dev.sluice.testkit.Contract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests of Bloom filters on every backend.
 *
 * @since 0.1
 */
public interface BloomFilters extends Contract {
  String NAME = "contract/bloom {42}";
  BloomSpec SMALL = BloomSpec.of(1_000, 0.01);

  /** The same filter in seven partitions. */
  BloomSpec SPREAD = SMALL.maxPartitionBits(1_400);

  /** The same filter in 24 partitions. */
  BloomSpec MANY = SMALL.maxPartitionBits(400);

  private BloomFilter<String> filter(Sluice client, BloomSpec spec) {
    return client.bloomFilter(NAME, Funnel.utf8(), spec);
  }

  private BloomFilter<String> created(Sluice client, BloomSpec spec) {
    BloomFilter<String> filter = filter(client, spec);
    assertThat(filter.create()).isEqualTo(Creation.CREATED);
    return filter;
  }

  private List<String> words(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "word-" + i).toList();
  }

  private BloomBackend store(Backend backend) {
    return backend.blooms();
  }

  private void assertHasAll(BloomFilter<String> filter, List<String> words) {
    assertThat(filter.mightContainAll(words)).hasSize(words.size()).doesNotContain(false);
  }

  @Test
  default void whatWasAddedIsThereForEverybody() {
    for (BloomSpec spec : List.of(SMALL, SPREAD)) {
      BloomFilter<String> filter = created(client(), spec);
      BloomFilter<String> other = filter(client(), spec);
      assertThat(other.mightContain("a")).isFalse();
      assertThat(filter.add("a")).isTrue();
      assertThat(filter.add("a")).isFalse();
      assertThat(other.mightContain("a")).isTrue();
      assertThat(other.add("a")).isFalse();
      assertThat(other.mightContain("b")).isFalse();
      assertThat(filter.delete()).isTrue();
      assertThat(filter.delete()).isFalse();
    }
  }

  @Test
  default void theFirstCreatorWinsAndTheSecondFollows() {
    Sluice one = client();
    Sluice two = client();
    BloomFilter<String> first = created(one, SMALL);
    BloomFilter<String> second = filter(two, BloomSpec.of(50, 0.2));
    assertThat(second.create()).isEqualTo(Creation.EXISTS_WITH_OTHER_SPEC);
    assertThat(filter(two, SMALL).create()).isEqualTo(Creation.EXISTS);
    first.addAll(words(0, 300));
    second.addAll(words(300, 600));
    for (BloomFilter<String> each : List.of(first, second)) {
      assertHasAll(each, words(0, 600));
      BloomInfo info = each.info().orElseThrow();
      assertThat(info.expectedInsertions()).isEqualTo(1_000);
      assertThat(info.falsePositiveRate()).isEqualTo(0.01);
      assertThat(info.hashes()).isEqualTo(SMALL.hashes());
      assertThat(info.bitsPerPartition()).isEqualTo(SMALL.bitsPerPartition());
    }
  }

  @Test
  default void anotherSizeIsNoticedByWhoRemembersTheOldOne() {
    BloomFilter<String> old = created(client(), SMALL);
    old.add("a");
    assertThat(old.mightContain("b")).isFalse();
    for (BloomSpec spec : List.of(BloomSpec.of(40, 0.3), SPREAD, SMALL)) {
      BloomFilter<String> other = filter(client(), spec);
      other.delete();
      other.create();
      other.addAll(words(0, 20));
      assertHasAll(old, words(0, 20));
      old.addAll(words(20, 40));
      assertHasAll(other, words(0, 40));
    }
  }

  @Test
  default void whatIsNotThereIsUnknownAndNotAbsent() {
    for (BloomSpec spec : List.of(SMALL, SPREAD)) {
      BloomFilter<String> filter = filter(client(), spec);
      assertThat(filter.mightContain("a")).isTrue();
      assertThat(filter.info()).isEmpty();
      assertMissing(filter);
      filter.create();
      assertThat(filter.mightContain("a")).isFalse();
      store().loseData();
      assertThat(filter.mightContain("a")).isTrue();
      assertThat(filter.mightContainAll(words(0, 20))).doesNotContain(false);
      assertMissing(filter);
      assertThat(filter.mightContain("a")).isTrue();
      assertThat(filter.delete()).as("nothing remains").isFalse();
    }
  }

  private void assertMissing(BloomFilter<String> filter) {
    assertThatExceptionOfType(MissingDataException.class)
        .isThrownBy(() -> filter.add("a"))
        .withMessageStartingWith("Bloom filter '" + NAME + "': ");
    assertThatExceptionOfType(MissingDataException.class)
        .isThrownBy(() -> filter.addAll(List.of("a", "b")));
    assertThatExceptionOfType(MissingDataException.class).isThrownBy(filter::clear);
    assertThat(filter.expire(Duration.ofHours(1))).isFalse();
  }

  @Test
  default void aLostPartitionIsUnknownAndTheOthersAnswer() {
    Backend backend = store().connect();
    BloomFilter<String> filter = created(client(backend), SPREAD);
    filter.addAll(words(0, 1_000));
    assertThat(ended(store(backend).drop(BloomPart.of(NAME, 3)))).isTrue();
    assertHasAll(filter, words(0, 1_000));
    assertHasAll(filter(client(), SPREAD), words(0, 1_000));
    BloomInfo info = filter.info().orElseThrow();
    assertThat(info.missingPartitions()).isOne();
    int[] refused = new int[1];
    for (String word : words(2_000, 2_200)) {
      try {
        filter.add(word);
      } catch (MissingDataException failure) {
        assertThat(failure).hasMessageContaining("partition 3");
        refused[0]++;
      }
      assertThat(filter.mightContain(word)).isTrue();
    }
    assertThat(refused[0]).isBetween(5, 100);
    assertThat(filter.create()).isEqualTo(Creation.EXISTS);
    filter.rebuild(SPREAD, () -> words(0, 1_000).stream());
    assertThat(filter.info().orElseThrow().missingPartitions()).isZero();
    assertHasAll(filter, words(0, 1_000));
    filter.add("new");
  }

  /** A filter of many partitions, whose first thirteen are lost. */
  private BloomFilter<String> leftovers() {
    Backend backend = store().connect();
    BloomFilter<String> filter = created(client(backend), MANY);
    filter.addAll(words(0, 100));
    for (int p = 0; p < 13; p++) {
      assertThat(ended(store(backend).drop(BloomPart.of(NAME, p)))).isTrue();
    }
    return filter;
  }

  @Test
  default void whatIsLeftOfALargerFilterNeitherDeniesNorTakesAnything() {
    for (BloomSpec spec : List.of(SMALL, SMALL.maxPartitionBits(5_000))) {
      BloomFilter<String> old = leftovers();
      BloomFilter<String> small = created(client(), spec);
      small.addAll(words(200, 400));
      assertHasAll(old, words(200, 400));
      old.addAll(words(400, 500));
      assertHasAll(small, words(400, 500));
      store().loseData();

      BloomFilter<String> single = leftovers();
      created(client(), spec);
      for (String word : words(500, 550)) {
        single.add(word);
        assertThat(filter(client(), spec).mightContain(word)).isTrue();
      }
      store().loseData();
    }
  }

  @Test
  default void aRebuildForgetsNothingThatWasAddedToWhatIsLeft() {
    BloomFilter<String> old = leftovers();
    List<String> answered = new ArrayList<>();
    filter(client(), SPREAD)
        .rebuild(
            SPREAD,
            () -> {
              Map<String, CompletableFuture<Boolean>> adds = new LinkedHashMap<>();
              words(200, 300)
                  .forEach(word -> adds.put(word, old.async().add(word).toCompletableFuture()));
              adds.forEach(
                  (word, add) -> {
                    if (add.handle((isNew, failure) -> failure == null).join()) {
                      answered.add(word);
                    }
                  });
              return words(0, 100).stream();
            });
    assertHasAll(old, words(0, 100));
    assertHasAll(old, answered);
    assertHasAll(filter(client(), SMALL), answered);
    assertThat(old.mightContain("other")).isFalse();
    old.add("later");
  }

  @Test
  default void aRebuildWhoseFilterIsLostMeanwhileFails() {
    for (BloomSpec spec : List.of(SMALL, SPREAD)) {
      Backend backend = store().connect();
      BloomFilter<String> filter = created(client(backend), spec);
      BloomFilter<String> other = filter(client(), spec);
      assertThatExceptionOfType(SluiceException.class)
          .isThrownBy(
              () ->
                  filter.rebuild(
                      spec,
                      () -> {
                        // lost, created again, added to and lost again
                        for (int i = 0; i < 2; i++) {
                          ended(store(backend).drop(BloomPart.of(NAME, 0)));
                          if (i == 0) {
                            other.create();
                            other.addAll(words(0, 50));
                          }
                        }
                        return Stream.of();
                      }))
          .withMessageContaining("lost");
      assertHasAll(other, words(0, 50));
      store().loseData();
    }
  }

  @Test
  default void bulkAndSingleAgree() {
    BloomFilter<String> filter = created(client(), BloomSpec.of(5_000, 0.01));
    assertThat(filter.addAll(List.of())).isZero();
    assertThat(filter.mightContainAll(List.of())).isEmpty();
    List<String> added = words(0, 5_000);
    assertThat(filter.addAll(added)).isBetween(4_900L, 5_000L);
    assertThat(filter.addAll(added)).isZero();
    assertHasAll(filter, added);
    List<String> others = words(5_000, 9_000);
    List<Boolean> answers = filter.mightContainAll(others);
    assertThat(answers.stream().filter(maybe -> maybe).count()).isBetween(5L, 120L);
    for (int i = 0; i < 200; i++) {
      assertThat(filter.mightContain(others.get(i))).isEqualTo(answers.get(i));
    }
    assertThat(filter.info().orElseThrow().approximateCount()).isBetween(4_900L, 5_100L);
    BloomInfo info = filter.info().orElseThrow();
    assertThat(info.fill()).isBetween(0.45, 0.55);
    assertThat(info.currentFalsePositiveRate()).isBetween(0.005, 0.02);
    assertThat(ended(filter.async().addAll(words(0, 10)))).isZero();
    assertThat(ended(filter.async().mightContain("word-1"))).isTrue();
  }

  @Test
  default void elementsOfAnySizeAndKind() {
    Sluice client = client();
    BloomFilter<byte[]> bytes = client.bloomFilter("bytes", Funnel.bytes(), SMALL);
    bytes.create();
    for (int size : new int[] {0, 1, 15, 16, 17, 1 << 20}) {
      byte[] element = new byte[size];
      assertThat(bytes.mightContain(element)).isFalse();
      assertThat(bytes.add(element)).isTrue();
      assertThat(bytes.mightContain(element)).isTrue();
    }
    BloomFilter<Long> longs = client.bloomFilter("longs", Funnel.longs(), SMALL);
    longs.create();
    longs.addAll(LongStream.range(-50, 50).boxed().toList());
    assertThat(longs.mightContain(-50L)).isTrue();
    assertThat(longs.mightContain(1L << 40)).isFalse();
    BloomFilter<UUID> ids = client.bloomFilter("uuids", Funnel.uuid(), SMALL);
    ids.create();
    UUID id = new UUID(1, 2);
    ids.add(id);
    assertThat(ids.mightContain(id)).isTrue();
    assertThat(ids.mightContain(new UUID(2, 1))).isFalse();
  }

  @Test
  @SuppressWarnings("NullAway") // null is what is tested
  default void misuseIsToldAtOnce() {
    Sluice client = client();
    BloomFilter<String> sizeless = client.bloomFilter(NAME, Funnel.utf8());
    assertThatIllegalStateException().isThrownBy(sizeless::create);
    BloomFilter<String> filter = created(client, SMALL);
    filter.add("a");
    assertThat(sizeless.mightContain("a")).isTrue();
    assertThat(sizeless.mightContain("b")).isFalse();
    assertThatNullPointerException().isThrownBy(() -> filter.add(null));
    assertThatNullPointerException().isThrownBy(() -> filter.mightContain(null));
    assertThatIllegalArgumentException().isThrownBy(() -> filter.expire(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> client.bloomFilter("", Funnel.utf8(), SMALL));
    client.close();
    assertThatIllegalStateException().isThrownBy(() -> filter.add("a"));
  }

  @Test
  default void clearingForgetsAndKeepsTheSize() {
    for (BloomSpec spec : List.of(SMALL, SPREAD)) {
      BloomFilter<String> filter = created(client(), spec);
      BloomFilter<String> other = filter(client(), spec);
      filter.addAll(words(0, 100));
      assertHasAll(other, words(0, 100));
      assertThat(filter.expire(Duration.ofHours(1))).isTrue();
      filter.clear();
      assertThat(filter.info().orElseThrow().approximateCount()).isZero();
      assertThat(other.mightContain("word-1")).isFalse();
      other.add("word-1");
      assertThat(filter.mightContain("word-1")).isTrue();
      BloomInfo info = filter.info().orElseThrow();
      assertThat(info.bitsPerPartition()).isEqualTo(spec.bitsPerPartition());
      assertThat(info.partitions()).isEqualTo(spec.partitions());
      assertThat(info.timeToLive().orElseThrow()).isBetween(ofMinutes(59), ofMinutes(60));
      filter.delete();
    }
  }

  private Duration ofMinutes(long minutes) {
    return Duration.ofMinutes(minutes);
  }

  @Test
  default void whatExpiredIsUnknown() {
    for (BloomSpec spec : List.of(SMALL, SPREAD)) {
      BloomFilter<String> filter = created(client(), spec);
      assertThat(filter.info().orElseThrow().timeToLive()).isEmpty();
      assertThat(filter.expire(Duration.ofSeconds(3))).isTrue();
      assertThat(filter.mightContain("a")).isFalse();
      within("the filter expires", Duration.ofSeconds(4), () -> filter.mightContain("a"));
      within("all of it", Duration.ofSeconds(2), () -> filter.info().isEmpty());
      assertMissing(filter);
      assertThat(filter.create()).isEqualTo(Creation.CREATED);
      assertThat(filter.mightContain("a")).isFalse();
      filter.delete();
    }
  }

  @Test
  default void aUnionHasTheElementsOfBoth() {
    for (BloomSpec spec : List.of(SMALL, SPREAD)) {
      Sluice client = client();
      BloomFilter<String> filter = created(client, spec);
      BloomFilter<String> other = client.bloomFilter("other", Funnel.utf8(), spec);
      other.create();
      filter.addAll(words(0, 300));
      other.addAll(words(300, 600));
      filter.union(other);
      assertHasAll(filter, words(0, 600));
      assertThat(filter.info().orElseThrow().approximateCount()).isBetween(560L, 640L);
      assertThat(other.info().orElseThrow().approximateCount()).isBetween(270L, 330L);
      BloomFilter<String> odd = client.bloomFilter("odd", Funnel.utf8(), BloomSpec.of(1_000, 0.02));
      assertThatExceptionOfType(MissingDataException.class).isThrownBy(() -> filter.union(odd));
      odd.create();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> filter.union(odd))
          .withMessageContaining("one size");
      for (BloomFilter<String> each : List.of(filter, other, odd)) {
        each.delete();
      }
    }
  }

  @Test
  default void aRebuildForgetsWhatWasLeftOutAndKeepsWhatCameMeanwhile() {
    List<BloomSpec> sizes =
        List.of(SMALL, BloomSpec.of(3_000, 0.001), SPREAD, SPREAD.maxPartitionBits(4_000));
    for (BloomSpec before : sizes) {
      for (BloomSpec after : sizes) {
        BloomFilter<String> filter = created(client(), before);
        BloomFilter<String> other = filter(client(), before);
        filter.addAll(words(0, 400));
        filter.expire(Duration.ofHours(1));
        filter.rebuild(
            after,
            () -> {
              assertHasAll(other, words(0, 400));
              assertThat(other.info().orElseThrow().rebuilding()).isTrue();
              other.add("single");
              other.addAll(words(1_000, 1_100));
              return words(0, 100).stream();
            });
        for (BloomFilter<String> each : List.of(filter, other)) {
          assertHasAll(each, words(0, 100));
          assertHasAll(each, words(1_000, 1_100));
          assertThat(each.mightContain("single")).isTrue();
        }
        BloomInfo info = other.info().orElseThrow();
        assertThat(info.approximateCount()).as("%s to %s", before, after).isBetween(190L, 212L);
        assertThat(info.partitions()).isEqualTo(after.partitions());
        assertThat(info.rebuilding()).isFalse();
        assertThat(info.timeToLive()).isPresent();
        other.add("later");
        assertThat(filter.mightContain("later")).isTrue();
        filter.delete();
        store().loseData();
      }
    }
  }

  @Test
  default void aRebuildThatFailsChangesNothing() {
    BloomFilter<String> filter = created(client(), SPREAD);
    filter.addAll(words(0, 100));
    long generation = filter.info().orElseThrow().generation();
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                filter.rebuild(
                    SPREAD,
                    () -> {
                      throw new IllegalStateException("the database is away");
                    }))
        .withMessage("the database is away");
    assertHasAll(filter, words(0, 100));
    BloomInfo info = filter.info().orElseThrow();
    assertThat(info.generation()).isEqualTo(generation);
    assertThat(info.rebuilding()).isFalse();
  }

  @Test
  default void aRebuildIsOvertakenByWhateverMakesTheFilterAnew() {
    for (BloomSpec spec : List.of(SMALL, SPREAD)) {
      BloomFilter<String> filter = created(client(), spec);
      BloomFilter<String> other = filter(client(), spec);
      List<Runnable> events =
          List.of(
              other::clear,
              () -> other.rebuild(spec, () -> words(0, 50).stream()),
              () -> {
                other.delete();
                other.create();
              });
      for (Runnable event : events) {
        assertThatExceptionOfType(SluiceException.class)
            .isThrownBy(
                () ->
                    filter.rebuild(
                        spec,
                        () -> {
                          event.run();
                          other.addAll(words(500, 600));
                          return words(0, 100).stream();
                        }))
            .withMessageContaining("overtaken");
        assertHasAll(filter, words(500, 600));
        filter.add("goes on");
        assertThat(other.mightContain("goes on")).isTrue();
      }
      filter.delete();
    }
  }

  @Test
  default void addsGoToTheRebuildThatOvertookAnother() {
    BloomSpec few = SMALL.maxPartitionBits(5_000);
    BloomFilter<String> filter = created(client(), SMALL);
    BloomFilter<String> other = filter(client(), SMALL);
    BloomFilter<String> adder = filter(client(), SMALL);
    assertThatExceptionOfType(SluiceException.class)
        .isThrownBy(
            () ->
                filter.rebuild(
                    MANY,
                    () -> {
                      adder.addAll(words(0, 50)); // and remembers a generation of 24 partitions
                      other.rebuild(
                          few,
                          () -> {
                            adder.addAll(words(100, 200));
                            words(200, 250).forEach(adder::add);
                            return Stream.of();
                          });
                      return Stream.of();
                    }))
        .withMessageContaining("overtaken");
    for (BloomFilter<String> each : List.of(other, adder)) {
      assertHasAll(each, words(100, 250));
    }
  }

  @Test
  default void aRebuildMakesAFilterThatWasLost() {
    BloomFilter<String> filter = filter(client(), SPREAD);
    filter.rebuild(SPREAD, () -> words(0, 100).stream());
    assertHasAll(filter, words(0, 100));
    assertThat(filter.mightContain("other")).isFalse();
    assertThat(filter.create()).isEqualTo(Creation.EXISTS);
  }

  @Test
  default void aRebuildOfALostFilterIsReplacedAfterFiveSeconds() {
    BloomFilter<String> filter = filter(client(), SMALL);
    BloomFilter<String> other = filter(client(), SMALL);
    assertThatExceptionOfType(SluiceException.class)
        .isThrownBy(
            () ->
                filter.rebuild(
                    SMALL,
                    () -> {
                      assertThatIllegalStateException()
                          .isThrownBy(() -> other.rebuild(SMALL, Stream::of))
                          .withMessageContaining("rebuild it later");
                      store()
                          .pass(Duration.ofNanos(BloomHeader.ABANDONED_MICROS * 1000 + 1_000_000));
                      other.rebuild(SMALL, () -> Stream.of("second"));
                      return Stream.of("first");
                    }))
        .withMessageContaining("overtaken");
    assertThat(other.mightContain("second")).isTrue();
    assertThat(other.mightContain("first")).isFalse();
  }

  @Test
  default void nobodyMissesAnElementWhileGenerationsChange() throws Exception {
    Sluice client = client();
    BloomFilter<String> filter = created(client, SPREAD);
    AtomicLong added = new AtomicLong();
    AtomicBoolean end = new AtomicBoolean();
    CountDownLatch begun = new CountDownLatch(2);
    List<Running<List<String>>> adders = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      BloomFilter<String> own = filter(client(), SPREAD);
      adders.add(
          start(
              () -> {
                List<String> mine = new ArrayList<>();
                List<String> absent = new ArrayList<>();
                while (!end.get()) {
                  String element = "live-" + added.incrementAndGet();
                  own.add(element);
                  mine.add(element);
                  begun.countDown();
                  for (int j = Math.max(0, mine.size() - 20); j < mine.size(); j++) {
                    if (!own.mightContain(mine.get(j))) {
                      absent.add(mine.get(j));
                    }
                  }
                }
                return absent;
              }));
    }
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    List<BloomSpec> sizes = List.of(SMALL, SPREAD, BloomSpec.of(3_000, 0.001));
    try {
      for (int i = 0; i < 30; i++) {
        filter.rebuild(
            sizes.get(i % 3),
            // opened after everybody was told: it has what was answered before
            () -> LongStream.rangeClosed(1, added.get()).mapToObj(n -> "live-" + n));
      }
    } finally {
      end.set(true);
    }
    for (Running<List<String>> adder : adders) {
      assertThat(adder.result()).as("elements that were said to be absent").isEmpty();
    }
    assertHasAll(
        filter, LongStream.rangeClosed(1, added.get()).mapToObj(n -> "live-" + n).toList());
  }

  @Test
  default void severalCreatorsMakeOneFilter() throws Exception {
    List<Running<Creation>> creators = new ArrayList<>();
    List<BloomSpec> sizes = List.of(SPREAD, SMALL, SPREAD.maxPartitionBits(500));
    CountDownLatch go = new CountDownLatch(1);
    for (int i = 0; i < 6; i++) {
      BloomFilter<String> own = filter(client(), sizes.get(i % 3));
      int number = i;
      creators.add(
          start(
              () -> {
                go.await();
                Creation creation = own.create();
                own.add("creator-" + number);
                return creation;
              }));
    }
    go.countDown();
    int first = 0;
    for (Running<Creation> creator : creators) {
      first += creator.result() == Creation.CREATED ? 1 : 0;
    }
    assertThat(first).isOne();
    BloomFilter<String> filter = filter(client(), SMALL);
    for (int i = 0; i < 6; i++) {
      assertThat(filter.mightContain("creator-" + i)).isTrue();
    }
    assertThat(filter.info().orElseThrow().missingPartitions()).isZero();
  }

  @Test
  default void aCreationThatWasLeftIsTakenOver() {
    Backend backend = store().connect();
    BloomHeader half = BloomHeader.of(SPREAD, BloomHeader.State.BUILDING);
    ended(store(backend).open(BloomPart.of(NAME, 0), BloomHeader.Opening.CREATE, half));
    BloomFilter<String> filter = filter(client(backend), SPREAD);
    assertThat(filter.mightContain("a")).isTrue();
    assertThat(filter.info()).isEmpty();
    store().pass(Duration.ofNanos(BloomHeader.ABANDONED_MICROS * 1000 + 1_000_000));
    assertThat(filter.create()).isEqualTo(Creation.CREATED);
    assertThat(filter.mightContain("a")).isFalse();
    filter.add("a");
  }

  @Test
  default void aSparseFilterReachesTwoToTheFortiethBit() {
    BloomSpec huge = BloomSpec.of(114_750_000_000L, 0.01);
    assertThat(huge.partitions() * huge.bitsPerPartition()).isGreaterThan(1L << 40);
    BloomFilter<Long> filter = client().bloomFilter("huge", Funnel.longs(), huge);
    assertThat(filter.create()).isEqualTo(Creation.CREATED);
    List<Long> some = LongStream.range(0, 12).boxed().toList();
    assertThat(filter.addAll(some)).isEqualTo(12);
    assertThat(filter.mightContainAll(some)).doesNotContain(false);
    assertThat(filter.mightContainAll(LongStream.range(12, 2_000).boxed().toList()))
        .doesNotContain(true);
    store().loseData();
  }
}
