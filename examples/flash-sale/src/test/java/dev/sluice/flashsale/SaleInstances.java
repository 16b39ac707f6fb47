package dev.sluice.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Instances of the application that share a database, and a client for them. */
final class SaleInstances implements AutoCloseable {
  private static final String HOLD = "--sale.hold=";

  private final List<ConfigurableApplicationContext> instances = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();

  SaleInstances(int size, Path folder, String store, String... settings) {
    try {
      for (int i = 0; i < size; i++) {
        List<String> args = new ArrayList<>(List.of(settings));
        args.add("--server.port=0");
        args.add("--sale.redis-timeout=30s");
        args.add("--sluice.request-timeout=10s");
        if (args.stream().noneMatch(setting -> setting.startsWith(HOLD))) {
          args.add(HOLD + "10m"); // units that come back are not what most tests are about
        }
        args.add("--sluice.url=" + store);
        args.add("--sale.data=" + folder.resolve("sale"));
        instances.add(Demo.instance(args.toArray(String[]::new)));
      }
    } catch (RuntimeException | IOException e) {
      close();
      throw e instanceof IOException failure
          ? new UncheckedIOException(failure)
          : (RuntimeException) e;
    }
    awaitAll();
  }

  /** An instance that was held up for some seconds counts as gone until it comes back. */
  private void awaitAll() {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(sales(0).instances()).hasSameSizeAs(instances));
  }

  Sales sales(int instance) {
    return instances.get(instance).getBean(Sales.class);
  }

  DemoLoad load(int instance) {
    return instances.get(instance).getBean(DemoLoad.class);
  }

  <T> T bean(Class<T> type) {
    return instances.get(0).getBean(type);
  }

  URI uri(String path) {
    return uri(0, path);
  }

  URI uri(int instance, String path) {
    return URI.create(Demo.url(instances.get(instance)) + path);
  }

  HttpResponse<String> get(String path) throws Exception {
    return send(HttpRequest.newBuilder(uri(path)));
  }

  HttpResponse<String> post(String path) throws Exception {
    return send(HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.noBody()));
  }

  /** One order of a buyer, or of somebody who does not say who it is. */
  HttpResponse<String> order(String strategy, @Nullable String buyer) throws Exception {
    HttpRequest.Builder order =
        HttpRequest.newBuilder(uri("/sale/" + strategy)).POST(HttpRequest.BodyPublishers.noBody());
    return send(buyer == null ? order : order.header(Buyers.HEADER, buyer));
  }

  /** A claim of the limited stock, by somebody who has a token or says so. */
  HttpResponse<String> claim(String buyer, String token, String request) throws Exception {
    return send(
        HttpRequest.newBuilder(uri("/sale/inventory"))
            .POST(HttpRequest.BodyPublishers.noBody())
            .header(Buyers.HEADER, buyer)
            .header(Buyers.TOKEN, token)
            .header(Buyers.REQUEST, request));
  }

  /** What a buyer gets when he logs in. */
  String token(String buyer) throws Exception {
    return json(get("/buyer/token?buyer=" + buyer)).get("token").asString();
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(
        request.timeout(Duration.ofSeconds(60)).build(), HttpResponse.BodyHandlers.ofString());
  }

  static JsonNode json(HttpResponse<String> response) {
    return JsonMapper.shared().readTree(response.body());
  }

  /** Lets a crowd in at the first instance, which spreads it over all, and waits for its end. */
  DemoLoad.Progress crowd(String strategy, int stock, int requests) throws Exception {
    awaitAll();
    return bean(DemoLoad.class)
        .start(List.of(strategy), new DemoLoad.Spec(stock, requests, 64, 1))
        .get(120, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    for (int i = instances.size() - 1; i >= 0; i--) {
      instances.get(i).close();
    }
  }
}
