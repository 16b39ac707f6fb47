package dev.sluice.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.console.http.Assets;
import dev.sluice.console.http.Json;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The console over real HTTP. */
class ConsoleServerTest {
  private final HttpClient http = HttpClient.newHttpClient();
  private Sluice sluice;
  private ConsoleServer server;

  @BeforeEach
  void open() throws Exception {
    sluice = Sluice.connect("memory:");
    server = ConsoleServer.start(Console.builder(sluice).writes(true), loopback());
  }

  @AfterEach
  void close() {
    server.close();
    sluice.close();
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress("127.0.0.1", 0);
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(server.uri().resolve(path))
        .header("Authorization", "Bearer " + server.uri().getFragment().replace("token=", ""))
        .timeout(Duration.ofSeconds(30));
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(to(path).build(), BodyHandlers.ofString());
  }

  @Test
  void pagesFilesAndFiguresAreServed() throws Exception {
    HttpResponse<String> page = get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("<title>Sluice</title>");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .startsWith("default-src 'self'");
    for (String file : Assets.FILES) {
      assertThat(get("/" + file).statusCode()).as(file).isEqualTo(200);
    }
    assertThat(Json.object(get("/api/locks").body())).containsEntry("page", "locks");
    assertThat(get("/nothing").statusCode()).isEqualTo(404);
    assertThat(get("/%2e%2e/%2e%2e/pom.xml").statusCode()).isEqualTo(400);
  }

  @Test
  void filesAreZippedForWhoCanUnzip() throws Exception {
    HttpResponse<InputStream> zipped =
        http.send(
            to("/app/main.js").header("Accept-Encoding", "gzip, br").build(),
            BodyHandlers.ofInputStream());
    assertThat(zipped.headers().firstValue("Content-Encoding")).contains("gzip");
    try (InputStream body = new GZIPInputStream(zipped.body())) {
      assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo(get("/app/main.js").body());
    }
  }

  @Test
  void aKnownFileAndAHeadHaveNoBody() throws Exception {
    HttpResponse<String> first = get("/style.css");
    HttpResponse<String> again =
        http.send(
            to("/style.css")
                .header("If-None-Match", first.headers().firstValue("ETag").orElseThrow())
                .build(),
            BodyHandlers.ofString());
    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    HttpResponse<String> head =
        http.send(to("/").method("HEAD", BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    HttpResponse<String> stream =
        http.send(
            to("/api/stream?page=locks").method("HEAD", BodyPublishers.noBody()).build(),
            BodyHandlers.ofString());
    assertThat(stream.body()).isEmpty();
  }

  @Test
  void aLockIsReleasedByForce() throws Exception {
    long token = sluice.lock("x").tryAcquire().orElseThrow().token();
    HttpRequest.Builder request =
        to("/api/locks/release")
            .POST(BodyPublishers.ofString("{\"name\":\"x\",\"token\":" + token + "}"))
            .header("Content-Type", "application/json");
    assertThat(http.send(request.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(sluice.inspect().lock("x").holder()).isEmpty();
  }

  @Test
  void aStreamGoesOnUntilItsReaderGoes() throws Exception {
    HttpResponse<InputStream> stream =
        http.send(to("/api/stream?page=locks").build(), BodyHandlers.ofInputStream());
    assertThat(stream.headers().firstValue("Content-Type")).contains("text/event-stream");
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      long ticks = 0;
      for (String line = lines.readLine(); ticks < 2; line = lines.readLine()) {
        assertThat(line).as("the stream goes on").isNotNull();
        ticks += line.equals("event: tick") ? 1 : 0;
      }
    }
  }

  @Test
  void theAddressSignsInWhoFollowsItUnlessATokenWasSet() throws Exception {
    assertThat(server.uri().toString()).matches("http://127\\.0\\.0\\.1:\\d+/#token=[\\w-]{32}");
    HttpRequest plain = HttpRequest.newBuilder(server.uri().resolve("/api/locks")).build();
    assertThat(http.send(plain, BodyHandlers.ofString()).statusCode()).isEqualTo(401);

    InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);
    Console.Builder settings = Console.builder(sluice).token("a-token-of-24-characters");
    try (ConsoleServer open = ConsoleServer.start(settings, everywhere)) {
      assertThat(open.uri().toString()).matches("http://localhost:\\d+/");
    }
  }

  @Test
  void closingEndsStreamsAndFreesThePort() throws Exception {
    HttpResponse<InputStream> stream =
        http.send(to("/api/stream?page=locks").build(), BodyHandlers.ofInputStream());
    int port = server.uri().getPort();
    server.close();
    server.close();
    try (InputStream body = stream.body()) {
      body.readAllBytes(); // ends
    } catch (java.io.IOException e) {
      assertThat(e).as("cut off, which is an end as well").isNotNull();
    }
    try (ConsoleServer again = ConsoleServer.start(sluice, port)) {
      assertThat(again.uri().getPort()).isEqualTo(port);
    }
  }
}
