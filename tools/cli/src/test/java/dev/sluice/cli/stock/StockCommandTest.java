package dev.sluice.cli.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.cli.Ran;
import dev.sluice.inventory.ClaimConsumer;
import dev.sluice.inventory.DrainOptions;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.Sale;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.jr.ob.JSON;

class StockCommandTest {

  private static Ran stock(String store, String... words) {
    List<String> all = new ArrayList<>(List.of("--url", "memory:" + store, "stock"));
    all.addAll(List.of(words));
    return Ran.sluice(all.toArray(new String[0]));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "stock                         | a command is missing. See 'sluice stock --help'",
        "stock show                    | Missing required parameter: 'NAME'",
        "stock open a                  | Missing required parameters: 'EPOCH', 'TOTAL'",
        "stock open a 0 5              | epoch must be 1 to 2^53 - 1: 0",
        "stock open a 1 -5             | ",
        "stock open a 1 5 --hold soon  | --hold must be a duration",
        "stock open a 1 5 --hold 400d  | hold must be zero, or 1 ms to 365 days",
        "stock close a x               | Invalid value for positional parameter at index 1",
        "stock resize a 1             | Missing required parameter: 'TOTAL'",
        "stock resize a 1 -5          | ",
        "stock dead-letters a --limit 0  | ",
        "stock requeue a ann x        | Invalid value for positional parameter at index 2",
        "stock ls --limit 0            | --limit must be at least 1: 0",
        "stock show \uFFFD             | cannot read '\uFFFD' in this locale"
      })
  void misuseEndsWith64AndSaysTheRule(String args, String message) {
    Ran ran = Ran.sluice(("--url memory: " + args).split(" "));
    assertThat(ran.err()).startsWith("sluice: ").doesNotContain("\tat ");
    assertThat(ran.err()).contains(message == null ? "" : message);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.code()).isEqualTo(64);
  }

  @Test
  void aSaleIsOpenedShownAndClosed() throws IOException {
    try (Sluice sluice = Sluice.connect("memory:stock-cli")) {
      assertThat(stock("stock-cli", "show", "lamp"))
          .isEqualTo(new Ran(66, "", "sluice: there is no stock 'lamp'\n"));
      assertThat(stock("stock-cli", "ls").err()).contains("no stocks at");
      Ran opened = stock("stock-cli", "open", "lamp", "1", "5", "--hold", "1d", "--drained");
      assertThat(opened.code()).isZero();
      assertThat(opened.out()).contains("1, open").contains("5 of 5");
      sluice.inventory("lamp").claim("ann", 2, "r");
      Ran again = stock("stock-cli", "open", "lamp", "1", "5", "--hold", "1d", "--drained");
      assertThat(again.out()).contains("3 of 5").contains("2 queued").contains("1 wait");
      Ran other = stock("stock-cli", "open", "lamp", "1", "6");
      assertThat(other.code()).isEqualTo(73);
      assertThat(other.err()).contains("other terms");

      sluice.inventory("desk").open(Sale.epoch(7).total(1));
      Ran list = stock("stock-cli", "ls");
      assertThat(list.out().lines()).hasSize(3);
      assertThat(list.out()).contains("desk").contains("lamp");
      assertThat(JSON.std.listFrom(stock("stock-cli", "ls", "--json").out())).hasSize(2);
      Ran closed = stock("stock-cli", "close", "lamp", "1", "--json");
      assertThat(closed.code()).isZero();
      assertThat(JSON.std.mapFrom(closed.out()))
          .containsEntry("name", "lamp")
          .containsEntry("open", false)
          .containsEntry("left", 3)
          .containsEntry("queued", 2)
          .containsEntry("waiting", 1);
    }
  }

  @Test
  void aClaimThatWasSetAsideIsListedAndQueuedAgain() throws Exception {
    try (Sluice sluice = Sluice.connect("memory:stock-aside")) {
      Inventory stock = sluice.inventory("lamp");
      stock.open(Sale.epoch(1).total(5).drained());
      long claim = stock.claim("ann", 2, "r").claimId();
      assertThat(stock("stock-aside", "dead-letters", "lamp").err())
          .contains("no claims of 'lamp'");
      assertThat(stock("stock-aside", "requeue", "lamp", "ann", "9").err()).contains("UNKNOWN");
      try (ClaimConsumer drain =
          stock.drain(
              DrainOptions.defaults(),
              batch -> batch.claims().forEach(each -> batch.deadLetter(each, "why")))) {
        await().until(() -> !stock.deadLetters(1).isEmpty());
      }
      Ran listed = stock("stock-aside", "dead-letters", "lamp");
      assertThat(listed.out())
          .matches("CLAIM +UNITS +CLAIMANT +REASON\n" + claim + " +2 +ann +why\n");
      assertThat(JSON.std.listFrom(stock("stock-aside", "dead-letters", "lamp", "--json").out()))
          .hasSize(1);
      Ran queued = stock("stock-aside", "requeue", "lamp", "ann", "" + claim);
      assertThat(queued).isEqualTo(new Ran(0, "", ""));
      assertThat(stock.info().queued()).isEqualTo(2);
    }
  }

  @Test
  void aSaleIsResized() {
    try (Sluice sluice = Sluice.connect("memory:stock-resize")) {
      sluice.inventory("lamp").open(Sale.epoch(1).total(5));
      assertThat(stock("stock-resize", "resize", "lamp", "1", "8").out()).contains("8 of 8");
      assertThat(stock("stock-resize", "resize", "lamp", "2", "8").code()).isEqualTo(73);
    }
  }

  @Test
  void theListFitsATerminal() {
    try (Sluice sluice = Sluice.connect("memory:stock-wide")) {
      sluice.inventory("a-name-of-20-letters").open(Sale.epoch(12).total(1_000_000));
      assertThat(stock("stock-wide", "ls").out().lines())
          .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    }
  }
}
