package dev.sluice.testkit;

import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.RenewReply;
import dev.sluice.state.LockState.Post;
import dev.sluice.state.PermitState;
import org.jspecify.annotations.Nullable;

/** Stores that decide wrongly about units, each in one point. */
final class FaultyPermits {
  private FaultyPermits() {}

  /** One unit more is given than there is. */
  static PermitState countsOneTooMany(String name) {
    return new PermitState(name) {
      @Override
      protected long free() {
        return super.free() + 1;
      }
    };
  }

  /** A release ends whatever the client holds. */
  static PermitState releaseByClientAlone(String name) {
    return new PermitState(name) {
      @Override
      protected @Nullable Grant find(String client, long attempt) {
        Grant mine = super.find(client, attempt);
        for (PermitInfo.Holder holder : inspect(0).holders()) {
          if (mine == null && holder.client().equals(client)) {
            mine = super.find(client, holder.attempt());
          }
        }
        return mine;
      }
    };
  }

  /** A release is not remembered. */
  static PermitState noTombstone(String name) {
    return new PermitState(name) {
      @Override
      protected boolean isOver(long now, String client, long attempt) {
        return false;
      }
    };
  }

  /** Tokens count up from the last one, wherever the clock stands. */
  static PermitState tokenWithoutClockFloor(String name) {
    return new PermitState(name) {
      @Override
      protected long nextToken(long fence, long now) {
        return fence + 1;
      }
    };
  }

  /** The clock alone is the token. */
  static PermitState tokenThatIsTheClock(String name) {
    return new PermitState(name) {
      @Override
      protected long nextToken(long fence, long now) {
        return now;
      }
    };
  }

  /** Waiters that died keep their place and are served. */
  static PermitState deadAreNotSkipped(String name) {
    return new PermitState(name) {
      @Override
      protected void dropDead(long now, @Nullable String alive) {
        // the dead keep their place
      }
    };
  }

  /** Nobody is called when units come free. */
  static PermitState noHandOver(String name) {
    return new PermitState(name) {
      @Override
      protected void handOver(long now, @Nullable String alive, Post post) {
        dropDead(now, alive);
      }
    };
  }

  /** A release serves one ticket, however many fit. */
  static PermitState handsOverToOne(String name) {
    return new PermitState(name) {
      private boolean one;

      @Override
      public boolean release(long now, String client, long attempt, int keep, Post post) {
        one = false;
        try {
          return super.release(now, client, attempt, keep, post);
        } finally {
          one = false;
        }
      }

      @Override
      protected void handOver(long now, @Nullable String alive, Post post) {
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
  static PermitState smallOnesPass(String name) {
    return new PermitState(name) {
      @Override
      protected void dropDead(long now, @Nullable String alive) {
        // every ticket but the asker's own is taken for dead while he asks
        super.dropDead(alive == null ? now : now + 3_600_000_000L, alive);
      }
    };
  }

  /** A return of a part ends the whole grant. */
  static PermitState partIsTheWhole(String name) {
    return new PermitState(name) {
      @Override
      public boolean release(long now, String client, long attempt, int keep, Post post) {
        return super.release(now, client, attempt, 0, post);
      }
    };
  }

  /** A return of a part is not carried out. */
  static PermitState partIsKept(String name) {
    return new PermitState(name) {
      @Override
      public boolean release(long now, String client, long attempt, int keep, Post post) {
        return super.release(now, client, attempt, keep == 0 ? 0 : Integer.MAX_VALUE, post);
      }
    };
  }

  /** Nobody goes first. */
  static PermitState noPreference(String name) {
    return new PermitState(name) {
      @Override
      public GrantReply acquire(long now, GrantRequest r, Post post) {
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
  static PermitState alwaysPrefersWriters(String name) {
    return new PermitState(name) {
      @Override
      public GrantReply acquire(long now, GrantRequest r, Post post) {
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
  static PermitState takesAnyCapacity(String name) {
    return new PermitState(name) {
      @Override
      public GrantReply acquire(long now, GrantRequest request, Post post) {
        resize(now, request.capacity(), post);
        return super.acquire(now, request, post);
      }
    };
  }

  /** A renewal takes the units again for whom they were gone. */
  static PermitState renewalThatRecreates(String name) {
    return new PermitState(name) {
      @Override
      public RenewReply renew(long now, String client, long attempt, long ttlMicros) {
        RenewReply reply = super.renew(now, client, attempt, ttlMicros);
        return reply instanceof RenewReply.Gone ? new RenewReply.Renewed(ttlMicros, 0) : reply;
      }
    };
  }
}
