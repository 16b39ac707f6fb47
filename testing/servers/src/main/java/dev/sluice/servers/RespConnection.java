package dev.sluice.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to a Redis server without a driver, so that tests and measurements have an
 * observer that shares nothing with what they observe. One call at a time; not safe for use by
 * several threads.
 */
final class RespConnection implements AutoCloseable {
  private final Socket socket = new Socket();
  private final InputStream in;

  RespConnection(int port, int timeoutMillis) throws IOException {
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMillis);
      socket.setSoTimeout(timeoutMillis);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** A String, Long, List or null; an error reply is an {@link IllegalStateException}. */
  @Nullable Object call(String... words) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(ascii("*" + words.length + "\r\n"));
    for (String word : words) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      out.writeBytes(ascii("$" + bytes.length + "\r\n"));
      out.writeBytes(bytes);
      out.writeBytes(ascii("\r\n"));
    }
    socket.getOutputStream().write(out.toByteArray());
    return read();
  }

  private @Nullable Object read() throws IOException {
    int kind = in.read();
    String line = readLine();
    switch (kind) {
      case '+':
        return line;
      case '-':
        throw new IllegalStateException(line);
      case ':':
        return Long.valueOf(line);
      case '$':
        int length = Integer.parseInt(line);
        if (length < 0) {
          return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
      case '*':
        int count = Integer.parseInt(line);
        List<@Nullable Object> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          items.add(read());
        }
        return count < 0 ? null : items;
      default:
        throw new EOFException("no reply");
    }
  }

  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the server closed the connection");
      }
      line.write(c);
    }
    if (in.read() != '\n') {
      throw new IOException("a line that does not end");
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
