package dev.sluice.testkit;

import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.States;
import dev.sluice.state.grant.Grant;
import dev.sluice.state.grant.GrantKind;
import dev.sluice.state.grant.GrantState;
import org.jspecify.annotations.Nullable;

/** Stores that decide wrongly about units, each in one point. */
final class FaultyPermits {
  private FaultyPermits() {}

  /** One unit more is given than there is. */
  static GrantState countsOneTooMany(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      protected long free() {
        return super.free() + 1;
      }
    };
  }

  /** A release ends whatever the client holds. */
  static GrantState releaseByClientAlone(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      protected boolean ends(Grant grant, String client, long attempt) {
        return grant.client.equals(client);
      }
    };
  }

  /** A release is not remembered. */
  static GrantState noTombstone(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      protected boolean isOver(long now, String client, long attempt) {
        return false;
      }
    };
  }

  /** Tokens count up from the last one, wherever the clock stands. */
  static GrantState tokenWithoutClockFloor(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      protected long nextToken(long fence, long now) {
        return fence + 1;
      }
    };
  }

  /** The clock alone is the token. */
  static GrantState tokenThatIsTheClock(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      protected long nextToken(long fence, long now) {
        return now;
      }
    };
  }

  /** Waiters that died keep their place and are served. */
  static GrantState deadAreNotSkipped(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      protected void dropDead(long now, @Nullable String alive) {
        // the dead keep their place
      }
    };
  }

  /** Nobody is called when units come free. */
  static GrantState noHandOver(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      protected void handOver(long now, @Nullable String alive, States.Post<LockMessage> post) {
        dropDead(now, alive);
      }
    };
  }

  /** A release serves one ticket, however many fit. */
  static GrantState handsOverToOne(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      private boolean one;

      @Override
      public boolean release(
          long now, String client, long attempt, int keep, States.Post<LockMessage> post) {
        one = false;
        try {
          return super.release(now, client, attempt, keep, post);
        } finally {
          one = false;
        }
      }

      @Override
      protected void handOver(long now, @Nullable String alive, States.Post<LockMessage> post) {
        super.handOver(
            now,
            alive,
            (to, message) -> {
              one = true;
              post.send(to, message);
            });
      }

      @Override
      protected long free() {
        return one ? 0 : super.free();
      }
    };
  }

  /** Who is small enough passes who came before. */
  static GrantState smallOnesPass(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      protected void dropDead(long now, @Nullable String alive) {
        // every ticket but the asker's own is taken for dead while he asks
        super.dropDead(alive == null ? now : now + 3_600_000_000L, alive);
      }
    };
  }

  /** A return of a part ends the whole grant. */
  static GrantState partIsTheWhole(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      public boolean release(
          long now, String client, long attempt, int keep, States.Post<LockMessage> post) {
        return super.release(now, client, attempt, 0, post);
      }
    };
  }

  /** A return of a part is not carried out. */
  static GrantState partIsKept(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      public boolean release(
          long now, String client, long attempt, int keep, States.Post<LockMessage> post) {
        return super.release(now, client, attempt, keep == 0 ? 0 : Integer.MAX_VALUE, post);
      }
    };
  }

  /** Nobody goes first. */
  static GrantState noPreference(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      public GrantReply acquire(long now, GrantRequest r, States.Post<LockMessage> post) {
        return super.acquire(
            now,
            new GrantRequest(
                r.name(),
                r.client(),
                r.attempt(),
                r.ttlMicros(),
                r.capacity(),
                r.least(),
                r.most(),
                false,
                r.block(),
                r.queue()),
            post);
      }
    };
  }

  /** Writers always go first. */
  static GrantState alwaysPrefersWriters(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      public GrantReply acquire(long now, GrantRequest r, States.Post<LockMessage> post) {
        return super.acquire(
            now,
            new GrantRequest(
                r.name(),
                r.client(),
                r.attempt(),
                r.ttlMicros(),
                r.capacity(),
                r.least(),
                r.most(),
                r.least() > 1,
                r.block(),
                r.queue()),
            post);
      }
    };
  }

  /** Any capacity will do. */
  static GrantState takesAnyCapacity(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      public GrantReply acquire(long now, GrantRequest request, States.Post<LockMessage> post) {
        resize(now, request.capacity(), post);
        return super.acquire(now, request, post);
      }
    };
  }

  /** A renewal takes the units again for whom they were gone. */
  static GrantState renewalThatRecreates(String name) {
    return new GrantState(name, GrantKind.PERMIT) {
      @Override
      public RenewReply renew(long now, String client, long attempt, long ttlMicros) {
        RenewReply reply = super.renew(now, client, attempt, ttlMicros);
        return reply instanceof RenewReply.Gone ? new RenewReply.Renewed(ttlMicros, 0) : reply;
      }
    };
  }
}
