package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.SluiceBuilder;
import dev.sluice.spi.Backend;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.LimitBackend;
import dev.sluice.spi.NoteBackend;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks the contract of the policy book: on each store that keeps it wrongly a test must fail. */
class PolicyBookCatchesFaultsTest {

  @Test
  void writerThatDoesNotLookAtThePresentText() {
    CountDownLatch both = new CountDownLatch(2);
    assertCaught(notes -> new Overtaken(notes, both), "ofTwoWritersBothWrite");
    assertCaught(Careless::new, "ofTwoWritersOfAKeptNoteOneWins");
    assertCaught(Careless::new, "keptNoteIsReplacedOnlyWhereItIsAsExpected");
  }

  @Test
  void changeThatNobodyHearsOf() {
    assertCaught(Silent::new, "processThatFollowsTakesOverAChange");
    assertCaught(Silent::new, "processThatWasAwayKeepsTheLastPolicyAndCatchesUp");
  }

  private static void assertCaught(UnaryOperator<NoteBackend> fault, String test) {
    assertThatCode(() -> run(MemoryStore.onManualTime(), test))
        .as("without the fault")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> run(new FaultyNotes(MemoryStore.onManualTime(), fault), test))
        .as(test)
        .isInstanceOf(AssertionError.class);
  }

  private static void run(StoreUnderTest store, String test) throws Throwable {
    ContractFixture contract =
        new MemoryNoteContractTest() {
          @Override
          protected StoreUnderTest openStore() {
            return store;
          }
        };
    ContractRun.run(contract, test);
  }

  /** Reads, thinks, and writes whatever it finds. */
  private static class Careless implements NoteBackend {
    private final NoteBackend notes;

    Careless(NoteBackend notes) {
      this.notes = notes;
    }

    @Override
    public CompletionStage<Boolean> put(String board, String name, String text, long ttlMicros) {
      return notes.put(board, name, text, ttlMicros);
    }

    @Override
    public CompletionStage<Boolean> replace(
        String board, String name, @Nullable String expected, String text) {
      return all(board)
          .thenCompose(texts -> notes.replace(board, name, texts.get(name), text))
          .thenCompose(
              done ->
                  done
                      ? CompletableFuture.completedFuture(true)
                      : replace(board, name, expected, text));
    }

    @Override
    public CompletionStage<Map<String, String>> all(String board) {
      return notes.all(board);
    }
  }

  /** Writes when another writer has read the same text, and is about to write too. */
  private static final class Overtaken extends Careless {
    private final CountDownLatch both;

    Overtaken(NoteBackend notes, CountDownLatch both) {
      super(notes);
      this.both = both;
    }

    @Override
    public CompletionStage<Boolean> replace(
        String board, String name, @Nullable String expected, String text) {
      both.countDown();
      try {
        if (!both.await(1, TimeUnit.MINUTES)) {
          throw new IllegalStateException("the other writer did not come");
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return super.replace(board, name, expected, text);
    }
  }

  /** Loses the note that tells of changes. */
  private static final class Silent extends Careless {
    private final NoteBackend notes;

    Silent(NoteBackend notes) {
      super(notes);
      this.notes = notes;
    }

    @Override
    public CompletionStage<Boolean> put(String board, String name, String text, long ttlMicros) {
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public CompletionStage<Boolean> replace(
        String board, String name, @Nullable String expected, String text) {
      return notes.replace(board, name, expected, text);
    }
  }

  /** The in-memory store, with a fault between its notes and its clients. */
  private record FaultyNotes(MemoryStore store, UnaryOperator<NoteBackend> fault)
      implements StoreUnderTest {

    @Override
    public Backend connect() {
      Backend right = store.connect();
      NoteBackend faulty = fault.apply(right.notes());
      return new Backend() {
        @Override
        public String describe() {
          return right.describe();
        }

        @Override
        public GrantBackend locks() {
          return right.locks();
        }

        @Override
        public LimitBackend limits() {
          return right.limits();
        }

        @Override
        public NoteBackend notes() {
          return faulty;
        }

        @Override
        public void close() {
          right.close();
        }
      };
    }

    @Override
    public void configure(SluiceBuilder builder) {
      store.configure(builder);
    }

    @Override
    public void pass(Duration span) {
      store.pass(span);
    }

    @Override
    public long nanos() {
      return store.nanos();
    }

    @Override
    public Duration patience() {
      return Duration.ofMillis(500);
    }

    @Override
    public void loseData() {
      store.loseData();
    }

    @Override
    public boolean forgetsInTime(String name) {
      return store.forgetsInTime(name);
    }
  }
}
