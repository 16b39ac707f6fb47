package dev.sluice.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.console.Asked;
import dev.sluice.console.Console;
import dev.sluice.limit.Limit;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.servers.Fuzz;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Any request of a browser or another client gets an answer that names the problem, never a defect.
 */
@Timeout(60)
class FuzzedRequestTest {
  private static final String TOKEN = "a-token-of-24-characters";
  private static final String[] PATHS = {
    "/",
    "/api/",
    "/api/lock",
    "/api/locks",
    "/api/session",
    "/api/login",
    "/api/logout",
    "/api/locks/release",
    "/api/limiters/change",
    "/app/main.js",
    "/index.html",
    "/i18n/en.json"
  };

  private Sluice sluice;
  private Console open;
  private Console guarded;

  @BeforeEach
  void start() {
    sluice = Sluice.builder().backend(new MemoryBackend()).build();
    sluice.rateLimiter("l", Limit.tokenBucket(5, Duration.ofSeconds(1)));
    open = Console.builder(sluice).writes(true).build();
    guarded = Console.builder(sluice).token(TOKEN).writes(true).build();
  }

  @AfterEach
  void stop() {
    open.close();
    guarded.close();
    sluice.close();
  }

  private static ConsoleResponse answered(ConsoleResponse response) {
    assertThat(response.status()).as(Asked.text(response)).isBetween(200, 499);
    if (response.status() >= 400) {
      assertThat(Asked.json(response)).containsKeys("error", "message");
    }
    return response;
  }

  @Test
  void anyPathAndQueryIsAnswered() {
    Fuzz.each(
        300,
        fuzz -> {
          String query =
              fuzz.mutate(
                  fuzz.pick("?name=a%20b", "?page=nothing", "?name=%F0%9F%98%80&name=", "?"));
          Asked asked =
              Asked.of(
                  fuzz.pick("GET", "HEAD", "POST", fuzz.text(1)),
                  fuzz.mutate(fuzz.pick(PATHS)) + query);
          for (String header :
              new String[] {"Host", "Origin", "Cookie", "Authorization", "Sec-Fetch-Site"}) {
            if (fuzz.below(4) == 0) {
              asked.header(header, fuzz.mutate(fuzz.pick("localhost:7245", "Bearer x", "a=1; b")));
            }
          }
          answered(asked.of(fuzz.pick(open, guarded)));
        });
  }

  @Test
  void anyBodyIsAnswered() {
    Fuzz.each(
        300,
        fuzz -> {
          String path = fuzz.pick("/api/login", "/api/locks/release", "/api/limiters/change");
          String body =
              fuzz.mutate(
                  fuzz.pick(
                      "{\"token\":\"x\"}",
                      "{\"name\":\"a\",\"token\":17}",
                      "{\"name\":\"l\",\"limits\":[\"gcra 10/s burst 5\",\"fixed-window 5/m\"]}",
                      "{\"name\":\"a\",\"token\":1e999999999}",
                      "[".repeat(fuzz.below(3000))));
          answered(Asked.post(path, body).of(open));
        });
  }

  @Test
  void noGuessSignsIn() {
    Fuzz.each(
        300,
        fuzz -> {
          String guess = fuzz.mutate(TOKEN);
          if (!guess.trim().equals(TOKEN)) {
            ConsoleResponse response =
                Asked.get("/api/locks").header("Authorization", "Bearer " + guess).of(guarded);
            assertThat(answered(response).status()).isEqualTo(401);
            assertThat(Asked.text(response)).doesNotContain(TOKEN);
          }
        });
  }
}
