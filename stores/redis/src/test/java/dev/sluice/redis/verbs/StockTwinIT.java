package dev.sluice.redis.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inventory.ClaimResult;
import dev.sluice.servers.EachRedis;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import dev.sluice.state.SaleState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The scripts of stock and {@link SaleState} decide alike: the same random histories go to both,
 * under the same virtual time, and every reply must be equal.
 */
@EachRedis
class StockTwinIT {
  private static final long SEED = Long.getLong("sluice.twin.seed", 1);
  private static final int HISTORIES = Integer.getInteger("sluice.twin.histories", 100);
  private static final int STEPS = 200;

  private final RedisServer server;
  private final Set<String> kinds = new TreeSet<>();

  StockTwinIT(RedisServer server) {
    this.server = server;
  }

  @Test
  void everyReplyIsTheSame() {
    assertThat(difference(UnaryOperator.identity())).isEmpty();
    assertThat(kinds)
        .contains("ACCEPTED", "ALREADY_CLAIMED", "SOLD_OUT", "CLOSED")
        .contains("CONFIRMED", "CANCELLED", "RETURNED", "QUEUED", "DEAD_LETTER", "UNKNOWN")
        .contains("take 3", "settle 2", "again 2", "aside 2", "expire 2", "conflict", "restored");
  }

  @Test
  void catchesAStockThatIsSoldTwice() {
    assertCaught("rest, taken = rest - quantity, taken + quantity", "taken = taken + quantity");
    assertCaught("    confirmed = confirmed + taken\n", "");
  }

  @Test
  void catchesAClaimantWhoClaimsTwice() {
    assertCaught("if before then", "if false then");
    assertCaught(" or own.request == requests[i])", ")");
  }

  @Test
  void catchesUnitsThatComeBackTwice() {
    assertCaught(
        "if claim and claim.state == HELD and claim.mark <= now then\n    to(",
        "if claim and claim.mark > 0 and claim.mark <= now then\n    to(");
    assertCaught("claim.state == QUEUED and claim.rest == ''", "claim.state == QUEUED");
  }

  @Test
  void catchesAConfirmationThatComesTooLate() {
    assertCaught(
        "claim.state == HELD and claim.mark <= now", "claim.state == HELD and claim.mark < now");
  }

  @Test
  void catchesASaleThatDoesNotReturnWhatIsDue() {
    assertCaught("more_due = others().expire(AT_ONCE) == AT_ONCE", "more_due = false");
  }

  @Test
  void catchesIdsThatDoNotGrow() {
    assertCaught("last_id = math.max(last_id + 1, now)", "last_id = last_id + 1");
    assertCaught("  last_id = math.max(last_id, order.id)\n", "");
    assertCaught("order.id > now + MAX_AHEAD", "false");
  }

  @Test
  void catchesAPreloadThatOverwritesARunningSale() {
    assertCaught("asked[1] > epoch and is_settled()", "asked[1] > epoch");
  }

  @Test
  void catchesAVerdictOfOneWhoHasNoSay() {
    assertCaught("verdict == 0 or claim.rest == consumer", "true");
  }

  @Test
  void catchesAnEntryThatIsGivenAgainAfterItWasSettled() {
    assertCaught(
        "    on(4, 'XACK', GROUP, ...)\n    on(4, 'XDEL', ...)\n  end)\n  each(aside_now",
        "  end)\n  each(aside_now");
  }

  private void assertCaught(String text, String instead) {
    UnaryOperator<String> fault = script -> script.replace(text, instead);
    assertThat(VirtualRedis.changes(fault)).as("the fault was planted: " + text).isTrue();
    assertThat(difference(fault)).as("a difference: " + text).isPresent();
  }

  private Optional<String> difference(UnaryOperator<String> fault) {
    try (VirtualRedis redis = new VirtualRedis(server, fault)) {
      for (int i = 0; i < HISTORIES; i++) {
        Optional<String> difference = difference(redis, SEED + i);
        if (difference.isPresent()) {
          return difference;
        }
      }
      return Optional.empty();
    }
  }

  private Optional<String> difference(VirtualRedis redis, long seed) {
    List<StockHistory.Step> steps = StockHistory.of("s" + seed, seed, STEPS);
    InventoryBackend stocks = redis.backend.inventories();
    List<CompletionStage<?>> asked = new ArrayList<>();
    for (StockHistory.Step step : steps) { // all in flight at once; the server keeps the order
      redis.at(step.now());
      asked.add(step.verb().ask(stocks));
    }
    for (int i = 0; i < steps.size(); i++) {
      Object reply = VirtualRedis.join(asked.get(i));
      Object actual = reply == null ? "nothing" : reply;
      if (!steps.get(i).expected().equals(actual)) {
        return Optional.of(story(steps, i, actual));
      }
      note(steps.get(i).text(), actual);
    }
    return Optional.empty();
  }

  private void note(String step, Object reply) {
    if (reply instanceof ClaimsReply claims) {
      claims.results().stream()
          .map(ClaimResult::outcome)
          .forEach(outcome -> kinds.add(outcome.toString()));
    } else if (reply instanceof InventoryBackend.RestoreReply restored) {
      kinds.add(restored.conflicts().isEmpty() ? "agreed" : "conflict");
      kinds.add(restored.restored() == 0 ? "agreed" : "restored");
    } else if (reply instanceof List<?> rows) {
      kinds.add(step.substring(0, step.indexOf(' ')) + " " + rows.size());
    } else if (reply instanceof Integer count) {
      kinds.add(step.substring(0, step.indexOf(' ')) + " " + count);
    } else {
      kinds.add(reply.toString());
    }
  }

  private static String story(List<StockHistory.Step> steps, int last, Object actual) {
    StringBuilder text = new StringBuilder();
    for (int i = Math.max(0, last - 40); i <= last; i++) {
      StockHistory.Step step = steps.get(i);
      text.append(i).append(" at ").append(step.now()).append(' ').append(step.text());
      text.append(" -> ").append(step.expected()).append('\n');
    }
    return text.append("but got  ").append(actual).toString();
  }
}
