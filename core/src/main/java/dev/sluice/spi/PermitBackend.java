package dev.sluice.spi;

import dev.sluice.lock.PermitInfo;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The verbs of semaphores and read-write locks: each is one atomic step at the store, decided by
 * the store's own clock, as {@code PermitState} decides it. No call blocks. Every stage completes
 * within the backend's request timeout: with the answer, with {@link
 * dev.sluice.OutcomeUnknownException} when none came, with another {@link
 * dev.sluice.SluiceException} when the store certainly did nothing.
 *
 * <p>A client may hold several grants of one name, each of an attempt of its own, but runs its
 * attempts one after the other: a new one begins when the last was granted or given up.
 */
public interface PermitBackend {

  /**
   * Asks for units, polls for them, or takes up a grant that was reserved for this ticket.
   * Repeating it with the same attempt is safe.
   *
   * @param request who asks, for what
   * @return the decision; fails with {@link dev.sluice.lock.WrongCapacityException} when the name
   *     has another capacity
   */
  CompletionStage<PermitReply> acquire(PermitRequest request);

  /**
   * Whether a grant may be good for less than the TTL that was asked for, because the store cannot
   * look so far ahead; as where it lasts no longer than a session. Its owner then asks again in
   * time, by {@link #renew} for what is left of the TTL. A store that does so tells its clients
   * {@link LockMessage.Kind#IN_DOUBT} when it no longer knows.
   *
   * @return false unless the store is such
   */
  default boolean confirmsInParts() {
    return false;
  }

  /**
   * Lengthens the grant of this attempt, never another's, never one that is gone.
   *
   * @param name the semaphore or read-write lock
   * @param client the process
   * @param attempt the attempt that was granted
   * @param ttlMicros time from now, in microseconds; a grant is never shortened
   * @return the decision
   */
  CompletionStage<RenewReply> renew(String name, String client, long attempt, long ttlMicros);

  /**
   * Gives units back and hands them to the tickets at the head that fit. With {@code keep} zero the
   * attempt is over: its ticket leaves the queue, and acquires of it that arrive later are refused.
   * Otherwise its grant goes on with at most {@code keep} units, and never has more again. Repeated
   * or late calls change nothing.
   *
   * @param name the semaphore or read-write lock
   * @param client the process
   * @param attempt the attempt
   * @param keep units that the grant keeps, zero or more
   * @return true if the attempt had a live grant
   */
  CompletionStage<Boolean> release(String name, String client, long attempt, int keep);

  /**
   * Settles another capacity. Grants stay as they are; with fewer units than are out, none is given
   * until enough came back.
   *
   * @param name the semaphore
   * @param capacity units from now on
   * @return the capacity before, zero if none was settled
   */
  CompletionStage<Integer> resize(String name, int capacity);

  /**
   * Looks at a name without changing it.
   *
   * @param name the semaphore or read-write lock
   * @return what the store knows
   */
  CompletionStage<PermitInfo> inspect(String name);

  /**
   * Names of semaphores and read-write locks that the store knows.
   *
   * @param limit most names to return, at least 1
   * @return names, in no order
   */
  CompletionStage<List<String>> names(int limit);

  /**
   * Delivers messages for a client. A message is a hint: it may be lost, late or repeated.
   *
   * @param client the process
   * @param listener called for each message; must not block
   * @return completes once messages are delivered
   */
  CompletionStage<Void> listen(String client, Consumer<LockMessage> listener);

  /**
   * Ends {@link #listen}.
   *
   * @param client the process
   */
  void unlisten(String client);
}
