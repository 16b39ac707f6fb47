package dev.sluice.verification.history;

import dev.sluice.spi.GrantReply;
import dev.sluice.spi.RenewReply;
import dev.sluice.verification.history.Event.Held;
import dev.sluice.verification.history.Event.Verb;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** L3: release and renew touch their own attempt or nothing, and what is over stays over. */
final class Grants extends Rule {
  private static final long ROUNDING_NANOS = 2_000;

  private static final class Names {
    @Nullable Held held;

    /** Attempts that the store knows are over, by client. */
    final Map<String, Long> over = new HashMap<>();

    /** Attempts that their client ended, by client. */
    final Map<String, Long> ended = new HashMap<>();

    final Set<Long> tokens = new HashSet<>();

    /** The store gave the lock to a waiter that has not asked for it since. */
    boolean handedOff;

    /**
     * The end of a hand-off that a late renewal made a lease. Until then the store may keep that
     * lease, and shows no more of it than its TTL from now.
     */
    long claimEnd;

    boolean stepped;
  }

  private final Map<String, Names> names = new HashMap<>();

  Grants(Assumptions assumptions) {
    super(assumptions);
  }

  @Override
  void on(Event event) {
    if (event instanceof Event.Sent sent) {
      onSent(sent, name(sent.name()));
    } else if (event instanceof Event.Decided decided) {
      Names state = name(decided.name());
      onDecided(decided, state);
      state.held = decided.after();
      state.stepped &=
          decided.reply() instanceof GrantReply.Over; // the one step that clamps nothing
    } else if (event instanceof Event.Fault fault) {
      if (fault.kind() == Event.Kind.AMNESIA) {
        names
            .values()
            .forEach(
                state -> {
                  state.held = null;
                  state.over.clear();
                });
      } else if (fault.kind() == Event.Kind.STEPPED) {
        names.values().forEach(state -> state.stepped = true);
      }
    }
  }

  private Names name(String name) {
    return names.computeIfAbsent(name, n -> new Names());
  }

  private void onSent(Event.Sent sent, Names state) {
    if (sent.verb() == Verb.RELEASE) {
      state.ended.merge(sent.client(), sent.attempt(), Math::max);
    } else if (sent.attempt() <= state.ended.getOrDefault(sent.client(), Long.MIN_VALUE)) {
      broken("L3", "a client goes on with an attempt that it ended: " + sent);
    }
  }

  private void onDecided(Event.Decided decided, Names state) {
    Held before = state.held;
    Held after = decided.after();
    boolean live = before != null && before.until() > decided.at() + ROUNDING_NANOS;
    if (before != null && (live || after != null) && !state.stepped) {
      switch (decided.verb()) {
        case RELEASE -> onRelease(decided, before, after, live, state);
        case RENEW -> onRenew(decided, before, after, live, state);
        case ACQUIRE -> {}
      }
    }
    if (decided.verb() == Verb.RENEW && before == null && after != null && !state.stepped) {
      broken("L3", "a renewal made a grant: " + decided);
    }
    if (after == null || !after.isSameGrant(before)) {
      state.handedOff = after != null && !isAsked(decided, after);
      state.claimEnd = 0;
    } else if (decided.verb() != Verb.RELEASE
        && decided.client().equals(after.client())
        && decided.attempt() == after.attempt()) {
      if (decided.verb() == Verb.ACQUIRE) {
        state.claimEnd = 0;
      } else if (state.handedOff && before != null) {
        state.claimEnd = before.until();
      }
      state.handedOff = false;
    }
    if (after != null && state.tokens.add(after.token())) {
      long over = state.over.getOrDefault(after.client(), Long.MIN_VALUE);
      if (after.attempt() <= over && assumptions.requestsAreOnTime()) {
        broken("L3", "an attempt that was over got the lock: " + decided);
      }
    }
    if (decided.verb() == Verb.RELEASE) {
      state.over.merge(decided.client(), decided.attempt(), Math::max);
    }
  }

  /** Whether the grant answers its own request: a client that is away gets no message of one. */
  private static boolean isAsked(Event.Decided decided, Held grant) {
    return decided.verb() == Verb.ACQUIRE
        && decided.client().equals(grant.client())
        && decided.attempt() == grant.attempt();
  }

  private void onRelease(
      Event.Decided decided, Held before, @Nullable Held after, boolean live, Names state) {
    boolean own = before.client().equals(decided.client()) && before.attempt() <= decided.attempt();
    if (own && before.isSameGrant(after)) {
      broken("L3", "a release left its grant in place: " + decided);
    }
    if (!own && live && !untouched(before, after, state)) {
      broken("L3", "a release touched another grant, " + before + ": " + decided);
    }
  }

  /**
   * A late renewal may meet a hand-off to its own attempt. That is a claim of one second and not a
   * lease, and becomes a lease of the renewal's TTL.
   */
  private void onRenew(
      Event.Decided decided, Held before, @Nullable Held after, boolean live, Names state) {
    boolean own = before.client().equals(decided.client()) && before.attempt() == decided.attempt();
    if (!own && live && !untouched(before, after, state)) {
      broken("L3", "a renewal touched another grant, " + before + ": " + decided);
    }
    boolean shorter = after != null && after.until() + ROUNDING_NANOS < before.until();
    if (own && live && (after == null || (shorter && !state.handedOff))) {
      broken("L3", "a renewal shortened its grant, " + before + ": " + decided);
    }
    if (decided.reply() instanceof RenewReply.Renewed && !(own && before.isSameGrant(after))) {
      broken("L3", "a renewal of something else succeeded: " + decided);
    }
  }

  /** A clamp to the clock may cut what was stranded ahead of it; nothing may lengthen it. */
  private static boolean untouched(Held before, @Nullable Held after, Names state) {
    return after != null
        && before.isSameGrant(after)
        && after.until() <= Math.max(before.until(), state.claimEnd) + ROUNDING_NANOS;
  }
}
