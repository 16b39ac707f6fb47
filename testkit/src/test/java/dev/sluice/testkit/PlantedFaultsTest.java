package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.spi.AcquireReply;
import dev.sluice.spi.AcquireRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockState;
import dev.sluice.spi.RenewReply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Checks the checker: each class below plants one fault in the store's decisions, and the test of
 * the contract that is named for it must fail.
 */
class PlantedFaultsTest {
  private static final long LONG_AGO = 3_600_000_000L;

  @Test
  void releaseThatDeletesWhateverIsThere() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      protected boolean frees(Holder grant, String client, long attempt) {
        return true;
      }
    }
    assertCaught(Faulty::new, "l3_lateReleaseDoesNotFreeTheNextHolder");
  }

  @Test
  void releaseThatComparesTheClientAlone() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      protected boolean frees(Holder grant, String client, long attempt) {
        return grant.client.equals(client);
      }
    }
    assertCaught(Faulty::new, "l3_lateReleaseDoesNotFreeTheNextLeaseOfTheSameProcess");
  }

  @Test
  void releaseThatLeavesNoTombstone() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      protected boolean isOver(long now, String client, long attempt) {
        return false;
      }
    }
    assertCaught(Faulty::new, "l3_lateAcquireAfterTheReleaseTakesNothing");
    assertCaught(Faulty::new, "l3_lateAcquireAfterTheReleaseDoesNotQueue");
    assertCaught(Faulty::new, "l7_requestThatArrivesAfterItWasGivenUpTakesNothing");
  }

  @Test
  void tokenThatCountsWithoutTheClock() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      protected long nextToken(long fence, long now) {
        return fence + 1;
      }
    }
    assertCaught(Faulty::new, "l2_tokenGrowsAcrossALossOfTheStoresData");
    assertCaught(Faulty::new, "l2_tokenGrowsAcrossALossOfDataAfterManyGrantsInOneBurst");
  }

  @Test
  void tokenThatIsTheClockAlone() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      protected long nextToken(long fence, long now) {
        return now;
      }
    }
    assertCaught(Faulty::new, "l1_oneHolderAtATime");
  }

  @Test
  void renewalThatBringsBackWhatIsGone() {
    class Faulty extends LockState {
      private final String name;

      Faulty(String name) {
        super(name);
        this.name = name;
      }

      @Override
      public RenewReply renew(long now, String client, long attempt, long ttlMicros) {
        if (super.renew(now, client, attempt, ttlMicros) instanceof RenewReply.Gone) {
          AcquireRequest again = new AcquireRequest(name, client, attempt, ttlMicros, 1, false);
          super.acquire(now, again, (to, message) -> {});
        }
        return super.renew(now, client, attempt, ttlMicros);
      }
    }
    assertCaught(Faulty::new, "l3_renewalDoesNotBringBackWhatIsGone");
  }

  @Test
  void pollThatDoesNotSweep() {
    class Faulty extends LockState {
      private boolean polling;

      Faulty(String name) {
        super(name);
      }

      @Override
      public AcquireReply acquire(long now, AcquireRequest request, Post post) {
        polling = true;
        try {
          return super.acquire(now, request, post);
        } finally {
          polling = false;
        }
      }

      @Override
      protected void dropDead(long now, @Nullable String alive) {
        if (!polling) {
          super.dropDead(now, alive);
        }
      }

      @Override
      protected void handOver(long now, Post post) {
        if (!polling) {
          super.handOver(now, post);
        }
      }
    }
    assertCaught(Faulty::new, "l6_deadHolderAndDeadWaiterAreBothSkipped");
  }

  @Test
  void releaseThatHandsOverToTheDead() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      protected void dropDead(long now, @Nullable String alive) {}
    }
    assertCaught(Faulty::new, "l6_waiterThatDiedBeforeTheReleaseCostsNothing");
  }

  @Test
  void releaseThatFreesWithoutHandingOver() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      protected void handOver(long now, Post post) {}
    }
    assertCaught(Faulty::new, "l6_wakeUpComesByMessage");
  }

  @Test
  void newcomerThatPassesTheQueue() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      protected void dropDead(long now, @Nullable String alive) {
        super.dropDead(alive == null ? now : now + LONG_AGO, alive);
      }

      @Override
      protected void handOver(long now, Post post) {}
    }
    assertCaught(Faulty::new, "newcomerDoesNotPassALiveTicket");
    assertCaught(Faulty::new, "newcomerDoesNotPassALiveTicketWhenTheLeaseRanOut");
  }

  @Test
  void releaseThatWakesEverybody() {
    class Faulty extends LockState {
      private final String name;

      Faulty(String name) {
        super(name);
        this.name = name;
      }

      @Override
      protected void handOver(long now, Post post) {
        super.handOver(now, post);
        inspect(now)
            .waiters()
            .forEach(
                waiter ->
                    post.send(waiter.client(), new LockMessage(LockMessage.Kind.GRANTED, name)));
      }
    }
    assertCaught(Faulty::new, "l6_releaseWakesOneWaiter");
  }

  @Test
  void refusalThatLengthensTheLease() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      public AcquireReply acquire(long now, AcquireRequest request, Post post) {
        AcquireReply reply = super.acquire(now, request, post);
        if (reply instanceof AcquireReply.Busy && holder != null) {
          super.renew(now, holder.client, holder.attempt, request.ttlMicros());
        }
        return reply;
      }
    }
    assertCaught(Faulty::new, "l3_refusedTryDoesNotLengthenTheHoldersLease");
  }

  @Test
  void grantThatForgetsTheHolder() {
    class Faulty extends LockState {
      Faulty(String name) {
        super(name);
      }

      @Override
      public AcquireReply acquire(long now, AcquireRequest request, Post post) {
        holder = null;
        return super.acquire(now, request, post);
      }
    }
    assertCaught(Faulty::new, "l1_oneHolderAtATime");
    assertCaught(Faulty::new, "l7_repeatedRequestIsTheSameGrantWithTheSameToken");
  }

  private static void assertCaught(Function<String, LockState> faulty, String test) {
    assertThatCode(() -> run(MemoryStore.onManualTime(), test))
        .as("without the fault")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> run(MemoryStore.faulty(faulty), test))
        .as(test)
        .isInstanceOf(AssertionError.class);
  }

  private static void run(StoreUnderTest store, String test) throws Throwable {
    LockContract contract =
        new LockContract() {
          @Override
          protected StoreUnderTest openStore() {
            return store;
          }
        };
    Method method = find(test);
    contract.start();
    try {
      method.invoke(contract);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } finally {
      contract.stop();
    }
  }

  private static Method find(String test) throws NoSuchMethodException {
    for (Class<?> type = LockContract.class; type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        if (method.getName().equals(test)) {
          assertThat(method.isAnnotationPresent(Test.class)).isTrue();
          method.setAccessible(true);
          return method;
        }
      }
    }
    throw new NoSuchMethodException(test);
  }
}
