package dev.sluice.bloom;

import dev.sluice.MissingDataException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A set that processes share, with errors in one direction only. It never reports an element that
 * was added as absent. It reports an element that was not added as present at the rate of false
 * positives that it was created for.
 *
 * <p>The answer is "maybe" as well where the filter cannot know: before it was created, and after
 * the filter, or the partition of the element, was deleted, expired, evicted or overwritten. The
 * size in the store counts; an object that was made with another size follows it.
 *
 * <pre>{@code
 * BloomFilter<String> users =
 *     sluice.bloomFilter("users", Funnel.utf8(), BloomSpec.of(1_000_000, 0.01));
 * users.create();
 * users.add("ann");
 * if (!users.mightContain("bob")) {
 *   System.out.println("bob was certainly not added");
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. A method blocks until the store answers, at most for its request
 * timeout for each request that it needs; an interruption does not end it, and the thread stays
 * interrupted. Every method throws {@link dev.sluice.BackendException} if the store did not answer.
 * The answer is unknown then, so treat the element as present.
 *
 * @param <T> type of the elements
 * @since 0.1
 */
public interface BloomFilter<T> {

  /** {@return the name that processes share} */
  String name();

  /**
   * Creates the filter, if it does not exist. If several processes create it, the first one wins.
   * It takes a little more than 100 ms, so that no process uses the rest of an earlier filter of
   * the name.
   *
   * @return whether it was made, or one was there, and of which size
   * @throws IllegalStateException if this object was made without a size
   * @throws dev.sluice.ForeignDataException if something else is stored there; it stays untouched
   */
  Creation create();

  /**
   * Adds an element. When it returns, no process gets "absent" for it any more.
   *
   * @param element not null
   * @return true if it certainly was not there before
   * @throws MissingDataException if the filter, or the part where the element belongs, was deleted
   */
  boolean add(T element);

  /**
   * Adds elements, in requests of a bounded size.
   *
   * @param elements none is null; may be empty
   * @return how many certainly were not there before
   * @throws MissingDataException as {@link #add}; some elements may have been added
   */
  long addAll(Collection<? extends T> elements);

  /**
   * Checks whether an element may be in the filter.
   *
   * @param element not null
   * @return false if it certainly was not added; true if it may have been, or if that is unknown
   */
  boolean mightContain(T element);

  /**
   * Checks elements, in requests of a bounded size.
   *
   * @param elements none is null; may be empty
   * @return an answer for each, in their order, as {@link #mightContain} gives it
   */
  List<Boolean> mightContainAll(Collection<? extends T> elements);

  /**
   * Reads the filter's size, its fill ratio and an estimate of the number of different elements.
   * Counts all bits, in requests of a bounded size; changes nothing.
   *
   * @return what the store knows; empty if there is no such filter
   */
  Optional<BloomInfo> info();

  /**
   * Removes all elements and keeps size and expiry. It takes a little more than 100 ms; meanwhile
   * every element is "maybe", and adding waits. An element that is added at the same time may be
   * removed too.
   *
   * @throws MissingDataException if the filter was deleted
   */
  void clear();

  /**
   * Removes the filter; every element is "maybe" then.
   *
   * @return true if there was one
   */
  boolean delete();

  /**
   * Adds all elements of another filter on the same store with the same number of bits. Both stay
   * in use.
   *
   * @param other the other one
   * @throws IllegalArgumentException if its size differs
   * @throws MissingDataException if one of them, or a part, was deleted
   * @throws IllegalStateException if this one is being rebuilt
   */
  void union(BloomFilter<T> other);

  /**
   * Builds a new generation of the filter beside the one in use, and replaces that at the end, in
   * one step for each partition. Elements that any process adds meanwhile go to both. Between the
   * steps of a filter with several partitions elements may answer "maybe".
   *
   * <p>The elements are opened after all processes have been told. An element whose {@code add}
   * began before that must be among them, or it is forgotten: that is what a rebuild is for. So
   * where an element is added before the row it stands for can be seen, add it again once it can. A
   * rebuild that begins takes the place of one under way, which then fails.
   *
   * @param spec size of the new generation
   * @param elements opens the elements, once; closed here
   * @throws dev.sluice.SluiceException if another rebuild or clearing came in between, or the
   *     filter or its new generation was lost; the generation in use stays
   * @throws IllegalStateException if it is being created at this moment, or was lost and another
   *     process began to rebuild it less than five seconds ago
   */
  void rebuild(BloomSpec spec, Supplier<? extends Stream<? extends T>> elements);

  /**
   * Makes the filter expire; after that, every element is "maybe". Clearing and rebuilding keep it.
   *
   * @param timeToLive time from now, 1 ms or more
   * @return false if there is no filter
   */
  boolean expire(Duration timeToLive);

  /** {@return an asynchronous view of this filter} */
  AsyncBloomFilter<T> async();
}
