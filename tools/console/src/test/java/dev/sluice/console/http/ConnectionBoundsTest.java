package dev.sluice.console.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.console.Console;
import dev.sluice.console.ConsoleServer;
import dev.sluice.console.store.Watchers;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that send half, do not read, or come in crowds: others are answered. */
@Timeout(120)
class ConnectionBoundsTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final String TOKEN = "a-token-of-24-characters";
  private static final String HALF_HEADER = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: ";
  private static final String HALF_BODY =
      "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Content-Length: 10000\r\n\r\n{";
  private static final String STREAM =
      "GET /api/stream?page=locks&rows=200 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
          + TOKEN
          + "\r\n\r\n";

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Socket> sockets = new ArrayList<>();
  private Sluice sluice;
  private ConsoleServer server;

  @BeforeEach
  void connect() {
    sluice = Sluice.connect("memory:");
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
    sluice.close();
  }

  private void start(ConnectionBounds bounds) throws IOException {
    server =
        ConsoleServer.start(
            Console.builder(sluice).token(TOKEN), new InetSocketAddress("127.0.0.1", 0), bounds);
  }

  private Socket send(String text) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.uri().getPort()));
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String statusLine(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r' && c >= 0; c = in.read()) {
      line.append((char) c);
    }
    return line.toString();
  }

  private void assertAnswers() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri().resolve("/api/session"))
            .timeout(Duration.ofSeconds(60))
            .build();
    assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
  }

  private static boolean isClosed(Socket socket) {
    try {
      socket.setSoTimeout(60_000);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void halfSentRequestsOfOneAddressKeepNobodyOut() throws Exception {
    start(new ConnectionBounds(32, 16, LONG, LONG));
    for (int i = 0; i < 100; i++) {
      send(i % 2 == 0 ? HALF_HEADER : HALF_BODY);
      send("");
    }
    assertAnswers();
  }

  @Test
  void theBoundsOfARealServerHoldAsWell() throws Exception {
    start(ConnectionBounds.DEFAULT);
    for (int i = 0; i < 300; i++) {
      send(HALF_HEADER);
    }
    assertAnswers();
  }

  @Test
  void aHeaderThatDripsIsCutOff() throws Exception {
    start(new ConnectionBounds(32, 16, SHORT, LONG));
    assertThat(isCutOff(send(HALF_HEADER))).isTrue();
  }

  @Test
  void aBodyThatDripsIsCutOff() throws Exception {
    start(new ConnectionBounds(32, 16, SHORT, LONG));
    assertThat(isCutOff(send(HALF_BODY))).isTrue();
  }

  /** Sends a byte each time that no answer comes, until the connection is closed. */
  private static boolean isCutOff(Socket socket) throws IOException {
    socket.setSoTimeout(20);
    while (!Thread.currentThread().isInterrupted()) { // as at the end of the test's time
      try {
        socket.getOutputStream().write('x');
        if (socket.getInputStream().read() < 0) {
          return true;
        }
      } catch (SocketTimeoutException e) {
        continue; // the connection is open
      } catch (IOException e) {
        return true;
      }
    }
    return false;
  }

  @Test
  void streamsThatNobodyReadsGiveTheirPlacesBack() throws Exception {
    start(new ConnectionBounds(64, 64, LONG, SHORT));
    for (int i = 0; i < Watchers.MAX; i++) {
      assertThat(statusLine(send(STREAM))).contains("200");
    }
    // the buffers of both sides hold what a store without locks has to show
    assertThat(statusLine(send(STREAM))).as("all places are taken").contains("503");
    for (int i = 0; i < 200; i++) {
      assertThat(sluice.lock("x".repeat(500) + i).tryAcquire()).isPresent();
    }
    await()
        .atMost(Duration.ofSeconds(100))
        .until(
            () -> {
              try (Socket socket = send(STREAM)) {
                return statusLine(socket).contains("200");
              }
            });
  }

  @Test
  void responsesThatNobodyReadsKeepNobodyOut() throws Exception {
    start(new ConnectionBounds(4, 2, LONG, LONG));
    String file = "GET /vendor/uplot/uPlot.iife.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (int i = 0; i < 2; i++) {
      send(file.repeat(200)); // more than the buffers of both sides hold
    }
    await().atMost(Duration.ofSeconds(100)).ignoreExceptions().untilAsserted(this::assertAnswers);
  }

  @Test
  void whatIsAnsweredIsNotClosedForANewcomer() throws Exception {
    start(new ConnectionBounds(4, 2, LONG, LONG));
    Socket one = send(STREAM);
    assertThat(statusLine(one)).contains("200");
    Socket other = send(STREAM);
    assertThat(statusLine(other)).contains("200");
    assertThat(isClosed(send(HALF_HEADER))).as("no connection waits but the new one").isTrue();
    assertThat(one.getInputStream().read()).isNotNegative();
    assertThat(other.getInputStream().read()).isNotNegative();
  }

  @Test
  void aConnectionIsUsedAgain() throws Exception {
    start(new ConnectionBounds(4, 2, LONG, LONG));
    String head = "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    Socket socket = send(head + head);
    assertThat(statusLine(socket)).contains("200");
    StringBuilder rest = new StringBuilder();
    while (rest.indexOf("HTTP/1.1 200") < 0) {
      rest.append(statusLine(socket));
    }
  }

  @Test
  void whatIsNoHttpIsRefusedLikeAnythingElse() throws Exception {
    start(ConnectionBounds.DEFAULT);
    Socket socket = send("GET / HTTP/1.1\r\n\r\n");
    String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    assertThat(answer)
        .startsWith("HTTP/1.1 400")
        .contains("Content-Security-Policy: default-src 'self'")
        .contains("\"error\":\"bad-request\"")
        .doesNotContainIgnoringCase("jetty");
  }

  @Test
  void aMalformedChunkIsTheClientsFault() throws Exception {
    start(ConnectionBounds.DEFAULT);
    Socket socket =
        send(
            "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n");
    assertThat(statusLine(socket)).startsWith("HTTP/1.1 400");
  }
}
