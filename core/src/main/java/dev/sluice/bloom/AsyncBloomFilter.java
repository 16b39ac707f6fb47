package dev.sluice.bloom;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The asynchronous view of a {@link BloomFilter}: the same requests. Stages complete on the
 * connection's thread or the caller's, so what follows them must not block.
 *
 * @param <T> type of the elements
 * @since 0.1
 */
public interface AsyncBloomFilter<T> {

  /**
   * See {@link BloomFilter#create}.
   *
   * @return completes with what was found
   */
  CompletionStage<Creation> create();

  /**
   * See {@link BloomFilter#add}.
   *
   * @param element not null
   * @return completes with true if it certainly was not there before
   */
  CompletionStage<Boolean> add(T element);

  /**
   * See {@link BloomFilter#addAll}.
   *
   * @param elements none is null
   * @return completes with how many certainly were not there before
   */
  CompletionStage<Long> addAll(Collection<? extends T> elements);

  /**
   * See {@link BloomFilter#mightContain}.
   *
   * @param element not null
   * @return completes with false if it certainly was not added
   */
  CompletionStage<Boolean> mightContain(T element);

  /**
   * See {@link BloomFilter#mightContainAll}.
   *
   * @param elements none is null
   * @return completes with an answer for each
   */
  CompletionStage<List<Boolean>> mightContainAll(Collection<? extends T> elements);

  /**
   * See {@link BloomFilter#info}.
   *
   * @return completes with what the store knows
   */
  CompletionStage<Optional<BloomInfo>> info();

  /**
   * See {@link BloomFilter#clear}.
   *
   * @return completes when it is done
   */
  CompletionStage<Void> clear();

  /**
   * See {@link BloomFilter#delete}.
   *
   * @return completes with true if there was one
   */
  CompletionStage<Boolean> delete();

  /**
   * See {@link BloomFilter#union}.
   *
   * @param other the other one
   * @return completes when it is done
   */
  CompletionStage<Void> union(BloomFilter<T> other);

  /**
   * See {@link BloomFilter#rebuild}. Opens and reads the elements on Sluice's callback executor.
   *
   * @param spec size of the new generation
   * @param elements opens the elements, once; closed here
   * @return completes when the new generation is in use
   */
  CompletionStage<Void> rebuild(BloomSpec spec, Supplier<? extends Stream<? extends T>> elements);

  /**
   * See {@link BloomFilter#expire}.
   *
   * @param timeToLive time from now
   * @return completes with false if there is no filter
   */
  CompletionStage<Boolean> expire(Duration timeToLive);
}
