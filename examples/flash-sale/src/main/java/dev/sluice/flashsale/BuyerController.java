package dev.sluice.flashsale;

import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.Desk;
import dev.sluice.flashsale.desk.Showcase;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The requests of a buyer of limited stock beside the claim: token, order, payment. */
@RestController
final class BuyerController {
  private final LimitedStock stock;

  BuyerController(LimitedStock stock) {
    this.stock = stock;
  }

  /** An answer as JSON: the claim is text, since a script's numbers are too short for it. */
  record Reply(String answer, String claim, String sale) {}

  private Reply reply(Desk desk, BuyerReply told) {
    return new Reply(told.what().word(), Long.toString(told.claimId()), desk.terms().sale());
  }

  /** Stands for what a log-in gives out shortly before the sale. */
  @GetMapping("/buyer/token")
  Map<String, String> token(@RequestParam String buyer) {
    String sale = stock.desk().terms().sale();
    return Map.of("sale", sale, "token", stock.gate().tokens().issue(buyer, sale));
  }

  /** What has become of an order: asked for now and then, until it is final. */
  @GetMapping("/buyer/order")
  Reply order(@RequestParam String buyer) {
    Desk desk = stock.desk();
    return reply(desk, desk.status(buyer));
  }

  @PostMapping("/buyer/pay")
  Reply pay(@RequestParam String buyer, @RequestParam long claim) {
    Desk desk = stock.desk();
    return reply(desk, desk.pay(buyer, claim));
  }

  @PostMapping("/buyer/cancel")
  Reply cancel(@RequestParam String buyer, @RequestParam long claim) {
    Desk desk = stock.desk();
    return reply(desk, desk.cancel(buyer, claim));
  }

  /** What visitors see: the product, what is left, who bought last, and where most buyers live. */
  @GetMapping("/showcase")
  ResponseEntity<Showcase.View> showcase(@RequestParam(defaultValue = "0") int page) {
    if (page < 0 || page >= Showcase.MAX_RECENT / Showcase.PAGE) {
      throw new IllegalArgumentException(
          "page must be 0 to " + (Showcase.MAX_RECENT / Showcase.PAGE - 1) + ": " + page);
    }
    return ResponseEntity.of(stock.view(page));
  }

  /** Who bought in the present run and in an earlier one. */
  @GetMapping("/showcase/common")
  ResponseEntity<Showcase.Common> common(@RequestParam long run) {
    return ResponseEntity.of(stock.common(run));
  }
}
