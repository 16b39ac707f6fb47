package dev.sluice.spring;

import dev.sluice.guard.FencingHeader;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.StaleTokenException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Answers to requests whose fencing token does not pass: problem documents (RFC 9457). */
final class FencingProblem {
  private FencingProblem() {}

  /** 412 after a later holder, 409 after another attempt with the same token. */
  static void write(HttpServletResponse response, StaleTokenException refusal) throws IOException {
    FencingToken refused = refusal.refused();
    FencingToken highest = refusal.highest();
    boolean twins = refused.value() == highest.value();
    response.setHeader(FencingHeader.NAME, highest.toString());
    send(
        response,
        twins ? FencingHeader.CONFLICT : FencingHeader.PRECONDITION_FAILED,
        twins ? "Conflict" : "Precondition Failed",
        ",\"detail\":%s,\"resource\":%s,\"refused\":%s,\"highest\":%s"
            .formatted(
                TooManyRequests.quoted(
                    twins
                        ? "another attempt has shown the same fencing token"
                        : "a later holder of the lock was here"),
                TooManyRequests.quoted(refusal.resource()),
                TooManyRequests.quoted(refused.toString()),
                TooManyRequests.quoted(highest.toString())));
  }

  static void write(HttpServletResponse response, int status, String title, String detail)
      throws IOException {
    send(response, status, title, ",\"detail\":" + TooManyRequests.quoted(detail));
  }

  private static void send(HttpServletResponse response, int status, String title, String members)
      throws IOException {
    byte[] body =
        "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d%s}"
            .formatted(title, status, members)
            .getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.setContentType("application/problem+json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
