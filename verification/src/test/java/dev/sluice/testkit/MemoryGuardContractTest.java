package dev.sluice.testkit;

import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.testkit.guard.Guards;

class MemoryGuardContractTest implements Guards {
  private final MemoryGuard guard = MemoryGuard.create();
  private final Plain register = new Plain();

  @Override
  public Guard guard() {
    return guard;
  }

  @Override
  public Register register() {
    return register;
  }

  private final class Plain implements Register {
    private long value; // plain on purpose: the guard alone orders the accesses

    @Override
    public long read(FencingToken token) {
      return guard.access("register", token, () -> value);
    }

    @Override
    public void write(FencingToken token, long next) {
      guard.access("register", token, () -> value = next);
    }
  }
}
