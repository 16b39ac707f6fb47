package dev.sluice.flashsale;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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
  private static final Pattern NEARLY_200 = Pattern.compile("19\\d|200");

  private static final String PICTURES = System.getProperty("sluice.console.screenshots", "");
  private static final int STOCK = PICTURES.isEmpty() ? 200 : 3_000;
  private static final double PATIENCE = 60_000;

  /** All seven, one after the other. */
  private static final double WHOLE_SALE = 180_000;

  @TempDir static Path folder;
  private static Shop shop;
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
    shop = new Shop(2, folder, "memory:in-browser");
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
    context =
        browser.newContext(
            new Browser.NewContextOptions()
                .setLocale(language)
                .setColorScheme(ColorScheme.LIGHT)
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
    assertThat(page.locator(".stages [data-of=paid]")).not().hasText("0");
    page.locator("#absent").click();
    assertThat(page.locator("#attack")).containsText("200 ids: ");
    assertThat(page.locator(".catalogue [data-of=guarded]")).hasText(NEARLY_200);
    if (!PICTURES.isEmpty()) {
      Path to = Path.of(PICTURES);
      Files.createDirectories(to);
      page.screenshot(
          new Page.ScreenshotOptions().setPath(to.resolve("flash-sale.png")).setFullPage(true));
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
            "\\b(form|card|verdict|chart|stages|mine|answer|catalogue|failed)\\.[a-z]");
    assertThat(
            page.evaluate(
                "async code => { const { texts } = await import('/texts.js');"
                    + " return Object.keys(texts.en).filter(key => !(key in texts[code]))"
                    + ".concat(Object.keys(texts[code]).filter(key => !(key in texts.en))) }",
                language))
        .isEqualTo(List.of());
  }

  @ParameterizedTest
  @ValueSource(ints = {420, 800, 1336, 1920})
  void nothingIsCutAtTheSide(int width) {
    open("en", width);
    assertThat(page.locator("#setting")).containsText("instances");
    assertThat(widest()).isLessThanOrEqualTo(width);
  }
}
