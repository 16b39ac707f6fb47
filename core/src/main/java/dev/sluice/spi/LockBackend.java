package dev.sluice.spi;

import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The verbs of the lock protocol: each is one atomic step at the store, decided by the store's own
 * clock, as {@code LockState} decides it. No call blocks. Every stage completes within the
 * backend's request timeout: with the answer, with {@link dev.sluice.OutcomeUnknownException} when
 * none came, with another {@link dev.sluice.SluiceException} when the store certainly did nothing.
 */
public interface LockBackend {

  /**
   * Asks for a lock, polls for it, or takes up a grant that was reserved for this ticket. Repeating
   * it with the same attempt is safe.
   *
   * @param request who asks, for what
   * @return the decision
   */
  CompletionStage<AcquireReply> acquire(AcquireRequest request);

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
   * @param name the lock
   * @param client the process
   * @param attempt the attempt that was granted
   * @param ttlMicros time from now, in microseconds; a grant is never shortened
   * @return the decision
   */
  CompletionStage<RenewReply> renew(String name, String client, long attempt, long ttlMicros);

  /**
   * Ends an attempt: frees the lock if this attempt holds it and hands it to the next live ticket;
   * otherwise takes the ticket out of the queue. Acquires of this attempt that arrive later are
   * refused. Idempotent.
   *
   * @param name the lock
   * @param client the process
   * @param attempt the attempt that is over
   * @return true if this call freed a live grant
   */
  CompletionStage<Boolean> release(String name, String client, long attempt);

  /**
   * Ends an attempt and leaves its grant to nobody: no release, renewal or acquire of any client
   * reaches it, and after {@code delayMicros} it has expired, whether that is sooner or later than
   * before. A backend that cannot do so leaves the grant as it is.
   *
   * @param name the lock
   * @param client the process
   * @param attempt the attempt that is over
   * @param delayMicros time from now, in microseconds, more than zero
   * @return true if this attempt had a live grant; fails with {@link UnsupportedOperationException}
   *     where it cannot be done
   */
  default CompletionStage<Boolean> releaseAfter(
      String name, String client, long attempt, long delayMicros) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("this backend cannot release a lock after a delay"));
  }

  /**
   * Ends whatever grant of a lock stands, whoever holds it, and hands over to the next live ticket.
   * The attempt that held it is over: its renewals and releases touch nothing from here on. A token
   * above all that the grant could use is spent, so that a guard may refuse them at once. The
   * holder is told by {@link LockMessage.Kind#TAKEN}.
   *
   * @param name the lock
   * @param token the grant that is to end, by the token that {@link LockInfo.Holder} shows; 0 for
   *     any
   * @return what was ended, empty when nobody held the lock, or with another token
   */
  default CompletionStage<Optional<ForcedRelease>> forceRelease(String name, long token) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException(
            "this store cannot end somebody else's grant; Redis, ZooKeeper, SQL and memory can"));
  }

  /**
   * Looks at a lock without changing it.
   *
   * @param name the lock
   * @return what the store knows
   */
  CompletionStage<LockInfo> inspect(String name);

  /**
   * Names of locks that the store knows: held, waited for, or remembered for their token.
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
