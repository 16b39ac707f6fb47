package dev.sluice.flashsale;

import dev.sluice.flashsale.desk.BuyerReply;
import dev.sluice.flashsale.desk.BuyerReply.What;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * {@code /sale/inventory}: a claim. A plain servlet that keeps no thread while the store decides,
 * since here the web server is what bounds the sale.
 */
final class ClaimServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final int MAX_WORD_LENGTH = 9;
  private static final long MAX_MILLIS = 30_000;

  private final transient LimitedStock stock;
  private final transient Sales sales;

  ClaimServlet(LimitedStock stock, Sales sales) {
    this.stock = stock;
    this.sales = sales;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    long start = System.nanoTime();
    CompletableFuture<BuyerReply> answer;
    try {
      answer = claim(request).toCompletableFuture();
    } catch (IllegalArgumentException e) {
      write(response, 400, problem(e));
      return;
    } catch (RuntimeException e) {
      sales.answered(LimitedStock.STRATEGY, RequestMeter.End.FAILED, start);
      write(response, 503, problem(e));
      return;
    }
    if (answer.isDone()) {
      finish(response, answer, start);
      return;
    }
    AsyncContext later = request.startAsync();
    later.setTimeout(MAX_MILLIS);
    AtomicBoolean answered = new AtomicBoolean();
    answer.whenComplete(
        (told, failure) -> {
          if (answered.compareAndSet(false, true)) {
            try {
              finish((HttpServletResponse) later.getResponse(), answer, start);
            } catch (IOException | IllegalStateException gone) {
              log("a buyer left before the answer", gone);
            } finally {
              later.complete();
            }
          }
        });
  }

  private CompletionStage<BuyerReply> claim(HttpServletRequest request) {
    String buyer = request.getHeader(Buyers.HEADER);
    if (buyer == null || buyer.isBlank()) {
      return stock.claimOfUnknownBuyer();
    }
    String token = request.getHeader(Buyers.TOKEN);
    String name = request.getHeader(Buyers.REQUEST);
    return stock.claim(buyer, token == null ? "" : token, name == null ? "1" : name);
  }

  private void finish(
      HttpServletResponse response, CompletableFuture<BuyerReply> answer, long start)
      throws IOException {
    BuyerReply told;
    try {
      told = answer.join();
    } catch (CompletionException e) {
      sales.answered(LimitedStock.STRATEGY, RequestMeter.End.FAILED, start);
      write(response, 503, problem(e.getCause()));
      return;
    }
    RequestMeter.End end =
        switch (told.what()) {
          case SOLD_OUT, CLOSED -> RequestMeter.End.SOLD_OUT;
          case LIMITED, NO_TOKEN -> RequestMeter.End.REFUSED;
          default -> RequestMeter.End.SOLD;
        };
    sales.answered(LimitedStock.STRATEGY, end, start);
    if (told.what() == What.LIMITED) {
      response.setHeader("Retry-After", "1");
    }
    write(
        response,
        told.what() == What.LIMITED ? 429 : told.what() == What.NO_TOKEN ? 403 : 200,
        body(told));
  }

  /** Of one length: ab counts an answer of another length as failed. */
  static byte[] body(BuyerReply told) {
    String word = told.what().word();
    String text =
        "{\"answer\": \"%s\",%s \"claim\": %-19s}\n"
            .formatted(
                word, " ".repeat(MAX_WORD_LENGTH - word.length()), "\"" + told.claimId() + "\"");
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] problem(@Nullable Throwable failure) {
    String reason = failure == null ? "unknown" : String.valueOf(failure.getMessage());
    return ("{\"answer\": \"error\", \"reason\": \""
            + reason.replaceAll("[\"\\\\\\p{Cntrl}]", "'")
            + "\"}\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void write(HttpServletResponse response, int status, byte[] body)
      throws IOException {
    response.setStatus(status);
    response.setContentType("application/json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
