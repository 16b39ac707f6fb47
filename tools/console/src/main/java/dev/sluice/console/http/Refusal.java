package dev.sluice.console.http;

import java.util.LinkedHashMap;
import java.util.Map;

/** A request that is refused or fails, with the reason. */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  final int status;

  /** An error code, which the page translates. */
  public final String code;

  public Refusal(int status, String code, String message) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
  }

  public ConsoleResponse response() {
    Map<String, Object> problem = new LinkedHashMap<>();
    problem.put("error", code);
    problem.put("message", String.valueOf(getMessage()));
    return ConsoleResponse.json(status, problem);
  }
}
