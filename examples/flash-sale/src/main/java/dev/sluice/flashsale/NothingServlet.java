package dev.sluice.flashsale;

import dev.sluice.flashsale.desk.BuyerReply;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code /nothing}: an answer of the length of a claim's, and no sale. */
final class NothingServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final byte[] BODY = ClaimServlet.body(new BuyerReply(BuyerReply.What.NOTHING, 0));

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType("application/json");
    response.setContentLength(BODY.length);
    response.getOutputStream().write(BODY);
  }
}
