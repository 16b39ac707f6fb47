package dev.sluice.console.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The console's response.
 *
 * @param status of HTTP
 * @param headers names and values
 * @param body the bytes; empty where there is a stream
 * @param stream writes a body that goes on until the console or the reader ends it; null for none
 */
@SuppressWarnings("ArrayRecordComponent") // handed over once, and never compared
public record ConsoleResponse(
    int status, Map<String, String> headers, byte[] body, @Nullable Stream stream) {

  /** A body that is streamed. */
  @FunctionalInterface
  public interface Stream {

    /**
     * Writes until the end of the stream, and flushes after each part. Blocks.
     *
     * @param out to where; not closed
     * @throws IOException if the reader has gone
     */
    void writeTo(OutputStream out) throws IOException;
  }

  /** Copies the headers. */
  public ConsoleResponse {
    headers = new LinkedHashMap<>(headers);
  }

  public static ConsoleResponse of(int status, String type, byte[] body) {
    ConsoleResponse response = new ConsoleResponse(status, Map.of(), body, null);
    return response.with("Content-Type", type);
  }

  public static ConsoleResponse json(int status, Object body) {
    return of(status, "application/json", Json.bytes(body)).with("Cache-Control", "no-store");
  }

  public static ConsoleResponse events(Stream stream) {
    return new ConsoleResponse(200, Map.of(), new byte[0], stream)
        .with("Content-Type", "text/event-stream")
        .with("Cache-Control", "no-store")
        .with("X-Accel-Buffering", "no"); // a proxy would hold the events back
  }

  /** Adds a header. */
  public ConsoleResponse with(String name, String value) {
    headers.put(name, value);
    return this;
  }
}
