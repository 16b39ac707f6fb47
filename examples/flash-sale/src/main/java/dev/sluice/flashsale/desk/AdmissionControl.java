package dev.sluice.flashsale.desk;

import dev.sluice.Sluice;
import dev.sluice.flashsale.desk.BuyerReply.What;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Admission to a desk: a token that was given to this buyer for this sale, and limits per buyer and
 * for all together, at this instance. The token is checked first: it costs no call. Safe for use by
 * many threads.
 */
public final class AdmissionControl implements AutoCloseable {
  /*
   * The limits are here to keep the store from work, so they are kept in this process and cost no
   * call. A buyer who is sent to every instance has the limit of each; what he can get is one claim
   * all the same, which the store decides.
   */
  private final SaleTokens tokens;
  private final Sluice memory = Sluice.connect("memory:");
  private final RateLimiter limiter;

  /** Lets so many claims a second pass, of one buyer (five times as many in a burst) and of all. */
  public AdmissionControl(SaleTokens tokens, int perBuyer, int together) {
    this.tokens = tokens;
    this.limiter =
        memory.rateLimiter(
            "flash-sale/claims",
            RateLimiterOptions.of(
                Limit.tokenBucket(perBuyer, Duration.ofSeconds(1))
                    .burst(5L * perBuyer)
                    .name("buyer"),
                Limit.tokenBucket(together, Duration.ofSeconds(1)).name("everybody").shared()));
  }

  public SaleTokens tokens() {
    return tokens;
  }

  /** Lets a claim of this buyer pass to the desk, or says why not. */
  public CompletionStage<BuyerReply> claim(Desk desk, String token, String buyer, String request) {
    if (!tokens.isValid(token, buyer, desk.terms().sale())) {
      return CompletableFuture.completedFuture(BuyerReply.of(What.NO_TOKEN));
    }
    return limiter
        .async()
        .tryAcquire(buyer, 1)
        .thenCompose(
            decision ->
                decision.allowed()
                    ? desk.claim(buyer, request)
                    : CompletableFuture.completedFuture(BuyerReply.of(What.LIMITED)));
  }

  /** Idempotent. */
  @Override
  public void close() {
    memory.close();
  }
}
