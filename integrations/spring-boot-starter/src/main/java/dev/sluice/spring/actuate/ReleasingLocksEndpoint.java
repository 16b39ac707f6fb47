package dev.sluice.spring.actuate;

import dev.sluice.Sluice;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.text.Names;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The locks endpoint, with DELETE to release a lock by force. Only where the settings allow it. */
@Endpoint(id = "sluicelocks")
final class ReleasingLocksEndpoint extends SluiceLocksEndpoint {
  private static final Log LOG = LogFactory.getLog(ReleasingLocksEndpoint.class);

  ReleasingLocksEndpoint(Sluice sluice) {
    super(sluice);
  }

  /**
   * The result of a forced release.
   *
   * @param released whether the lock was held
   * @param holder its holder; null if it was free
   * @param fence a token that a guard can be raised to, so that it refuses the old holder; 0 if the
   *     lock was free
   */
  record Released(boolean released, LockInfo.@Nullable Holder holder, long fence) {}

  /**
   * Ends the current lease. The store sends a message to its holder, which notices the loss at its
   * next renewal at the latest.
   *
   * @param name the lock
   * @return whose lease was ended
   */
  @DeleteOperation
  public Released release(@Selector(match = Selector.Match.ALL_REMAINING) String... name) {
    String lock = join(name);
    Optional<ForcedRelease> ended = sluice.lock(lock).forceRelease();
    LOG.warn(
        "lock %s released by force through the endpoint: %s"
            .formatted(
                Names.quoted(lock),
                ended
                    .map(
                        e ->
                            "token "
                                + e.holder().token()
                                + " of "
                                + Names.quoted(e.holder().client()))
                    .orElse("it was not held")));
    return ended
        .map(release -> new Released(true, release.holder(), release.fence()))
        .orElse(new Released(false, null, 0));
  }
}
