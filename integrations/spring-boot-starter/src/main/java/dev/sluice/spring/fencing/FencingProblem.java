package dev.sluice.spring.fencing;

import dev.sluice.guard.FencingHeader;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.spring.internal.ProblemDocument;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Renders the answers to requests whose fencing token is refused. */
final class FencingProblem {
  private FencingProblem() {}

  /** Writes status 412 for a lower token, and 409 for an equal token of another attempt. */
  static void write(HttpServletResponse response, StaleTokenException refusal) throws IOException {
    FencingToken refused = refusal.refused();
    FencingToken highest = refusal.highest();
    response.setHeader(FencingHeader.NAME, highest.toString());
    ProblemDocument problem =
        refused.value() == highest.value()
            ? problem(
                FencingHeader.CONFLICT,
                "Conflict",
                "another attempt has used the same fencing token")
            : problem(
                FencingHeader.PRECONDITION_FAILED,
                "Precondition Failed",
                "the resource has seen a higher token");
    problem
        .with("resource", refusal.resource())
        .with("refused", refused.toString())
        .with("highest", highest.toString())
        .write(response);
  }

  static void write(HttpServletResponse response, int status, String title, String detail)
      throws IOException {
    problem(status, title, detail).write(response);
  }

  private static ProblemDocument problem(int status, String title, String detail) {
    return new ProblemDocument(ProblemDocument.BLANK, title, status).with("detail", detail);
  }
}
