package dev.sluice.console;

import dev.sluice.console.http.ConsoleRequest;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.console.http.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A request in the making, of somebody who has the token that the console made, if it made one. */
public final class Asked {
  private final String method;
  private final String path;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private String query;
  private byte[] body = new byte[0];
  private InetAddress remote = InetAddress.getLoopbackAddress();

  private Asked(String method, String path) {
    this.method = method;
    this.path = path;
    header("Host", "localhost:7245");
  }

  public static Asked get(String path) {
    return of("GET", path);
  }

  public static Asked of(String method, String target) {
    int mark = target.indexOf('?');
    Asked asked = new Asked(method, mark < 0 ? target : target.substring(0, mark));
    asked.query = mark < 0 ? null : target.substring(mark + 1);
    return asked;
  }

  /** As the page itself posts. */
  public static Asked post(String path, String json) {
    return of("POST", path)
        .body(json)
        .header("Content-Type", "application/json")
        .header("Origin", "http://localhost:7245");
  }

  Asked body(String text) {
    body = text.getBytes(StandardCharsets.UTF_8);
    return this;
  }

  /** Null takes it away. */
  public Asked header(String name, String value) {
    headers.put(name.toLowerCase(Locale.ROOT), value);
    return this;
  }

  Asked from(String address) {
    try {
      remote = InetAddress.getByName(address);
      return this;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** As {@link #of(Console)}, of somebody who knows no token. */
  ConsoleResponse unsigned(Console console) {
    return console.handle(
        new ConsoleRequest(
            method,
            path,
            query,
            name -> headers.get(name.toLowerCase(Locale.ROOT)),
            new ByteArrayInputStream(body),
            remote));
  }

  public ConsoleResponse of(Console console) {
    console.madeToken().ifPresent(token -> header("Authorization", "Bearer " + token));
    return unsigned(console);
  }

  public static String text(ConsoleResponse response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  public static Map<String, Object> json(ConsoleResponse response) {
    return Json.object(text(response));
  }

  /** What a stream says until it has said enough, or ends. */
  public static String receive(ConsoleResponse response, String enough) {
    ByteArrayOutputStream heard =
        new ByteArrayOutputStream() {
          @Override
          public void flush() throws IOException {
            if (toString(StandardCharsets.UTF_8).contains(enough)) {
              throw new IOException("heard enough");
            }
          }
        };
    try {
      response.stream().writeTo(heard);
    } catch (IOException e) {
      // the reader has gone, as readers do
    }
    return heard.toString(StandardCharsets.UTF_8);
  }
}
