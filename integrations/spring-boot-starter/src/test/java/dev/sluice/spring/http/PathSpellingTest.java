package dev.sluice.spring.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.guard.Guard;
import dev.sluice.guard.MemoryGuard;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A real Tomcat, and requests whose paths no client has tidied up. */
class PathSpellingTest {
  private static final AtomicInteger REACHED = new AtomicInteger();
  private static ConfigurableApplicationContext app;

  @BeforeAll
  static void start() {
    app =
        new SpringApplicationBuilder(App.class)
            .properties(
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.main.banner-mode=off",
                "sluice.store=memory")
            .run(
                "--server.servlet.context-path=/shop",
                "--spring.mvc.servlet.path=/api",
                "--sluice.limiters.three.limits=fixed-window 3/1d",
                "--sluice.http.rules[0].path=/console/**",
                "--sluice.http.rules[0].limiter=three",
                "--sluice.http.rules[0].key=header:X-Client",
                "--sluice.http.rules[1].path=/api/orders/{id}",
                "--sluice.http.rules[1].limiter=three",
                "--sluice.http.rules[1].key=header:X-Client",
                "--sluice.http.rules[2].path=/exact",
                "--sluice.http.rules[2].limiter=three",
                "--sluice.http.rules[2].key=header:X-Client",
                "--sluice.fencing.rules[0].path=/files/{id}",
                "--sluice.fencing.rules[1].path=/files/{id}/**",
                "--sluice.fencing.rules[1].resource=files/{id}",
                "--sluice.fencing.rules[1].required=always");
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  @BeforeEach
  void count() {
    REACHED.set(0);
  }

  /** {@return the status and what follows, of a request whose path goes out as it stands} */
  private static String send(String method, String path, String client, String... fields)
      throws IOException {
    int port = Integer.parseInt(app.getEnvironment().getProperty("local.server.port", "0"));
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(60_000);
      String request =
          "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\nX-Client: %s\r\n%s\r\n"
              .formatted(
                  method,
                  path,
                  client,
                  fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n");
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      return answer.substring("HTTP/1.1 ".length());
    }
  }

  private static String status(String method, String path, String client) throws IOException {
    return send(method, path, client).substring(0, 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shop/console/locks",
        "/shop/console",
        "/shop/console/",
        "/shop/api/orders/7",
        "/shop/exact",
        "/shop/exact/",
        "/shop/%63onsole/a%20b"
      })
  void aLimitHoldsForEveryServlet(String path) {
    assertThat(
            IntStream.range(0, 8)
                .mapToObj(
                    i -> {
                      try {
                        return status("GET", path, "limit of " + path.replace('%', '-'));
                      } catch (IOException e) {
                        throw new IllegalStateException(e);
                      }
                    }))
        .containsExactly("200", "200", "200", "429", "429", "429", "429", "429");
    assertThat(REACHED).hasValue(3);
  }

  /** What Tomcat refuses by itself never reaches a filter; all of it is a 400. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shop//console/locks",
        "/shop/console//locks",
        "/shop/./console/locks",
        "/shop/console/.",
        "/shop/x/../console/locks",
        "/shop/console/x/..",
        "/shop/%2e/console/locks",
        "/shop/x/%2E%2e/console/locks",
        "/shop/x/.%2e/console/locks",
        "/shop/x;y/../console/locks",
        "/shop;v=1/console/locks",
        "/shop/console;v=1/locks",
        "/shop/console/locks;jsessionid=1",
        "/shop/console%3Bv=1/locks",
        "/shop/console%2flocks",
        "/shop/console%5clocks",
        "/shop/console\\locks",
        "/shop/%2563onsole/locks",
        "/shop/console/%0a",
        "/shop/console/%00",
        "/shop/console/%7F",
        "/shop/console/%C2%85",
        "/shop/console/%E2%80%A8",
        "/shop/console/%zz",
        "/shop/free//page",
      })
  void aPathThatIsNotCanonicalIsAnswered400(String path) throws IOException {
    assertThat(status("GET", path, "spelling")).isEqualTo("400");
    assertThat(status("PUT", path.replace("console", "files"), "spelling")).isEqualTo("400");
    assertThat(REACHED).as("what came to a servlet").hasValue(0);
  }

  @Test
  void aPathThatIsNotCanonicalIsAnsweredWithAProblem() throws IOException {
    assertThat(send("GET", "/shop/console;v=1/locks", "problem"))
        .contains("Content-Type: application/problem+json")
        .contains("\"status\":400")
        .contains("the path is not canonical")
        .doesNotContain("v=1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shop/files/7",
        "/shop/files/7/",
        "/shop/files/7/part",
        "/shop/%66iles/7",
        "/shop/files/%37"
      })
  void aWriteNeedsItsTokenAtEveryServlet(String path) throws IOException {
    assertThat(status("PUT", path, "fencing")).isEqualTo("428");
    assertThat(REACHED).hasValue(0);
    assertThat(send("PUT", path, "fencing", "Fencing-Token: 17:a")).startsWith("200");
    assertThat(send("PUT", "/shop/files/7", "fencing", "Fencing-Token: 16:a"))
        .startsWith("412")
        .contains("\"resource\":\"files/7\"");
  }

  @Test
  void aPathMayHaveAnyLettersAndBlanks() throws IOException {
    assertThat(status("GET", "/shop/console/%E8%8C%B6%20a+b..c/~x.(1)@:,=&$!*'", "letters"))
        .isEqualTo("200");
    assertThat(status("GET", "/shop/free/a..b/.hidden?x=//../%2e;y", "letters")).isEqualTo("200");
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Api.class)
  static class App {
    @Bean
    Guard guard() {
      return MemoryGuard.create();
    }

    @Bean
    ServletRegistrationBean<Counting> counting() {
      return new ServletRegistrationBean<>(
          new Counting(), "/console/*", "/files/*", "/exact", "/exact/*", "/");
    }
  }

  static final class Counting extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
      REACHED.incrementAndGet();
    }
  }

  @RestController
  static class Api {
    @GetMapping("/orders/{id}")
    String order(@PathVariable String id) {
      REACHED.incrementAndGet();
      return id;
    }
  }
}
