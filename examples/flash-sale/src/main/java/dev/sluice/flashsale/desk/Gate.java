package dev.sluice.flashsale.desk;

import dev.sluice.Sluice;
import dev.sluice.flashsale.desk.Told.What;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What stands before a desk: a token that was given to this buyer for this sale, and a limit per
 * buyer and for all together. The token is checked first: it costs no call. Safe for use by many
 * threads.
 */
public final class Gate {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(1);

  private final SaleTokens tokens;
  private final RateLimiter limiter;

  /**
   * A gate.
   *
   * @param sluice the store of the limits
   * @param tokens of the buyers
   * @param perBuyer claims of one buyer in a second, and five times as many at once
   * @param together claims of all buyers in a second
   */
  public Gate(Sluice sluice, SaleTokens tokens, int perBuyer, int together) {
    this.tokens = tokens;
    // Should the store of the limits be away, claims pass: the stock has the last word.
    this.limiter =
        sluice.rateLimiter(
            "flash-sale/claims",
            RateLimiterOptions.of(
                    Limit.tokenBucket(5L * perBuyer, perBuyer, Duration.ofSeconds(1))
                        .named("buyer"),
                    Limit.tokenBucket(together, together, Duration.ofSeconds(1))
                        .named("everybody")
                        .sharedByAllKeys())
                .outage(Outage.open())
                .deadline(ANSWER_WITHIN));
  }

  /** {@return the tokens} */
  public SaleTokens tokens() {
    return tokens;
  }

  /**
   * Lets a claim pass, or says why not.
   *
   * @param desk where to
   * @param token what the buyer shows
   * @param buyer who
   * @param request names the claim
   * @return the answer
   */
  public CompletionStage<Told> claim(Desk desk, String token, String buyer, String request) {
    if (!tokens.isValid(token, buyer, desk.terms().sale())) {
      return CompletableFuture.completedFuture(Told.of(What.NO_TOKEN));
    }
    return limiter
        .async()
        .tryAcquire(buyer, 1)
        .thenCompose(
            decision ->
                decision.allowed()
                    ? desk.claim(buyer, request)
                    : CompletableFuture.completedFuture(Told.of(What.LIMITED)));
  }
}
