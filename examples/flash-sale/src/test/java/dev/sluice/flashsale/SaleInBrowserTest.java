package dev.sluice.flashsale;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.sluice.servers.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The page in a real browser: a whole sale, and one buyer, without an error and without a request
 * to anybody else.
 *
 * <p>With {@code -Dsluice.console.screenshots=FOLDER} the picture of the documentation is taken as
 * well, of a larger sale.
 */
class SaleInBrowserTest {
  /** A filter may take a few absent ids for present ones. */
  private static final Pattern NEARLY_ALL = Pattern.compile("1,9\\d\\d|2,000");

  private static final Pattern TIME = Pattern.compile("[0-9.]+ m?s");

  private static final String PICTURES = System.getProperty("sluice.console.screenshots", "");
  private static final int STOCK = PICTURES.isEmpty() ? 200 : 3_000;
  private static final double PATIENCE = 60_000;

  /** All seven, one after the other. */
  private static final double WHOLE_SALE = 180_000;

  @TempDir static Path folder;
  private static SaleInstances shop;
  private static Playwright playwright;
  private static Browser browser;

  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private BrowserContext context;
  private Page page;

  @BeforeAll
  static void start() {
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE);
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(chromium())
                    .setArgs(
                        List.of(
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-quic",
                            "--no-first-run",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync")));
    shop = new SaleInstances(2, folder, "memory:in-browser");
  }

  @AfterAll
  static void stop() {
    if (shop != null) {
      shop.close();
    }
    if (playwright != null) {
      playwright.close();
    }
  }

  private static Path chromium() {
    String named = System.getProperty("sluice.chromium", "");
    for (String place : List.of(named, "/usr/bin/chromium", "/usr/bin/chromium-browser")) {
      if (!place.isEmpty() && Files.isExecutable(Path.of(place))) {
        return Path.of(place);
      }
    }
    throw new IllegalStateException("no chromium: install it, or name it with -Dsluice.chromium");
  }

  private void open(String language, int width) {
    open(language, width, shop);
  }

  private void open(String language, int width, SaleInstances shop) {
    open(language, width, shop, ColorScheme.LIGHT);
  }

  private void open(String language, int width, SaleInstances shop, ColorScheme scheme) {
    context =
        browser.newContext(
            new Browser.NewContextOptions()
                .setLocale(language)
                .setColorScheme(scheme)
                .setViewportSize(width, 900));
    context.setDefaultTimeout(PATIENCE);
    page = context.newPage();
    page.onConsoleMessage(
        message -> {
          if (message.type().equals("error") || message.type().equals("warning")) {
            complaints.add(message.text());
          }
        });
    page.onPageError(complaints::add);
    String here = shop.uri("/").toString();
    page.onRequest(
        request -> {
          if (!request.url().startsWith(here) && !request.url().startsWith("data:")) {
            complaints.add("a request to somebody else: " + request.url());
          }
        });
    page.navigate(here);
  }

  @AfterEach
  void close() {
    if (context != null) {
      context.close();
    }
    assertThat(complaints).isEmpty();
  }

  private Locator figure(String strategy, String of) {
    return page.locator("article[data-strategy=" + strategy + "] [data-of=" + of + "]");
  }

  private Locator verdict(String strategy) {
    return page.locator("article[data-strategy=" + strategy + "] .verdict strong");
  }

  private static LocatorAssertions.ContainsTextOptions patiently() {
    return new LocatorAssertions.ContainsTextOptions().setTimeout(WHOLE_SALE);
  }

  private int widest() {
    return ((Number) page.evaluate("() => document.documentElement.scrollWidth")).intValue();
  }

  @Test
  void allSevenSellAndThePageSaysWhatCameOfIt() throws Exception {
    open("en", 1440);
    assertThat(page.locator("#setting")).containsText("2 instances");
    page.locator("[name=stock]").fill("" + STOCK);
    page.locator("[name=requests]").fill("" + 2 * STOCK);
    page.locator("#all").click();
    assertThat(page.locator("#stop")).isEnabled();
    String all = "Exactly %,d sold".formatted(STOCK);
    for (String exact : List.of("lock", "pessimistic", "conditional", "inventory")) {
      assertThat(verdict(exact)).containsText(all, patiently());
    }
    assertThat(verdict("none")).containsText("Oversold");
    assertThat(page.locator("#all")).isEnabled();
    for (String strategy : shop.sales(0).strategies()) {
      DemoLoad.Progress run = shop.bean(DemoLoad.class).progress(strategy);
      int sold =
          strategy.equals("inventory") ? STOCK : run.result().sold(); // unpaid ones come back
      assertThat(figure(strategy, "rate"))
          .hasText("%,d".formatted(Math.round(run.result().ordersPerSecond())));
      assertThat(figure(strategy, "sold")).hasText("%,d".formatted(sold));
      assertThat(figure(strategy, "oversold")).hasText("%,d".formatted(run.result().oversold()));
      assertThat(figure(strategy, "failed")).hasText("%,d".formatted(run.answers().failed()));
      assertThat(figure(strategy, "p50")).hasText(TIME);
      assertThat(figure(strategy, "p99")).hasText(TIME);
    }
    assertThat(page.locator(".stages [data-of=paid]")).not().hasText("0");
    page.locator("#absent").click();
    assertThat(page.locator("#attack")).containsText("2,000 ids: ");
    assertThat(page.locator(".catalogue [data-of=guarded]")).hasText(NEARLY_ALL);
    if (!PICTURES.isEmpty()) {
      Path to = Path.of(PICTURES);
      Files.createDirectories(to);
      page.screenshot(
          new Page.ScreenshotOptions().setPath(to.resolve("flash-sale.png")).setFullPage(true));
    }
  }

  @Test
  void aRunGoesOnWithoutThePageThatBeganIt() {
    open("en", 1336);
    fill("stock", "5");
    fill("requests", "10");
    page.locator("#all").click();
    assertThat(page.locator("#stop")).isEnabled();
    page.close(); // as good as a page whose events are late

    DemoLoad load = shop.bean(DemoLoad.class);
    Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> !load.state().busy());
    for (String strategy : shop.sales(0).strategies()) {
      assertThat(load.progress(strategy).answers().requests()).as(strategy).isEqualTo(10);
    }
  }

  @Test
  void stopEndsTheRunInEveryTab() {
    open("en", 1336);
    Page other = context.newPage();
    other.navigate(page.url());
    fill("stock", "100000");
    fill("requests", "200000");
    page.locator("#all").click();
    assertThat(page.locator("#stop")).isEnabled();

    other.locator("#stop").click();

    for (Page each : List.of(page, other)) {
      assertThat(each.locator("#all")).isEnabled();
      assertThat(each.locator("#stop")).isDisabled();
    }
    DemoLoad.State state = shop.bean(DemoLoad.class).state();
    assertThat(state.busy()).isFalse();
    assertThat(state.waiting()).isEmpty();
    assertThat(shop.sales(0).detail("inventory").stock()).as("never begun").isLessThan(100_000);
  }

  /** The demo prints the address of each instance. */
  @Test
  void stopEndsTheRunOfAnotherInstanceInEveryTab() {
    open("en", 1336);
    Page other = context.newPage();
    other.navigate(shop.uri(1, "/").toString());
    assertThat(other.locator("#all")).isEnabled();
    fill("stock", "100000");
    fill("requests", "200000");
    page.locator("#all").click();
    assertThat(other.locator("#stop")).isEnabled();
    assertThat(other.locator("#all")).isDisabled();

    other.locator("#stop").click();

    for (Page each : List.of(page, other)) {
      assertThat(each.locator("#all")).isEnabled();
      assertThat(each.locator("#stop")).isDisabled();
    }
    assertThat(shop.sales(0).detail("inventory").stock()).as("never begun").isLessThan(100_000);
  }

  @Test
  void aReloadKeepsTheCurvesAndTheForm() throws Exception {
    shop.crowd("conditional", 50, 100);
    open("en", 1336);
    assertThat(verdict("conditional")).containsText("Exactly 50 sold");
    fill("stock", "77");
    fill("tries", "3");
    page.reload();

    assertThat(page.locator("[name=stock]")).hasValue("77");
    assertThat(page.locator("[name=tries]")).hasValue("3");
    assertThat(verdict("conditional")).containsText("Exactly 50 sold");
    page.waitForCondition(() -> pixels("#soldChart", "--conditional") > 50);
  }

  /** How much of a chart has a colour of the page. */
  private int pixels(String chart, String colour) {
    return ((Number)
            page.evaluate(
                """
                ([chart, colour]) => {
                  const canvas = document.querySelector(`${chart} canvas`)
                  const name = getComputedStyle(document.documentElement).getPropertyValue(colour)
                  const [r, g, b] = name.trim().match(/[0-9a-f]{2}/g).map(part => parseInt(part, 16))
                  const { data } = canvas.getContext('2d')
                    .getImageData(0, 0, canvas.width, canvas.height)
                  let found = 0
                  for (let i = 0; i < data.length; i += 4) {
                    found += data[i] === r && data[i + 1] === g && data[i + 2] === b ? 1 : 0
                  }
                  return found
                }
                """,
                List.of(chart, colour)))
        .intValue();
  }

  @Test
  void whatIsNoNumberIsAnsweredWhereItWasTyped() {
    open("en", 1336);
    assertThat(page.locator("#all")).isEnabled();
    fill("requests", "1e3");
    fill("concurrency", "501");
    page.locator("#all").click();

    assertThat(note("requests")).hasText("A whole number in digits, 1 to 200,000");
    assertThat(note("concurrency")).hasText("A whole number in digits, 1 to 500");
    assertThat(note("stock")).isEmpty();
    assertThat(shop.bean(DemoLoad.class).state().busy()).isFalse();
    page.locator("#language").selectOption("zh-CN");
    assertThat(note("concurrency")).hasText("请用数字填写 1 到 500 的整数");
    fill("concurrency", "500");
    assertThat(note("concurrency")).isEmpty();
    page.locator("#language").selectOption("en");
  }

  @ParameterizedTest
  @CsvSource({
    "en, 1440, LIGHT", "en, 390, DARK", "en, 390, LIGHT",
    "zh-CN, 1440, DARK", "zh-CN, 1440, LIGHT", "zh-CN, 390, LIGHT"
  })
  void axeFindsNothing(String language, int width, ColorScheme scheme) throws Exception {
    shop.crowd("none", 100, 300); // oversells
    shop.crowd("inventory", 100, 300);
    open(language, width, shop, scheme);
    assertThat(page.locator("#all")).isEnabled();
    fill("requests", "1e3");
    assertThat(note("requests")).not().isEmpty();
    page.locator("#absent").click();
    assertThat(page.locator("#attack.good")).isVisible();
    assertThat(page.locator("[data-strategy=none] .verdict.bad")).isVisible();
    assertThat(page.locator("[data-strategy=inventory] .verdict.good")).isVisible();
    assertThat(findings()).as("with results").isEmpty();
    page.locator("#unguarded").click();
    assertThat(page.locator("#attack.bad")).containsText("2,000");
    assertThat(page.locator("#absent")).isEnabled();
    assertThat(findings()).as("with many queries").isEmpty();
  }

  private List<?> findings() throws IOException {
    try (InputStream script = SaleInBrowserTest.class.getResourceAsStream("/axe.min.js")) {
      page.evaluate(new String(script.readAllBytes(), StandardCharsets.UTF_8));
    }
    return (List<?>)
        page.evaluate(
            "() => axe.run(document, { resultTypes: ['violations'] })"
                + ".then(r => r.violations.map(v => v.id + ': '"
                + " + v.nodes.map(n => n.html.slice(0, 120)).join(' | ')))");
  }

  private Locator note(String field) {
    return page.locator("label:has([name=" + field + "]) small");
  }

  private void fill(String field, String value) {
    page.locator("[name=" + field + "]").fill(value);
  }

  @Test
  void whatTheLimitedStockSoldStaysWhenUnitsComeBack(@TempDir Path own) throws Exception {
    try (SaleInstances impatient =
        new SaleInstances(1, own, "memory:", "--sale.hold=1s", "--sale.pay-share=0.5")) {
      open("en", 1440, impatient);
      impatient.crowd("inventory", 40, 40);

      assertThat(verdict("inventory")).hasText("Exactly 40 sold");
      assertThat(page.locator("article[data-strategy=inventory] .verdict span"))
          .hasText(
              Pattern.compile(
                  "\\d+ admitted, \\d+ paid, [1-9]\\d* came back and are on sale again"));
      await().until(() -> impatient.sales(0).freshDetail("inventory").sold() < 40);
      page.reload(); // with the orders that the database has now
      assertThat(verdict("inventory")).hasText("Exactly 40 sold");
      assertThat(page.locator("article[data-strategy=inventory] [data-of=sold]")).hasText("40");
      context.close();
      context = null;
    }
  }

  @Test
  void oneBuyerClaimsHearsOfTheOrderAndPays() throws Exception {
    assertThat(shop.post("/sale/inventory/reset?stock=5").statusCode()).isEqualTo(200);
    open("en", 1336);
    page.locator("#claim").click();
    assertThat(page.locator("#mine")).hasText("ordered");
    page.locator("#pay").click();
    assertThat(page.locator("#mine")).hasText("paid");
    assertThat(page.locator(".stages [data-of=paid]")).hasText("1");
  }

  @Test
  void thePageShowsTheBoardAndChecksACode(@TempDir Path own) throws Exception {
    try (RedisServer redis = RedisServer.start();
        SaleInstances small = new SaleInstances(1, own, "redis://127.0.0.1:" + redis.port())) {
      open("en", 1336, small);
      page.locator("#claim").click();
      assertThat(page.locator("#mine")).hasText("ordered");
      assertThat(page.locator("#board li")).hasCount(1);
      assertThat(page.locator("#recent")).containsText("me-");
      assertThat(page.locator(".window [data-of=buyers]")).hasText("1");

      page.locator("#sendCode").click();
      assertThat(page.locator("#codeAnswer")).containsText("Message to the phone: ");
      String code = page.locator("#codeAnswer").textContent().replaceAll("\\D", "");
      page.locator("#codes [name=code]").fill(code);
      page.locator("#codes button:not([type])").click();
      assertThat(page.locator("#codeAnswer")).hasText("Right, and used up");
      assertThat(findings()).as("with the board and a code").isEmpty();
      page.locator("#codes button:not([type])").click();
      assertThat(page.locator("#codeAnswer")).hasText("There is no code. Request a new one");
      context.close();
      context = null;
    }
  }

  @Test
  void aBuyerWhoseOrderCannotBeReadIsToldSoUntilItCan() throws Exception {
    assertThat(shop.post("/sale/inventory/reset?stock=5").statusCode()).isEqualTo(200);
    open("en", 1336);
    page.route("**/buyer/order?*", Route::abort);
    page.locator("#claim").click();
    assertThat(page.locator("#mine")).hasText("The server does not answer.");
    page.unroute("**/buyer/order?*");
    assertThat(page.locator("#mine")).hasText("ordered");
    complaints.removeIf(text -> text.contains("ERR_FAILED")); // as the browser notes it
  }

  @Test
  void anAnswerThatFailedIsNotShownAsGood() {
    open("en", 1336);
    page.route(
        "**/product/absent?*",
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setStatus(503)
                    .setContentType("application/json")
                    .setBody("{}")));
    page.locator("#absent").click();
    assertThat(page.locator("#attack.bad")).hasText("The server answered 503.");
    complaints.removeIf(text -> text.contains("503")); // as the browser notes it
  }

  @Test
  void thePageSpeaksTheReadersLanguageAndKeepsAnother() {
    open("zh-CN", 1336);
    assertThat(page.locator("h1")).hasText("秒杀");
    assertThat(page.locator("#setting")).containsText("2 个实例");
    assertThat(page.locator("html")).hasAttribute("lang", "zh-CN");
    assertThat(page).hasTitle("秒杀 · Sluice");
    assertThat(page.locator(".u-legend").first()).containsText("库存");
    page.locator("#language").selectOption("en");
    assertThat(page.locator("h1")).hasText("Flash sale");
    assertThat(page.locator("#setting")).containsText("2 instances");
    assertThat(page.locator(".u-legend").first()).containsText("Stock");
    page.reload();
    assertThat(page.locator("h1")).hasText("Flash sale");
  }

  @ParameterizedTest
  @ValueSource(strings = {"en", "zh-CN"})
  void everyTextIsThere(String language) {
    open(language, 1336);
    assertThat(page.locator("#setting")).containsText("2 ");
    // a text that is missing shows as its key
    assertThat(page.locator("body").innerText())
        .doesNotContainPattern(
            "\\b(form|card|verdict|chart|stages|mine|answer|window|code|catalogue|failed)\\.[a-z]");
    assertThat(
            page.evaluate(
                "async code => { const read = async name =>"
                    + " Object.keys(await (await fetch(`/i18n/${name}.json`)).json());"
                    + " const [en, own] = [await read('en'), await read(code)];"
                    + " return en.filter(key => !own.includes(key))"
                    + ".concat(own.filter(key => !en.includes(key))) }",
                language))
        .isEqualTo(List.of());
  }

  @ParameterizedTest
  @ValueSource(ints = {390, 420, 800, 1336, 1920})
  void nothingIsCutAtTheSide(int width) {
    open("en", width);
    assertThat(page.locator("#setting")).containsText("instances");
    assertThat(widest()).isLessThanOrEqualTo(width);
  }
}
