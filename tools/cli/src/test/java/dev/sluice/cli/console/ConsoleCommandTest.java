package dev.sluice.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.cli.Ran;
import dev.sluice.cli.SluiceProcess;
import dev.sluice.cli.store.DefaultStore;
import dev.sluice.cli.terminal.Exit;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sluice console}: where it listens, whom it answers, and how it ends. */
class ConsoleCommandTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String TOKEN = "a-token-of-24-characters";

  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;

  private static URI uriOf(SluiceProcess console) {
    await().atMost(SOON).until(() -> console.out().endsWith("\n") || !console.isAlive());
    assertThat(console.out()).as(console.err()).startsWith("http://");
    return URI.create(console.out().trim());
  }

  private static HttpRequest.Builder to(URI uri, String path) {
    return HttpRequest.newBuilder(uri.resolve(path)).timeout(SOON);
  }

  private static HttpRequest.Builder signedIn(URI uri, String path) {
    return to(uri, path)
        .header("Authorization", "Bearer " + uri.getFragment().substring("token=".length()));
  }

  private static HttpRequest.Builder release(HttpRequest.Builder request) {
    return release(request, "x");
  }

  private static HttpRequest.Builder release(HttpRequest.Builder request, String name) {
    return request
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{\"name\":\"" + name + "\",\"token\":1}"));
  }

  @Test
  void servesThePageUntilItIsAskedToEnd() throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("s.db");
    try (SluiceProcess console = SluiceProcess.start(url, "console", "--port", "0")) {
      URI uri = uriOf(console);
      assertThat(uri.getHost()).isEqualTo("127.0.0.1");
      HttpResponse<String> locks =
          http.send(signedIn(uri, "/api/locks").build(), BodyHandlers.ofString());
      assertThat(locks.statusCode()).isEqualTo(200);
      assertThat(locks.body()).contains("\"locks\":[]").contains("SQLite");
      HttpResponse<String> session =
          http.send(signedIn(uri, "/api/session").build(), BodyHandlers.ofString());
      assertThat(session.body()).contains("sluice lock --url " + url + " nightly -- ./report");
      HttpResponse<String> refused =
          http.send(release(signedIn(uri, "/api/locks/release")).build(), BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).contains("writes-off");
      http.send(
          release(signedIn(uri, "/api/locks/release"), "redis://a:b@c").build(),
          BodyHandlers.discarding());
      assertThat(http.send(to(uri, "/api/locks").build(), BodyHandlers.ofString()).statusCode())
          .isEqualTo(401);
      assertThat(console.err())
          .contains("read only")
          .contains("name='x' outcome='refused: writes-off'")
          .as("a name that looks like a URL")
          .contains("name='redis://a:b@c' outcome='refused: writes-off'")
          .doesNotContain(uri.getFragment().substring("token=".length()));

      console.signal("INT");
      assertThat(console.exitCode()).isZero();
    }
  }

  @Test
  void beyondThisMachineItAsksForTheTokenOfAFile() throws Exception {
    Path file = secret("token", TOKEN + "\n");
    try (SluiceProcess console =
        SluiceProcess.start(
            "memory:",
            "console",
            "--port=0",
            "--bind=0.0.0.0",
            "--token-file=" + file,
            "--allow-writes")) {
      URI uri = uriOf(console);
      assertThat(uri.getFragment()).isNull();
      assertThat(http.send(to(uri, "/api/locks").build(), BodyHandlers.ofString()).statusCode())
          .isEqualTo(401);
      assertThat(
              http.send(
                      release(to(uri, "/api/locks/release"))
                          .header("Authorization", "Bearer " + TOKEN)
                          .build(),
                      BodyHandlers.ofString())
                  .body())
          .contains("not-held");
      assertThat(console.err())
          .contains("writes allowed")
          .contains("what=lock.release name='x' outcome='refused: not-held'")
          .doesNotContain(TOKEN);
      console.signal("TERM");
      assertThat(console.exitCode()).isZero();
    }
  }

  @Test
  void whatCannotWorkIsRefusedAtOnce() throws Exception {
    assertRefused("--bind: the address to listen at is unknown", "--bind", "nowhere.invalid");
    assertRefused("--port must be 0 to 65535: 65536", "--port", "65536");
    assertRefused("--port", "--port", "x");
    assertRefused(
        "--token-file: " + folder.resolve("none") + " cannot be read",
        "--token-file",
        folder.resolve("none").toString());
    Path empty = secret("empty", "\n" + TOKEN);
    assertRefused("begins with an empty line", "--token-file", empty.toString());
    Path weak = secret("weak", "hush-hush");
    assertRefused("token must be at least 16", "--token-file", weak.toString());
    try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))) {
      assertRefused("cannot listen at 127.0.0.1:", "--port", "" + taken.getLocalPort());
    }
  }

  /** A file that its owner alone can read. */
  private Path secret(String name, String text) throws IOException {
    return readable(name, text, "rw-------");
  }

  private Path readable(String name, String text, String rights) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
  }

  @ParameterizedTest
  @Timeout(60) // a console that starts runs until it is interrupted
  @ValueSource(strings = {"rw-r--r--", "rw-r-----", "rw----r--", "rw--w----", "rw-----w-"})
  void aTokenFileThatOthersCanUseIsRefused(String rights) throws Exception {
    Path file = readable("token", "hush-hush-hush-hush-hush", rights);
    assertRefused(
        "--token-file: others can use " + file + ": chmod go= " + file,
        "--token-file",
        file.toString());
  }

  @Test
  void aFileThatNobodyMayReadIsNobodyElses() throws Exception {
    DefaultStore.checkSecret(readable("token", "hush-hush-hush-hush-hush", "---------"));
  }

  @Test
  @Timeout(60)
  void aTokenFileOfSomebodyElseIsRefused() throws Exception {
    Path file = secret("token", "hush-hush-hush-hush-hush");
    try {
      Files.setAttribute(file, "unix:uid", 12_345);
    } catch (IOException e) {
      Assumptions.abort("only root can give a file away");
    }
    assertRefused(
        "--token-file: " + file + " belongs to another user, 12345",
        "--token-file",
        file.toString());
  }

  private static void assertRefused(String why, String... options) {
    String[] args = new String[options.length + 3];
    args[0] = "--url";
    args[1] = "memory:";
    args[2] = "console";
    System.arraycopy(options, 0, args, 3, options.length);
    Ran ran = Ran.sluice(args);
    assertThat(ran.code()).isEqualTo(Exit.USAGE);
    assertThat(ran.err()).contains(why).doesNotContain("hush-hush");
    assertThat(ran.out()).isEmpty();
  }
}
