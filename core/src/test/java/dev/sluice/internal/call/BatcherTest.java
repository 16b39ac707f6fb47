package dev.sluice.internal.call;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.memory.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BatcherTest {
  private static final BatchWork.Rules ONE_CALL = new BatchWork.Rules(100, 1, 1, Long.MAX_VALUE);
  private static final BatchWork.Rules ONCE = new BatchWork.Rules(100, 1, 1, 0);

  private final ManualTime time = new ManualTime();
  private final TimerQueue timers = new TimerQueue(time, time);
  private final Deque<Runnable> callbacks = new ArrayDeque<>();

  /** Calls without an answer, and all that were sent. */
  private final Deque<CompletableFuture<IntFunction<String>>> calls = new ArrayDeque<>();

  private final List<List<String>> sent = new ArrayList<>();

  private class Store implements BatchWork<String, String> {
    @Override
    public CompletionStage<IntFunction<String>> send(List<String> batch) {
      sent.add(List.copyOf(batch));
      CompletableFuture<IntFunction<String>> call = new CompletableFuture<>();
      calls.add(call);
      return call.thenApply(answers -> index -> answers.apply(index) + batch.get(index));
    }
  }

  private Batcher<String, String> batcher(BatchWork<String, String> work, BatchWork.Rules rules) {
    return new Batcher<>(work, rules, time, timers, callbacks::add);
  }

  private static CompletableFuture<String> add(Batcher<String, String> batcher, String request) {
    return requireNonNull(batcher.add(request, Batcher.NEVER, false));
  }

  private CompletableFuture<String> addDue(
      Batcher<String, String> batcher, String request, long nanos) {
    return requireNonNull(batcher.add(request, time.nanos() + nanos, false));
  }

  private void answer() {
    calls.remove().complete(index -> "answer to ");
  }

  private void fail(RuntimeException failure) {
    calls.remove().completeExceptionally(failure);
  }

  private void runCallbacks() {
    while (!callbacks.isEmpty()) {
      callbacks.remove().run();
    }
  }

  private static @Nullable Throwable failureOf(CompletableFuture<String> answer) {
    return answer.handle((ok, failure) -> failure).join();
  }

  // ---- gathering ----

  @Test
  void loneRequestIsSentImmediately() {
    CompletableFuture<String> answer = add(batcher(new Store(), ONE_CALL), "a");
    assertThat(sent).containsExactly(List.of("a"));
    answer();
    assertThat(answer).isCompletedWithValue("answer to a");
  }

  @Test
  void requestsThatArriveDuringACallTravelTogetherInTheNextOne() {
    Batcher<String, String> batcher = batcher(new Store(), ONE_CALL);
    add(batcher, "a");
    CompletableFuture<String> second = add(batcher, "b");
    CompletableFuture<String> third = add(batcher, "c");
    assertThat(sent).hasSize(1);
    answer();
    assertThat(sent).containsExactly(List.of("a"), List.of("b", "c"));
    answer();
    assertThat(second).isCompletedWithValue("answer to b");
    assertThat(third).isCompletedWithValue("answer to c");
  }

  @Test
  void requestsThatDoNotFitKeepTheirOrder() {
    Batcher<String, String> batcher =
        batcher(
            new Store() {
              @Override
              public boolean fits(String first, String next) {
                return first.charAt(0) == next.charAt(0);
              }
            },
            ONE_CALL);
    List.of("a1", "b1", "b2", "c1", "b3").forEach(request -> add(batcher, request));
    for (int i = 0; i < 4; i++) {
      answer();
    }
    assertThat(sent)
        .containsExactly(List.of("a1"), List.of("b1", "b2"), List.of("c1"), List.of("b3"));
  }

  @Test
  void manyWaitingRequestsAreSentDuringACall() {
    Batcher<String, String> batcher = batcher(new Store(), new BatchWork.Rules(3, 2, 2, 0));
    List.of("a", "b", "c", "d", "e").forEach(request -> add(batcher, request));
    assertThat(sent).containsExactly(List.of("a"), List.of("b", "c"));
    answer();
    assertThat(sent).hasSize(3).last().isEqualTo(List.of("d", "e"));
  }

  @Test
  void batchIsNoLargerThanAllowed() {
    Batcher<String, String> batcher = batcher(new Store(), new BatchWork.Rules(2, 1, 1, 0));
    List.of("a", "b", "c", "d").forEach(request -> add(batcher, request));
    answer();
    answer();
    assertThat(sent).containsExactly(List.of("a"), List.of("b", "c"), List.of("d"));
  }

  @Test
  void requestsWaitForACallThatIsMadeElsewhere() {
    Batcher<String, String> batcher = batcher(new Store(), ONCE);
    batcher.holdBack();
    add(batcher, "a");
    add(batcher, "b");
    assertThat(sent).isEmpty();
    assertThat(batcher.retire()).isFalse();
    batcher.release();
    assertThat(sent).containsExactly(List.of("a", "b"));
  }

  // ---- failures ----

  @Test
  void failureStaysWithTheRequestsOfItsCall() {
    Batcher<String, String> batcher = batcher(new Store(), ONCE);
    CompletableFuture<String> first = add(batcher, "a");
    CompletableFuture<String> second = add(batcher, "b");
    fail(new BackendException("planted", null));
    assertThat(failureOf(first)).isInstanceOf(BackendException.class).hasMessage("planted");
    answer();
    assertThat(second).isCompletedWithValue("answer to b");
  }

  @Test
  void answerThatFailsForOneRequestReachesTheOthers() {
    Batcher<String, String> batcher = batcher(new Store(), ONCE);
    add(batcher, "a");
    CompletableFuture<String> bad = add(batcher, "b");
    CompletableFuture<String> good = add(batcher, "c");
    answer();
    calls
        .remove()
        .complete(
            index -> {
              if (index == 0) {
                throw new IllegalStateException("planted");
              }
              return "answer to ";
            });
    assertThat(failureOf(bad)).hasMessage("planted");
    assertThat(good).isCompletedWithValue("answer to c");
  }

  @Test
  void failureMayBeAnsweredInstead() {
    Batcher<String, String> batcher =
        batcher(
            new Store() {
              @Override
              public String failed(String request, Throwable cause) {
                return request + " without the store: " + cause.getMessage();
              }
            },
            ONCE);
    CompletableFuture<String> answer = add(batcher, "a");
    fail(new BackendException("planted", null));
    assertThat(answer).isCompletedWithValue("a without the store: planted");
  }

  @Test
  void failedBatchIsRepeatedAsItIs() {
    Batcher<String, String> batcher = batcher(new Store(), ONE_CALL);
    CompletableFuture<String> first = add(batcher, "a");
    CompletableFuture<String> second = add(batcher, "b");
    fail(new BackendException("planted", null));
    assertThat(sent).containsExactly(List.of("a"), List.of("a"));
    answer();
    assertThat(first).isCompletedWithValue("answer to a");
    answer();
    assertThat(second).isCompletedWithValue("answer to b");
  }

  @Test
  void repeatedFailuresPauseTheCalls() {
    Batcher<String, String> batcher = batcher(new Store(), ONE_CALL);
    add(batcher, "a");
    for (int i = 0; i < 5; i++) {
      fail(new BackendException("planted", null));
      int before = sent.size();
      add(batcher, "later" + i);
      if (i > 0) {
        assertThat(calls).isEmpty();
        time.advance(Duration.ofMillis(500));
        assertThat(sent).hasSize(before + 1);
      }
    }
    assertThat(sent).allMatch(List.of("a")::equals);
  }

  @Test
  void batchIsNotRepeatedAfterItsTime() {
    Batcher<String, String> batcher = batcher(new Store(), new BatchWork.Rules(100, 1, 1, 1000));
    CompletableFuture<String> answer = add(batcher, "a");
    fail(new OutcomeUnknownException("no answer", null));
    time.advance(Duration.ofNanos(1000));
    fail(new BackendException("not connected", null));
    assertThat(failureOf(answer))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("the last attempt: not connected");
  }

  @Test
  void failureThatStaysIsNotRepeated() {
    CompletableFuture<String> answer = add(batcher(new Store(), ONE_CALL), "a");
    fail(new IllegalStateException("planted"));
    assertThat(failureOf(answer)).hasMessage("planted");
    assertThat(sent).hasSize(1);
  }

  @Test
  void storeThatThrowsHasFailed() {
    CompletableFuture<String> answer =
        add(
            batcher(
                batch -> {
                  throw new IllegalStateException("planted");
                },
                ONE_CALL),
            "a");
    assertThat(failureOf(answer)).hasMessage("planted");
  }

  // ---- due times ----

  @Test
  void eachRequestFailsAtItsOwnDueTime() {
    Batcher<String, String> batcher = batcher(new Store(), ONE_CALL);
    CompletableFuture<String> late = addDue(batcher, "a", 300);
    CompletableFuture<String> early = addDue(batcher, "b", 100);
    CompletableFuture<String> without = add(batcher, "c");
    time.advance(Duration.ofNanos(100));
    runCallbacks();
    assertThat(failureOf(early))
        .isExactlyInstanceOf(BackendException.class)
        .hasMessage("the store was not reached in time; nothing was done");
    assertThat(late).isNotDone();
    time.advance(Duration.ofNanos(200));
    runCallbacks();
    assertThat(failureOf(late))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessage("no answer within the timeout");
    answer();
    assertThat(sent).containsExactly(List.of("a"), List.of("c"));
    answer();
    assertThat(without).isCompletedWithValue("answer to c");
  }

  @Test
  void requestThatIsOverIsNotRepeatedWithTheOthers() {
    Batcher<String, String> batcher = batcher(new Store(), ONE_CALL);
    add(batcher, "a");
    CompletableFuture<String> over = addDue(batcher, "b", 100);
    CompletableFuture<String> open = add(batcher, "c");
    answer();
    time.advance(Duration.ofNanos(100));
    runCallbacks();
    assertThat(over).isCompletedExceptionally();
    fail(new BackendException("planted", null));
    assertThat(sent).containsExactly(List.of("a"), List.of("b", "c"), List.of("c"));
    answer();
    assertThat(open).isCompletedWithValue("answer to c");
  }

  @Test
  void lateAnswerChangesNothing() {
    AtomicInteger computed = new AtomicInteger();
    Batcher<String, String> batcher = batcher(new Store(), ONCE);
    CompletableFuture<String> over = addDue(batcher, "a", 100);
    time.advance(Duration.ofNanos(100));
    calls.remove().complete(index -> "computed " + computed.incrementAndGet());
    runCallbacks();
    assertThat(failureOf(over)).isInstanceOf(OutcomeUnknownException.class);
    assertThat(computed).hasValue(0);
  }

  // ---- answers ----

  @Test
  void waitingRequestsMayBeAnsweredWithoutACall() {
    Batcher<String, String> batcher =
        batcher(
            new Store() {
              @Override
              public Function<String, @Nullable String> withoutCall() {
                return request -> request.equals("b") ? "known" : null;
              }
            },
            ONCE);
    add(batcher, "a");
    CompletableFuture<String> known = add(batcher, "b");
    add(batcher, "c");
    answer();
    assertThat(known).isCompletedWithValue("known");
    assertThat(sent).containsExactly(List.of("a"), List.of("c"));
  }

  @Test
  void answersThatMayBlockAreDeliveredByTheCallbacks() {
    Batcher<String, String> batcher = batcher(new Store(), ONCE);
    CompletableFuture<String> blocks = requireNonNull(batcher.add("a", Batcher.NEVER, true));
    answer();
    assertThat(blocks).isNotDone();
    runCallbacks();
    assertThat(blocks).isCompletedWithValue("answer to a");
  }

  @Test
  void whatFollowsAnAnswerMayMakeARequestAndWaitForIt() {
    Batcher<String, String> batcher = batcher(new ImmediateStore(), ONCE);
    batcher.holdBack();
    CompletableFuture<String> outer =
        add(batcher, "outer").thenApply(answer -> answer + ", " + add(batcher, "inner").join());
    batcher.release();
    assertThat(outer).isCompletedWithValue("answer to outer, answer to inner");
  }

  /** Answers on the calling thread. */
  private static class ImmediateStore implements BatchWork<String, String> {
    final AtomicInteger calls = new AtomicInteger();

    @Override
    public CompletionStage<IntFunction<String>> send(List<String> batch) {
      calls.incrementAndGet();
      return CompletableFuture.completedFuture(index -> "answer to " + batch.get(index));
    }
  }

  @Test
  void oneCallerDoesNotSendForAllOthersWithoutEnd() {
    ImmediateStore store =
        new ImmediateStore() {
          @Override
          public boolean fits(String first, String next) {
            return false;
          }
        };
    Batcher<String, String> batcher = batcher(store, ONCE);
    batcher.holdBack();
    for (int i = 0; i < 100; i++) {
      add(batcher, "request " + i);
    }
    batcher.release();
    assertThat(store.calls.get()).isLessThan(100);
    assertThat(callbacks).hasSize(1);
    runCallbacks();
    assertThat(store.calls).hasValue(100);
  }

  @Test
  void everyRequestOfManyThreadsIsAnsweredOnce() throws Exception {
    AtomicInteger carried = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    ExecutorService store = Executors.newFixedThreadPool(2);
    Batcher<Integer, Integer> batcher =
        new Batcher<>(
            batch ->
                batch.get(0) % 2 == 0
                    ? CompletableFuture.completedFuture(count(batch, carried))
                    : CompletableFuture.supplyAsync(() -> count(batch, carried), store),
            new BatchWork.Rules(16, 3, 4, 0),
            System::nanoTime,
            timers,
            store);
    CountDownLatch start = new CountDownLatch(1);
    List<CompletableFuture<Boolean>> ends = new ArrayList<>();
    int requests = 2000;
    for (int i = 0; i < 8; i++) {
      int from = i * requests;
      ends.add(
          CompletableFuture.supplyAsync(
              () -> {
                awaitStart(start);
                boolean right = true;
                for (int n = from; n < from + requests; n++) {
                  right &= requireNonNull(batcher.add(n, Batcher.NEVER, n % 3 == 0)).join() == -n;
                }
                return right;
              },
              threads));
    }
    start.countDown();
    assertThat(ends).allMatch(CompletableFuture::join);
    assertThat(carried).hasValue(8 * requests);
    assertThat(batcher.retire()).isTrue();
    threads.shutdown();
    store.shutdown();
  }

  private static void awaitStart(CountDownLatch start) {
    try {
      start.await();
    } catch (InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  private static IntFunction<Integer> count(List<Integer> batch, AtomicInteger carried) {
    carried.addAndGet(batch.size());
    return index -> -batch.get(index);
  }

  // ---- end ----

  @Test
  void retiresOnlyWithoutRequests() {
    AtomicInteger idle = new AtomicInteger();
    Batcher<String, String> batcher =
        batcher(
            new Store() {
              @Override
              public void idle() {
                idle.incrementAndGet();
              }
            },
            ONCE);
    add(batcher, "a");
    assertThat(batcher.retire()).isFalse();
    assertThat(idle).hasValue(0);
    answer();
    assertThat(idle).hasValue(1);
    assertThat(batcher.retire()).isTrue();
    assertThat(batcher.retire()).isFalse();
    assertThat(batcher.add("b", Batcher.NEVER, false)).isNull();
  }

  @Test
  void closingEndsAllRequests() {
    Batcher<String, String> batcher = batcher(new Store(), ONE_CALL);
    CompletableFuture<String> sentOne = add(batcher, "a");
    CompletableFuture<String> waitingOne = add(batcher, "b");
    batcher.close();
    assertThatThrownBy(sentOne::join).hasRootCauseMessage("this Sluice is closed");
    assertThatThrownBy(waitingOne::join).hasRootCauseMessage("this Sluice is closed");
    answer();
    assertThat(sent).hasSize(1);
    assertThat(batcher.add("c", Batcher.NEVER, false)).isNull();
  }
}
