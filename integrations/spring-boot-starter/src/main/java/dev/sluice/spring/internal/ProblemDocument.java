package dev.sluice.spring.internal;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.json.JsonWriter;

/**
 * The answer to a request that is refused (RFC 9457).
 *
 * @since 0.1
 */
public final class ProblemDocument {
  /** The type of a problem without further details than its status. */
  public static final String BLANK = "about:blank";

  private final int status;
  private final Map<String, Object> members = new LinkedHashMap<>();

  public ProblemDocument(String type, String title, int status) {
    this.status = status;
    members.put("type", type);
    members.put("title", title);
    members.put("status", status);
  }

  public ProblemDocument with(String name, Object value) {
    members.put(name, value);
    return this;
  }

  public byte[] toJson() {
    return JsonWriter.<Map<String, Object>>standard().write(members).toByteArray();
  }

  public void write(HttpServletResponse response) throws IOException {
    byte[] body = toJson();
    response.setStatus(status);
    response.setContentType("application/problem+json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
