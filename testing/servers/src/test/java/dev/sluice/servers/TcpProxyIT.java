package dev.sluice.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TcpProxyIT {
  private static final Duration AGES = Duration.ofMinutes(1);

  private final RedisServer server = RedisServer.start();
  private final TcpProxy proxy = new TcpProxy(server.port());

  @AfterEach
  void stop() {
    proxy.close();
    proxy.close();
    server.close();
  }

  @Test
  void passesOn() {
    assertThat(increment().join()).isEqualTo(1L);
  }

  @Test
  void holdsARequest() throws Exception {
    proxy.holdRequests(true);
    CompletableFuture<Object> reply = increment();
    await().atMost(AGES).until(() -> proxy.heldRequests() == 1);
    assertThat(server.call("GET", "a")).isNull();
    proxy.holdRequests(false);
    assertThat(reply.get(1, TimeUnit.MINUTES)).isEqualTo(1L);
  }

  @Test
  void holdsAReply() throws Exception {
    proxy.holdReplies(true);
    CompletableFuture<Object> reply = increment();
    await().atMost(AGES).until(() -> proxy.heldReplies() == 1);
    assertThat(server.call("GET", "a")).isEqualTo("1");
    assertThat(reply).isNotDone();
    proxy.holdReplies(false);
    assertThat(reply.get(1, TimeUnit.MINUTES)).isEqualTo(1L);
  }

  @Test
  void deliversWhatWasHeldAfterItsClientIsGone() {
    proxy.holdRequests(true);
    CompletableFuture<Object> reply = increment();
    await().atMost(AGES).until(() -> proxy.heldRequests() == 1);
    proxy.cut();
    assertThatThrownBy(reply::join)
        .isInstanceOf(CompletionException.class)
        .hasRootCauseInstanceOf(IOException.class);
    assertThat(server.call("GET", "a")).isNull();
    proxy.holdRequests(false);
    await().atMost(AGES).until(() -> "1".equals(server.call("GET", "a")));
  }

  /** A thread that is blocked in read keeps a socket open for a moment after it was closed. */
  @Test
  void deliversNothingThatIsSentAfterTheCut() throws Exception {
    byte[] set = "SET after cut\r\n".getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 300; i++) {
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
        client.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(client.getInputStream().readNBytes(7)).hasSize(7);
        proxy.cut();
        client.getOutputStream().write(set);
      } catch (SocketException e) {
        continue; // the client has seen it already
      }
    }
    assertThat(increment().join()).isEqualTo(1L); // what went before has arrived by then
    assertThat(server.call("GET", "after")).isNull();
  }

  @Test
  void refuses() {
    proxy.refuse(true);
    assertThatThrownBy(() -> increment().join()).hasRootCauseInstanceOf(IOException.class);
    proxy.refuse(false);
    assertThat(increment().join()).isEqualTo(1L);
  }

  @Test
  void swallowsConnectionsByWhatTheirClientSent() throws Exception {
    try (TcpProxy swallowing = new TcpProxy(server.port(), "INCR");
        RespConnection marked = new RespConnection(swallowing.port(), 3000);
        RespConnection other = new RespConnection(swallowing.port(), 60_000)) {
      assertThat(marked.call("INCR", "a")).isEqualTo(1L);
      assertThat(other.call("GET", "a")).isEqualTo("1");
      await().atMost(AGES).until(() -> swallowing.marked() == 1);
      swallowing.swallow();
      assertThatThrownBy(() -> marked.call("INCR", "a")).isInstanceOf(SocketTimeoutException.class);
      assertThat(other.call("GET", "a")).isEqualTo("1");
      assertThat(other.call("INCR", "a")).isEqualTo(2L);
    }
  }

  private CompletableFuture<Object> increment() {
    return CompletableFuture.supplyAsync(
        () -> {
          try (RespConnection connection = new RespConnection(proxy.port(), 60_000)) {
            return connection.call("INCR", "a");
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        });
  }
}
