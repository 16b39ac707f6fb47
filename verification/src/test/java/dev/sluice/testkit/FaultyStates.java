package dev.sluice.testkit;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.States;
import dev.sluice.state.grant.Grant;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;
import org.jspecify.annotations.Nullable;

/** Stores that decide wrongly, each in one point: what the tests must be able to notice. */
public final class FaultyStates {
  private static final long LONG_AGO = 3_600_000_000L;

  private FaultyStates() {}

  /** A release deletes whatever is there. */
  public static GrantState plainDelete(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected boolean ends(Grant grant, String client, long attempt) {
        return true;
      }
    };
  }

  /** A release compares the client and not the attempt. */
  public static GrantState releaseByClientAlone(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected boolean ends(Grant grant, String client, long attempt) {
        return grant.client.equals(client);
      }
    };
  }

  /** A release is not remembered. */
  public static GrantState noTombstone(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected boolean isOver(long now, String client, long attempt) {
        return false;
      }
    };
  }

  /** What nobody uses any more stays. */
  public static GrantState neverForgotten(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      public boolean isForgettable(long now) {
        return false;
      }
    };
  }

  /** Tokens count up from the last one, wherever the clock stands. */
  public static GrantState tokenWithoutClockFloor(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected long nextToken(long fence, long now) {
        return fence + 1;
      }
    };
  }

  /** The clock alone is the token. */
  public static GrantState tokenThatIsTheClock(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected long nextToken(long fence, long now) {
        return now;
      }
    };
  }

  /** The last token of a block is the first of the next. */
  public static GrantState lastTokenOfABlockGivenAgain(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected long nextToken(long fence, long now) {
        return Math.max(fence, now);
      }
    };
  }

  /** Every grant gets the whole block it asks for, however far tokens run ahead of the clock. */
  public static GrantState blocksWithoutABound(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      private long reserved;

      @Override
      protected long nextToken(long fence, long now) {
        return Math.max(Math.max(fence, reserved) + 1, now);
      }

      @Override
      public GrantReply acquire(long now, GrantRequest request, States.Post<LockMessage> post) {
        GrantReply reply = super.acquire(now, request, post);
        if (!(reply instanceof GrantReply.Granted cut)) {
          return reply;
        }
        reserved = cut.token() + request.block() - 1;
        return new GrantReply.Granted(
            cut.token(), request.block(), cut.remainingMicros(), cut.waiting());
      }

      @Override
      public PermitInfo inspect(long now) {
        PermitInfo info = super.inspect(now);
        return new PermitInfo(
            info.name(),
            info.capacity(),
            info.holders(),
            info.waiters(),
            Math.max(reserved, info.lastToken()));
      }
    };
  }

  /** A renewal takes the lock again for whom it was gone. */
  public static GrantState renewalThatRecreates(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      public RenewReply renew(long now, String client, long attempt, long ttlMicros) {
        if (super.renew(now, client, attempt, ttlMicros) instanceof RenewReply.Gone) {
          GrantRequest again = new GrantRequest(lock, client, attempt, ttlMicros, 1, false);
          super.acquire(now, again, (to, message) -> {});
        }
        return super.renew(now, client, attempt, ttlMicros);
      }
    };
  }

  /** A poll neither drops the dead nor hands over: only a release does. */
  public static GrantState pollThatDoesNotSweep(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      private boolean polling;

      @Override
      public GrantReply acquire(long now, GrantRequest request, States.Post<LockMessage> post) {
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
      protected void handOver(long now, @Nullable String alive, States.Post<LockMessage> post) {
        if (!polling) {
          super.handOver(now, alive, post);
        }
      }
    };
  }

  /** Waiters that died keep their place and are served. */
  public static GrantState deadAreNotSkipped(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected void dropDead(long now, @Nullable String alive) {
        // the dead keep their place
      }
    };
  }

  /** Nobody is called when the lock comes free: who asks first gets it. */
  public static GrantState noHandOver(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected void handOver(long now, @Nullable String alive, States.Post<LockMessage> post) {
        dropDead(now, alive); // newcomers take what is free
      }
    };
  }

  /** A newcomer takes every other for dead. */
  public static GrantState newcomerPassesTheQueue(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected void dropDead(long now, @Nullable String alive) {
        super.dropDead(alive == null ? now : now + LONG_AGO, alive);
      }

      @Override
      protected void handOver(long now, @Nullable String alive, States.Post<LockMessage> post) {
        dropDead(now, alive); // newcomers take what is free
      }
    };
  }

  /** All who wait are called for one lock. */
  public static GrantState wakesEverybody(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected void handOver(long now, @Nullable String alive, States.Post<LockMessage> post) {
        super.handOver(
            now,
            alive,
            (client, call) -> {
              post.send(client, call);
              inspect(now).waiters().forEach(waiter -> post.send(waiter.client(), call));
            });
      }
    };
  }

  /** Who is refused lengthens the lease of whom he found there. */
  public static GrantState refusalThatLengthensTheLease(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      public GrantReply acquire(long now, GrantRequest request, States.Post<LockMessage> post) {
        GrantReply reply = super.acquire(now, request, post);
        if (reply instanceof GrantReply.Busy) {
          PermitInfo.Holder holder = inspect(now).holders().get(0);
          super.renew(now, holder.client(), holder.attempt(), request.ttlMicros());
        }
        return reply;
      }
    };
  }

  /** Who is next gets the lock, and nobody tells him. */
  public static GrantState grantWithoutAMessage(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      protected void handOver(long now, @Nullable String alive, States.Post<LockMessage> post) {
        super.handOver(now, alive, (client, message) -> {});
      }
    };
  }

  /** Every acquire finds the lock free. */
  public static GrantState forgetsTheHolder(String lock) {
    return new GrantState(lock, GrantKind.LOCK) {
      @Override
      public GrantReply acquire(long now, GrantRequest request, States.Post<LockMessage> post) {
        touch(now + LONG_AGO);
        return super.acquire(now, request, post);
      }
    };
  }
}
