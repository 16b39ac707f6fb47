package dev.sluice.bench.sale;

import dev.sluice.bench.run.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.jr.ob.JSON;

/** The sample application as a separate process. */
final class Application implements AutoCloseable {
  static final List<String> FLAGS = List.of("-Xms1g", "-Xmx3g", "-XX:+UseParallelGC");

  /** The property that names the jars of the sample. */
  static final String CLASS_PATH = "sluice.flashsale";

  private static final Pattern ADDRESS = Pattern.compile("Flash sale: (\\S+)/");
  private static final String MAIN = "dev.sluice.flashsale.FlashSaleApplication";

  private final ChildJvm jvm;
  private final HttpClient http = HttpClient.newHttpClient();

  private Application(ChildJvm jvm) {
    this.jvm = jvm;
  }

  /** Starts one instance, and waits until it listens. */
  static Application start(String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("--port", "0", "--instances", "1"));
    all.addAll(List.of(options));
    return new Application(ChildJvm.start(java(MAIN, all), ADDRESS));
  }

  /** A JVM with the jars of the sample, wherever it was built to, and what measures it. */
  static ProcessBuilder java(String main, List<String> arguments) {
    String path = System.getProperty(CLASS_PATH);
    if (path == null) {
      throw new IllegalStateException(
          "-Dsluice.flashsale must be the class path of the sample: use ./sluice bench flash-sale");
    }
    String own = Application.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    return ChildJvm.builder(FLAGS, path + File.pathSeparator + own, main, arguments);
  }

  String url(String path) {
    return jvm.said() + path;
  }

  void reset(String strategy, int stock) throws IOException, InterruptedException {
    ask("POST", "/sale/" + strategy + "/reset?stock=" + stock);
  }

  /** {@return orders of this run, by the database} */
  double sold(String strategy) throws IOException, InterruptedException {
    if (ask("GET", "/sale/" + strategy + "/detail").get("sold") instanceof Number sold) {
      return sold.doubleValue();
    }
    throw new IllegalStateException("the sample does not say how much '" + strategy + "' sold");
  }

  private Map<String, Object> ask(String method, String path)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create(url(path)))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(path + " answered " + answer.statusCode() + answer.body());
    }
    return JSON.std.mapFrom(answer.body());
  }

  @Override
  public void close() {
    jvm.close();
  }
}
