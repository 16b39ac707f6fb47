package dev.sluice.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.console.Console;
import dev.sluice.console.ConsoleServer;
import dev.sluice.inventory.Sale;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.Backend;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pages in a real browser: every page in both languages, by mouse and by keyboard, without an
 * error and without a request to anybody else.
 *
 * <p>With {@code -Dsluice.console.screenshots=FOLDER} the pictures of the documentation are taken
 * as well.
 */
class ConsoleInBrowserTest {
  private static final List<String> PAGES =
      List.of("overview", "locks", "limiters", "filters", "caches", "inventory", "events");
  private static final Map<String, List<String>> NAMES =
      Map.of(
          "en",
          List.of("Overview", "Locks", "Limiters", "Filters", "Caches", "Inventory", "Events"),
          "zh-CN",
          List.of("概览", "锁", "限流器", "过滤器", "缓存", "库存", "事件"));
  private static final double PATIENCE = 60_000;
  private static final Pattern READING =
      Pattern.compile("\\d\\d:\\d\\d:\\d\\d UTC, Locks held \\d+, Waiting \\d+");

  private static Playwright playwright;
  private static Browser browser;
  private static ReportingShop shop;
  private static ConsoleServer server;

  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final List<BrowserContext> others = new ArrayList<>();
  private BrowserContext context;
  private Page page;
  private String zone = "UTC";

  @BeforeAll
  static void start() throws Exception {
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE); // a process looks each 5 s
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
    shop = ReportingShop.open();
    server = serve(Console.builder(shop.console()).url("redis://localhost:6379").writes(true));
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
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

  private static ConsoleServer serve(Console.Builder settings) throws Exception {
    return ConsoleServer.start(settings, new InetSocketAddress("127.0.0.1", 0));
  }

  private Page open(URI uri, String language, ColorScheme scheme, int width, int height) {
    context =
        browser.newContext(
            new Browser.NewContextOptions()
                .setLocale(language)
                .setTimezoneId(zone)
                .setColorScheme(scheme)
                .setViewportSize(width, height));
    context.setDefaultTimeout(PATIENCE);
    page = context.newPage();
    page.onConsoleMessage(
        message -> {
          if (message.type().equals("error") || message.type().equals("warning")) {
            complaints.add(message.text());
          }
        });
    page.onPageError(complaints::add);
    page.onRequest(
        request -> {
          String asked = request.url();
          if (!asked.startsWith(uri.resolve("/").toString()) && !asked.startsWith("data:")) {
            complaints.add("a request to somebody else: " + asked);
          }
        });
    page.navigate(uri.toString());
    return page;
  }

  private Page open(String language) {
    return open(server.uri(), language, ColorScheme.LIGHT, 1360, 900);
  }

  @AfterEach
  void close() {
    others.forEach(BrowserContext::close);
    if (context != null) {
      context.close();
    }
    assertThat(complaints).isEmpty();
  }

  private void isLive(String name) {
    assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
        .hasText(name);
    assertThat(page.locator(".state .badge.good")).isVisible();
  }

  private void go(String word) {
    page.locator("nav a[href='#/" + word + "']").click();
  }

  private Locator row(String name) {
    return page.locator("tbody tr").filter(new Locator.FilterOptions().setHasText(name));
  }

  private Locator button(String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  // ---- every page ----

  @ParameterizedTest
  @ValueSource(strings = {"en", "zh-CN"})
  void everyPageShowsWhatIsThere(String language) {
    open(language);
    for (int i = 0; i < PAGES.size(); i++) {
      go(PAGES.get(i));
      isLive(NAMES.get(language).get(i));
      assertThat(page.locator("nav a[aria-current=page]")).hasText(NAMES.get(language).get(i));
      assertThat(page.locator("html")).hasAttribute("lang", language);
      assertThat(page).hasTitle(NAMES.get(language).get(i) + " · Sluice");
      // a word without a translation shows as its key
      assertThat(page.locator("#main").innerText())
          .doesNotContainPattern(
              "\\b(common|nav|locks|limiters|filters|caches|events|event|overview|fleet|chart|state|severity|inventory)\\.[a-z]");
      assertThat(widest()).as("nothing is cut at the side").isLessThanOrEqualTo(1360);
    }
  }

  private int widest() {
    return ((Number) page.evaluate("() => document.documentElement.scrollWidth")).intValue();
  }

  @Test
  void theOverviewAddsUpTheFleet() {
    open("en");
    isLive("Overview");
    assertThat(row("orders-1")).isVisible();
    assertThat(row("orders-2")).isVisible();
    assertThat(page.locator(".chart canvas")).hasCount(3);
    assertThat(page.locator(".tile").first().locator(".tile-value")).not().hasText("–");
    button("Examine now").click();
    assertThat(page.getByText("Examined").first()).isVisible();
  }

  @Test
  void twoLocksThatWaitForEachOtherAreAFinding() {
    shop.deadlock("account/1", "account/2");
    open("en");
    isLive("Overview");
    Locator finding =
        page.locator(".findings li").filter(new Locator.FilterOptions().setHasText("account/1"));
    assertThat(finding).containsText("orders-1 waits for 'account/2', which orders-2 holds");
    assertThat(finding)
        .containsText("orders-2 waits for 'account/1', 'orders/42', which orders-1 holds");
    finding.locator("summary").click();
    assertThat(finding)
        .containsText("sluice unlock --url redis://localhost:6379 account/2 --force");
    assertThat(finding.getByRole(AriaRole.BUTTON)).hasText("Copy");
    Locator advice =
        page.locator(".findings li").filter(new Locator.FilterOptions().setHasText("one-jvm"));
    advice.locator("summary").click();
    assertThat(advice).containsText("name a store that processes share");
    assertThat(advice.getByRole(AriaRole.BUTTON)).hasCount(0); // no command, nothing to copy
  }

  @Test
  void whatTheDoctorFindsIsSaidInTheLanguageOfTheReader() {
    open("zh-CN");
    isLive("概览");
    Locator finding =
        page.locator(".findings li").filter(new Locator.FilterOptions().setHasText("one-jvm"));
    assertThat(finding.locator("summary")).containsText("存储是本 JVM 的内存");
    finding.locator("summary").click();
    assertThat(finding).containsText("其他进程看不到它");
    assertThat(finding.locator("[lang=en]").first()).hasText("the store is the memory of this JVM");
  }

  @Test
  void timesCarryTheirZone() {
    zone = "Asia/Shanghai";
    open("en");
    go("locks");
    isLive("Locks");
    row("orders/42").getByRole(AriaRole.BUTTON).click();
    assertThat(page.locator("dialog .facts")).containsText("GMT+8");
    assertThat(page.locator(".chart time")).containsText("GMT+8");
  }

  @Test
  void limitersFiltersCachesAndStocksShowTheirFigures() {
    open("en");
    go("limiters");
    assertThat(row("login").locator("code")).containsText("token-bucket");
    row("login").getByRole(AriaRole.BUTTON).click();
    assertThat(page.locator("dialog .hot li").first()).containsText("user/");
    page.keyboard().press("Escape");
    assertThat(page.locator("dialog")).hasCount(0);
    go("filters");
    assertThat(row("product-ids")).containsText("Good");
    go("caches");
    assertThat(row("products")).containsText("%");
    go("inventory");
    assertThat(row("tickets")).containsText("2,000");
    assertThat(row("shoes")).containsText("900");
  }

  @Test
  void theLanguageAndTheThemeAreKept() {
    open("en");
    isLive("Overview");
    page.locator("#language").selectOption("zh-CN");
    isLive("概览");
    page.locator("#theme").click();
    assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
    String dark = ground();
    page.reload();
    isLive("概览");
    assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
    page.locator("#theme").click();
    assertThat(ground()).isNotEqualTo(dark);
  }

  private String ground() {
    return (String) page.evaluate("() => getComputedStyle(document.body).backgroundColor");
  }

  @Test
  void tablesSortAndFilter() {
    open("en");
    go("locks");
    assertThat(row("orders/42")).isVisible();
    Locator find = page.getByRole(AriaRole.SEARCHBOX).first();
    find.fill("nightly");
    assertThat(row("orders/42")).hasCount(0);
    assertThat(row("nightly-report")).isVisible();
    find.fill("");
    button("Name").first().click();
    Locator header = page.locator("#main th").first();
    assertThat(header).hasAttribute("aria-sort", "ascending");
    button("Name").first().click();
    assertThat(header).hasAttribute("aria-sort", "descending");
  }

  /** A name may hide text, or turn it around. Each page shows what the name holds. */
  @Test
  void hiddenCharactersOfNamesAreShown() throws Exception {
    String name = "a\u202eb\u200bc\u2028d";
    String shown = "a\\u202eb\\u200bc\\u2028d";
    MemoryBackend store = new MemoryBackend();
    try (Sluice one = Sluice.builder().backend(store).build();
        ConsoleServer names = serve(Console.builder(one).writes(true))) {
      assertThat(one.lock(name).tryAcquire()).isPresent();
      one.inventory(name).open(Sale.epoch(1).total(10));
      one.bloomFilter(name, Funnel.utf8(), BloomSpec.of(1_000, 0.01)).create();
      String report =
          """
          {"v":1,"process":"%1$s","host":"%1$s","seq":1,"filters":["%1$s"],"caches":[{"n":"%1$s"}],
          "locks":[{"n":"%1$s"}],
          "limiters":[{"n":"%1$s","p":["gcra 1/s name %1$s"],"hot":[{"k":"%1$s","c":9}]}]}
          """;
      store
          .notes()
          .put("report", "client", report.formatted(name), TimeUnit.HOURS.toMicros(1))
          .toCompletableFuture()
          .join();
      open(names.uri(), "en", ColorScheme.LIGHT, 1360, 900);
      isLive("Overview");
      for (String word : PAGES) {
        go(word);
        isLive(NAMES.get("en").get(PAGES.indexOf(word)));
        if (!word.equals("events")) {
          assertThat(page.locator("#main")).containsText(shown);
        }
        if (word.equals("locks") || word.equals("limiters")) {
          row(shown).getByRole(AriaRole.BUTTON).first().click();
          assertThat(page.locator("dialog[open]")).containsText(shown);
        }
        assertThat(page.locator("body").innerHTML()).doesNotContainPattern("[\u202e\u200b\u2028]");
        if (word.equals("locks")) {
          button("Release by force…").click();
          button("Release by force").click();
          assertThat(page.locator("dialog [role=status]")).containsText("Released");
        }
        page.keyboard().press("Escape");
      }
      assertThat(page.locator(".events")).containsText("release by force ‘" + shown + "’: done");
      context.close();
      context = null;
    }
  }

  /** The lock that somebody waits for is the last by its name. */
  @Test
  void contentionIsOnTopOfThousandsAndEveryViewHasAnAddress() throws Exception {
    MemoryBackend store = new MemoryBackend();
    try (Sluice other = Sluice.builder().backend(store).build();
        Sluice crowd = Sluice.builder().backend(store).build();
        ConsoleServer big = serve(Console.builder(crowd))) {
      for (int i = 0; i < 3_000; i++) {
        assertThat(crowd.lock("many/" + i).tryAcquire()).isPresent();
      }
      assertThat(crowd.lock("zoo").tryAcquire()).isPresent();
      other.lock("zoo").async().acquire(Duration.ofHours(1));
      open(big.uri(), "en", ColorScheme.LIGHT, 1360, 900);
      isLive("Overview");
      assertThat(page.locator(".tile-value").nth(0)).hasText("3,001");
      assertThat(page.locator(".tile-value").nth(1)).hasText("1");
      go("locks");
      Locator rows = page.locator("tbody").first().locator("tr");
      assertThat(rows.first()).containsText("zoo");
      assertThat(rows).hasCount(50);
      button("After").click();
      assertThat(page.locator(".pager")).containsText("51 to 100");
      page.getByRole(AriaRole.SEARCHBOX).first().fill("MANY/2999");
      assertThat(rows).hasCount(1);
      row("many/2999").getByRole(AriaRole.BUTTON).click();
      assertThat(page.locator("dialog[open]")).containsText("many/2999");

      page.reload(); // the same filter, the same dialog
      assertThat(page.locator("dialog[open]")).containsText("many/2999");
      page.goBack();
      assertThat(page.locator("dialog")).hasCount(0);
      assertThat(rows).hasCount(1);
      page.navigate(big.uri().resolve("/#/lokcs").toString());
      assertThat(page.locator("h1")).hasText("There is no page at this address");
      assertThat(page).hasTitle("There is no page at this address · Sluice");
      context.close();
      context = null;
    }
  }

  @Test
  void everyAddressShowsWhatItNamesOrSaysThatItIsNotThere() {
    open("en");
    isLive("Overview");
    for (String address : List.of("limiters?open=", "caches?open=", "locks?permits=")) {
      page.navigate(server.uri().resolve("/#/" + address + "nowhere").toString());
      assertThat(page.locator("dialog[open]")).containsText("Nothing with this name is shown");
      page.keyboard().press("Escape");
      assertThat(page.locator("dialog")).hasCount(0);
      assertThat(page).not().hasURL(Pattern.compile(".*nowhere.*"));
    }
    page.navigate(server.uri().resolve("/#/locks?permits-find=impor").toString());
    assertThat(row("importers")).isVisible();
    assertThat(row("catalogue")).hasCount(0);
    assertThat(page.getByRole(AriaRole.SEARCHBOX).last()).hasValue("impor");
  }

  /** A filter that is shown and does not filter, or the other way round, misleads. */
  @Test
  void theFilterFollowsTheAddress() {
    open("en");
    go("locks");
    Locator find = page.getByRole(AriaRole.SEARCHBOX).first();
    find.fill("nightly");
    assertThat(row("orders/42")).hasCount(0);
    go("locks");
    assertThat(row("orders/42")).isVisible();
    assertThat(find).hasValue("");
    page.goBack();
    assertThat(row("orders/42")).hasCount(0);
    assertThat(find).hasValue("nightly");
    row("nightly-report").getByRole(AriaRole.BUTTON).click();
    assertThat(page.locator("dialog[open]")).isVisible();
    page.goBack();
    assertThat(page.locator("dialog")).hasCount(0);
    assertThat(find).hasValue("nightly");
  }

  /** On a history that begins now: in a long one, a pixel is more than a second. */
  @Test
  void chartsGrowAndAnswerByPointerAndByKeyboard() throws Exception {
    try (ConsoleServer fresh = serve(Console.builder(shop.console()))) {
      open(fresh.uri(), "en", ColorScheme.LIGHT, 1360, 900);
      chartsGrowAndAnswer();
      context.close();
      context = null;
    }
  }

  private void chartsGrowAndAnswer() {
    go("locks");
    isLive("Locks");
    Locator chart = page.getByRole(AriaRole.SLIDER);
    assertThat(chart).hasAttribute("aria-valuetext", READING);
    int before = Integer.parseInt(chart.getAttribute("aria-valuemax"));
    page.waitForCondition(
        () -> Integer.parseInt(chart.getAttribute("aria-valuemax")) >= before + 2);

    chart.focus();
    page.keyboard().press("Home");
    assertThat(chart).hasAttribute("aria-valuenow", "0");
    String first = page.locator(".chart time").innerText();
    assertThat(chart).hasAttribute("aria-valuetext", Pattern.compile(first + ", .*"));
    page.keyboard().press("ArrowRight");
    assertThat(chart).hasAttribute("aria-valuenow", "1");
    page.keyboard().press("Escape");
    assertThat(page.locator(".chart time")).not().hasText(first);

    page.locator(".u-over").hover(new Locator.HoverOptions().setPosition(1, 50));
    assertThat(chart).hasAttribute("aria-valuenow", "0");
    assertThat(page.locator(".chart time")).hasText(first);
    page.locator("h1").hover();
    assertThat(page.locator(".chart time")).not().hasText(first);

    page.getByLabel("Charts show").selectOption("600");
    assertThat(page).hasURL(Pattern.compile(".*last=600"));
  }

  @Test
  void rowsStayUnderThePointer() {
    open("en");
    go("limiters");
    for (String limiter : List.of("login", "search", "to-be-changed", "half-changed")) {
      assertThat(row(limiter)).isVisible(); // both processes have reported
    }
    Locator first = page.locator("tbody tr").first();
    page.locator("th button").nth(1).click(); // by what changes each second
    first.hover();
    List<String> before = page.locator("tbody tr td:first-child").allInnerTexts();
    String ticked = page.locator("tbody").innerText();
    page.waitForCondition(() -> !page.locator("tbody").innerText().equals(ticked));
    page.waitForCondition(() -> page.locator("tbody tr").count() == before.size());
    assertThat(page.locator("tbody tr td:first-child").allInnerTexts()).isEqualTo(before);
  }

  /** Of many rows the console sends the first, and others may be the first in the next second. */
  @Test
  void aRowThatLeavesTheListKeepsItsPlaceUnderThePointer() throws Exception {
    MemoryBackend store = new MemoryBackend();
    try (Sluice other = Sluice.builder().backend(store).build();
        Sluice leaving = Sluice.builder().backend(store).build();
        Sluice crowd = Sluice.builder().backend(store).build();
        ConsoleServer big = serve(Console.builder(crowd))) {
      for (int i = 10; i < 70; i++) {
        assertThat(crowd.lock("many/" + i).tryAcquire()).isPresent();
      }
      for (String name : List.of("zoo-1", "zoo-2", "zoo-3")) {
        assertThat(crowd.lock(name).tryAcquire()).isPresent();
        (name.equals("zoo-2") ? leaving : other).lock(name).async().acquire(Duration.ofHours(1));
      }
      open(big.uri(), "en", ColorScheme.LIGHT, 1360, 900);
      go("locks");
      Locator names = page.locator("[aria-labelledby=lock-list] tbody tr td:first-child");
      String[] top = {"zoo-1", "zoo-2", "zoo-3", "many/10", "many/11"};
      for (int i = 0; i < top.length; i++) {
        assertThat(names.nth(i)).hasText(top[i]);
      }
      assertThat(row("zoo-2")).not().hasClass(Pattern.compile(".*old.*"));
      row("zoo-3").hover();
      row("zoo-3").getByRole(AriaRole.BUTTON).focus();
      leaving.close();

      assertThat(row("zoo-2")).hasClass(Pattern.compile(".*old.*"));
      assertThat(row("zoo-2")).hasAttribute("title", "No longer on this list");
      for (int i = 0; i < top.length; i++) {
        assertThat(names.nth(i)).hasText(top[i]);
      }
      assertThat(names).hasCount(50);
      assertThat(row("zoo-3").getByRole(AriaRole.BUTTON)).isFocused();
      page.getByRole(AriaRole.SEARCHBOX).first().fill("zoo"); // while the pointer stays
      assertThat(names).hasText(new String[] {"zoo-1", "zoo-3", "zoo-2"});
      page.locator("h1").hover();
      page.getByRole(AriaRole.SEARCHBOX).first().fill("");
      assertThat(row("zoo-2")).hasCount(0);
      context.close();
      context = null;
    }
  }

  /** Keys, not places: what is focused may be another row by now otherwise. */
  @Test
  void theFocusStaysOnItsRow() {
    shop.hold("aaa-focused");
    open("en");
    isLive("Overview");
    page.navigate(server.uri().resolve("/#/locks?sort=name&down=false").toString());
    Locator button = row("aaa-focused").getByRole(AriaRole.BUTTON);
    button.focus();
    page.locator("h1").hover();
    shop.hold("aaa-before-it");
    assertThat(row("aaa-before-it")).isVisible();
    assertThat(button).isFocused();
    page.getByLabel("Charts show").focus(); // the rows may move again
    assertThat(page.locator("[aria-labelledby=lock-list] tbody tr").first())
        .containsText("aaa-before-it");
  }

  // ---- changes ----

  @Test
  void aLockIsReleasedByForceAndTheAuditShowsIt() {
    shop.hold("to-be-released");
    open("en");
    go("locks");
    row("to-be-released").getByRole(AriaRole.BUTTON).click();
    assertThat(page.locator("dialog")).containsText("orders-1");
    button("Release by force…").click();
    button("Release by force").click();
    assertThat(page.locator("dialog [role=status]")).containsText("Released");
    page.keyboard().press("Escape");
    go("events");
    assertThat(page.locator(".events")).containsText("release by force ‘to-be-released’: done");
    page.getByLabel("About").selectOption("lock");
    Locator loss =
        page.locator(".events li")
            .filter(
                new Locator.FilterOptions().setHasText("lost a lease of lock ‘to-be-released’"));
    assertThat(loss).hasCount(1);
    assertThat(page.locator(".events")).not().containsText("release by force");
    page.getByLabel("About").selectOption("audit");
    assertThat(loss).hasCount(0);
    assertThat(page.locator(".events")).containsText("release by force");
    page.reload(); // the filter has an address
    assertThat(page.getByLabel("About")).hasValue("audit");
    assertThat(page.locator(".events")).containsText("release by force");
  }

  @Test
  void theAuditIsInTheLanguageOfTheReader() {
    shop.hold("audited-in-chinese");
    open("zh-CN");
    go("locks");
    row("audited-in-chinese").getByRole(AriaRole.BUTTON).click();
    button("强制释放…").click();
    button("强制释放").click();
    assertThat(page.locator("dialog [role=status]")).isVisible();
    page.keyboard().press("Escape");
    go("events");
    assertThat(page.locator(".events")).containsText("强制释放“audited-in-chinese”：完成：token ");
    assertThat(page.locator(".events")).containsText("登录：完成");
    assertThat(page.locator(".events")).not().containsText("done");
  }

  /** Whoever comes next must not lose a lock because somebody was about to take it from another. */
  @Test
  void aReleaseIsForTheHolderThatWasThereWhenTheBoxOpened() {
    shop.hold("contended");
    long seen = shop.token("contended");
    open("en");
    go("locks");
    assertThat(row("contended")).containsText("orders-1"); // the console knows the process by now
    row("contended").getByRole(AriaRole.BUTTON).click();
    button("Release by force…").click();
    assertThat(page.locator("dialog .danger-box")).containsText("orders-1");
    assertThat(page.locator("dialog .danger-box")).containsText("token " + seen);

    shop.changeHolder("contended");
    assertThat(page.locator("dialog .danger-box [role=status]")).containsText("another process");
    assertThat(page.locator("dialog .danger-box")).containsText("orders-1");
    assertThat(page.locator("dialog .danger-box")).containsText("token " + seen);
    assertThat(button("Release by force")).isDisabled();
    assertThat(page.locator("dialog .facts")).containsText("orders-2");
  }

  @Test
  void figuresOfAConsoleThatEndedAreShownAsOld() throws Exception {
    ConsoleServer ended = serve(Console.builder(shop.console()).writes(true));
    open(ended.uri(), "en", ColorScheme.LIGHT, 1360, 900);
    go("locks");
    isLive("Locks");
    row("orders/42").getByRole(AriaRole.BUTTON).click();
    assertThat(button("Release by force…")).isEnabled();
    ended.close();
    assertThat(page.locator(".state")).containsText("Reconnecting");
    assertThat(page.locator(".state")).containsText("data from");
    assertThat(page.locator("#main .old")).isVisible();
    assertThat(button("Release by force…")).isDisabled();
    // the dialog hides the state of the page
    assertThat(page.locator("dialog .dialog-head [role=status]")).hasText("Old data");
    assertThat(page.locator("dialog")).hasCSS("border-top-style", "dashed");
    page.evaluate(axe());
    assertThat(findings()).as("old, and legible").isEmpty();
    page.keyboard().press("Escape");
    assertThat(findings()).as("the page behind it").isEmpty();
    context.close();
    context = null;
    complaints.clear(); // of the browser, that nobody answers
  }

  @Test
  void aStoreThatDoesNotAnswerIsSaidInOneSentenceAndTheRestOnDemand() throws Exception {
    MemoryBackend memory = new MemoryBackend();
    AtomicBoolean away = new AtomicBoolean();
    Backend store =
        (Backend)
            Proxy.newProxyInstance(
                Backend.class.getClassLoader(),
                new Class<?>[] {Backend.class},
                (proxy, method, arguments) -> {
                  if (away.get() && method.getName().equals("locks")) {
                    throw new BackendException("ERR of the driver at 10.0.0.7", null);
                  }
                  return method.invoke(memory, arguments);
                });
    try (Sluice sluice = Sluice.builder().backend(store).build();
        ConsoleServer console = serve(Console.builder(sluice).writes(true))) {
      assertThat(sluice.lock("held").tryAcquire()).isPresent();
      open(console.uri(), "en", ColorScheme.LIGHT, 1360, 900);
      go("locks");
      isLive("Locks");
      row("held").getByRole(AriaRole.BUTTON).click();
      away.set(true);
      assertThat(page.locator(".state .badge")).hasText("Store unreachable");
      assertThat(page.locator(".state")).containsText("data from");
      assertThat(button("Release by force…")).isDisabled();
      page.keyboard().press("Escape");
      Locator said = page.locator("[role=alert]");
      assertThat(said).containsText("The store does not answer.");
      assertThat(said.locator("code")).not().isVisible();
      said.locator("summary").click();
      assertThat(said.locator("code")).containsText("ERR of the driver");
      away.set(false);
      isLive("Locks");
      assertThat(said).hasCount(0);
      context.close();
      context = null;
    }
  }

  @Test
  void aLimitIsChangedAndABadOneIsExplained() {
    open("en");
    go("limiters");
    row("to-be-changed").getByRole(AriaRole.BUTTON).click();
    button("Change…").click();
    Locator policy = page.locator("dialog input");
    policy.fill("token-bucket 0/s");
    button("Compare…").click();
    assertThat(page.locator("dialog [role=alert]")).containsText("must be 1 to");
    policy.fill("fixed-window  7/60s");
    button("Compare…").click();
    assertThat(page.locator("dialog .danger-box")).containsText("Before");
    assertThat(page.locator("dialog .danger-box")).containsText("fixed-window 3/1m");
    assertThat(page.locator("dialog .danger-box")).containsText("fixed-window 7/1m");
    assertThat(page.locator("dialog input[type=checkbox]")).hasCount(0);
    page.getByLabel("Reason (optional)").fill("too many complaints");
    button("Write the policy").click();
    assertThat(page.locator("dialog [role=status]"))
        .hasText("Done 1 of 1 processes have version 1.");
    assertThat(page.locator("dialog .line li").first()).containsText("fixed-window 7/1m");
    assertThat(page.locator("dialog .book li")).hasCount(1);
    assertThat(page.locator("dialog .book li")).containsText("too many complaints");
    button("Undo…").click();
    button("Compare…").click();
    assertThat(page.locator("dialog .danger-box")).containsText("fixed-window 3/1m");
    button("Write the policy").click();
    assertThat(page.locator("dialog [role=status]"))
        .hasText("Done 1 of 1 processes have version 2.");
    assertThat(page.locator("dialog .book li")).hasCount(2);
    complaints.removeIf(text -> text.contains("400")); // the refusal, as the browser notes it
  }

  @Test
  void aChangeIsDoneWhenEveryProcessHasItAndALargeOneIsAskedForTwice() {
    shop.showDeafProcess("deaf-1", "half-changed", "fixed-window 3/1m");
    open("en");
    go("limiters");
    assertThat(row("half-changed").locator("td").last()).hasText("2");
    row("half-changed").getByRole(AriaRole.BUTTON).click();
    button("Change…").click();
    page.locator("dialog input").fill("fixed-window 300/1m");
    button("Compare…").click();
    assertThat(page.locator("dialog [role=alert]")).containsText("100 times as much as now");
    assertThat(button("Write the policy")).isDisabled();
    page.locator("dialog input[type=checkbox]").check();
    button("Write the policy").click();
    assertThat(page.locator("dialog [role=status]"))
        .hasText("Written 1 of 2 processes have version 1.");
  }

  @ParameterizedTest
  @CsvSource({"en, 2 policies", "zh-CN, 2 种策略"})
  void processesWithTwoPoliciesOfOneLimiterAreMarked(String language, String mark) {
    shop.showDeafProcess("deaf-2", "checkout", "fixed-window 3/1m");
    shop.showDeafProcess("deaf-3", "checkout", "fixed-window 30/1m");
    open(language);
    go("limiters");
    assertThat(row("checkout").locator("td").last()).hasText("2");
    assertThat(row("checkout").locator(".badge.warn")).hasText(mark);
    assertThat(row("login").locator("td").last()).hasText("2");
    assertThat(row("login").locator(".badge.warn")).hasCount(0);
  }

  @Test
  void theSeventeenthPageIsToldWhyAndATabThatNobodySeesMakesRoom() throws Exception {
    try (ConsoleServer full = serve(Console.builder(shop.console()))) {
      for (int i = 0; i < 16; i++) {
        if (i % 4 == 0) { // a browser opens six connections to one address
          context = browser.newContext(new Browser.NewContextOptions().setLocale("en"));
          others.add(context);
        }
        page = context.newPage();
        page.clock().install();
        page.navigate(full.uri().toString());
        isLive("Overview");
      }
      Page sixteenth = page;
      open(full.uri(), "en", ColorScheme.LIGHT, 1360, 900);
      assertThat(page.getByRole(AriaRole.ALERT)).containsText("16 pages are open already");

      sixteenth.evaluate(
          "() => { Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
              + " document.dispatchEvent(new Event('visibilitychange')); }");
      sixteenth.clock().fastForward(60_000);
      assertThat(sixteenth.locator(".state .badge")).hasText("Resting");
      isLive("Overview");
      assertThat(page.getByRole(AriaRole.ALERT)).hasCount(0);
      context.close();
      context = null;
      complaints.removeIf(text -> text.contains("503")); // the refusal, as the browser notes it
    }
  }

  @Test
  void onlyWhatChangesIsAskedFor() {
    open("en");
    Request stream =
        page.waitForRequest(Pattern.compile(".*/api/stream\\?page=locks.*"), () -> go("locks"));
    assertThat(stream.url()).contains("changes=true");
    isLive("Locks");
    shop.hold("held-meanwhile"); // which only a change brings
    assertThat(row("held-meanwhile")).containsText("Held");
  }

  @Test
  void withoutWritesNothingOffersToChange() throws Exception {
    try (ConsoleServer looking = serve(Console.builder(shop.console()))) {
      open(looking.uri(), "en", ColorScheme.LIGHT, 1360, 900);
      go("locks");
      row("orders/42").getByRole(AriaRole.BUTTON).click();
      assertThat(page.locator("dialog")).containsText("read-only");
      assertThat(button("Release by force…")).hasCount(0);
      context.close();
      context = null;
    }
  }

  @Test
  void withATokenThePageAsksForIt() throws Exception {
    try (ConsoleServer guarded =
        serve(Console.builder(shop.console()).token("a-token-of-24-characters"))) {
      open(guarded.uri(), "en", ColorScheme.LIGHT, 1360, 900);
      page.getByLabel("Token").fill("not the right one");
      button("Sign in").click();
      assertThat(page.getByRole(AriaRole.ALERT)).containsText("not the console");
      page.getByLabel("Token").fill("a-token-of-24-characters");
      button("Sign in").click();
      isLive("Overview");
      page.reload();
      isLive("Overview");
      button("Sign out").click();
      assertThat(page.getByLabel("Token")).isVisible();
      context.close();
      context = null;
      complaints.removeIf(text -> text.contains("401")); // the wrong token, as the browser notes it
    }
  }

  @Test
  void theAddressWithItsTokenSignsInAndIsNotKept() throws Exception {
    open("en");
    isLive("Overview");
    org.assertj.core.api.Assertions.assertThat(page.url()).doesNotContain("token");
    org.assertj.core.api.Assertions.assertThat(context.cookies()).isEmpty();
    try (ConsoleServer neighbour = serve(Console.builder(shop.console()))) {
      page.navigate(neighbour.uri().resolve("/").toString()); // another port of the same host
      assertThat(page.getByLabel("Token")).isVisible();
      page.navigate(neighbour.uri().resolve("/#token=of-somebody-else").toString());
      page.reload();
      assertThat(page.getByRole(AriaRole.ALERT)).containsText("not the console");
      context.close();
      context = null;
      complaints.removeIf(text -> text.contains("401"));
      complaints.removeIf(text -> text.contains("somebody else: " + neighbour.uri().resolve("/")));
    }
  }

  // ---- the keyboard ----

  @Test
  void everythingIsReachedByKeyboard() {
    open("en");
    isLive("Overview");
    page.keyboard().press("Tab");
    assertThat(page.locator(".skip")).isFocused();
    page.keyboard().press("Enter");
    assertThat(page.locator("h1")).isFocused();

    page.locator("nav a[href='#/locks']").focus();
    page.keyboard().press("Enter");
    isLive("Locks");
    assertThat(page.locator("h1")).isFocused();
    Locator opener = row("orders/42").getByRole(AriaRole.BUTTON);
    for (int i = 0; i < 60 && !isFocused(opener); i++) {
      page.keyboard().press("Tab");
    }
    assertThat(opener).isFocused();
    assertThat(outline()).as("the focus can be seen").matches(Pattern.compile("solid 2px.*"));
    page.keyboard().press("Enter");
    assertThat(page.locator("dialog[open]")).isVisible();
    for (int i = 0; i < 12; i++) {
      page.keyboard().press("Tab");
      assertThat(
              page.evaluate(
                  "() => document.activeElement === document.body"
                      + " || document.activeElement.closest('dialog') !== null"))
          .as("the focus stays in the dialog")
          .isEqualTo(true);
    }
    page.keyboard().press("Escape");
    assertThat(page.locator("dialog")).hasCount(0);
    assertThat(opener).isFocused();
  }

  private static boolean isFocused(Locator locator) {
    return Boolean.TRUE.equals(locator.evaluate("element => element === document.activeElement"));
  }

  private String outline() {
    return (String)
        page.evaluate(
            "() => { const s = getComputedStyle(document.activeElement);"
                + " return s.outlineStyle + ' ' + s.outlineWidth; }");
  }

  @Test
  void aNarrowWindowShowsEverythingToo() {
    open(server.uri(), "en", ColorScheme.DARK, 420, 900);
    for (String word : PAGES) {
      go(word);
      assertThat(page.locator(".state .badge.good")).isVisible();
      assertThat(widest()).as(word).isLessThanOrEqualTo(420);
    }
  }

  private static final String SMALL =
      "() => [...document.querySelectorAll('a, button, input, select, summary')]"
          + ".filter(e => e.checkVisibility() && !e.classList.contains('skip'))"
          + ".map(e => [e, e.getBoundingClientRect()])"
          + ".filter(([e, box]) => box.width < 24 || box.height < 24)"
          + ".map(([e, box]) => e.outerHTML.slice(0, 80) + ' ' + box.width + 'x' + box.height)";

  @Test
  void onAPhoneNameStateAndWaitingAreInViewAndAFingerHitsEverything() {
    open(server.uri(), "en", ColorScheme.LIGHT, 390, 844);
    for (String word : PAGES) {
      go(word);
      assertThat(page.locator(".state .badge.good")).isVisible();
      assertThat(widest()).as(word).isLessThanOrEqualTo(390);
      assertThat((List<?>) page.evaluate(SMALL)).as(word).isEmpty();
    }
    go("locks");
    assertThat(row("nightly-report")).isVisible();
    assertThat(page.locator("#main table").first().locator("th:visible"))
        .hasText(new String[] {"Name", "State", "Waiting▾"});
    for (Locator cell : row("nightly-report").locator("td:visible").all()) {
      assertThat(cell.boundingBox().x + cell.boundingBox().width)
          .as(cell.innerText())
          .isLessThanOrEqualTo(390);
    }
    row("nightly-report").getByRole(AriaRole.BUTTON).click();
    assertThat(page.locator("dialog[open]")).isVisible(); // what it holds may be there unseen
    assertThat(page.locator("dialog[open]")).containsText("orders-1");
    button("Release by force…").click();
    assertThat(button("Release by force")).isInViewport();
    assertThat(page.locator("dialog[open]").boundingBox().width).isLessThanOrEqualTo(390);
    assertThat((List<?>) page.evaluate(SMALL)).isEmpty();
    page.keyboard().press("Escape");
    go("limiters");
    row("login").getByRole(AriaRole.BUTTON).click();
    assertThat(page.locator("dialog[open]")).isVisible();
    button("Change…").click();
    assertThat(page.locator("dialog input")).isVisible();
    assertThat((List<?>) page.evaluate(SMALL)).isEmpty();
  }

  // ---- accessibility ----

  @ParameterizedTest
  @CsvSource({"en, LIGHT", "en, DARK", "zh-CN, LIGHT", "zh-CN, DARK"})
  void axeFindsNothing(String language, ColorScheme scheme) throws Exception {
    open(server.uri(), language, scheme, 1360, 900);
    page.evaluate(axe());
    for (int i = 0; i < PAGES.size(); i++) {
      go(PAGES.get(i));
      isLive(NAMES.get(language).get(i));
      assertThat(findings()).as(PAGES.get(i)).isEmpty();
    }
    for (String[] dialog : new String[][] {{"locks", "orders/42"}, {"limiters", "login"}}) {
      go(dialog[0]);
      row(dialog[1]).getByRole(AriaRole.BUTTON).click();
      assertThat(page.locator("dialog[open] h3").first()).isVisible();
      assertThat(findings()).as(dialog[1]).isEmpty();
      page.keyboard().press("Escape");
      assertThat(page.locator("dialog")).hasCount(0);
    }
    page.locator(".nav-foot > button").click();
    assertThat(page.locator(".sign-in form")).isVisible();
    assertThat(findings()).as("the way in").isEmpty();
  }

  private static String axe() throws IOException {
    try (InputStream script = ConsoleInBrowserTest.class.getResourceAsStream("/axe.min.js")) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private List<?> findings() {
    return (List<?>)
        page.evaluate(
            "() => axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations"
                + ".map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120)).join(' | ')))");
  }

  // ---- pictures ----

  @Test
  void picturesForTheDocumentation() throws Exception {
    String folder = System.getProperty("sluice.console.screenshots", "");
    Path to = folder.isEmpty() ? Files.createTempDirectory("sluice-console") : Path.of(folder);
    Files.createDirectories(to);
    open("en");
    shop.settle(); // while the page is watched, its history comes together
    context.close();
    take(to, "overview", "en", ColorScheme.LIGHT, "console-overview-light.png");
    take(to, "locks", "en", ColorScheme.LIGHT, "console-locks-light.png");
    take(to, "limiters", "en", ColorScheme.DARK, "console-limiters-dark.png");
    take(to, "caches", "zh-CN", ColorScheme.LIGHT, "console-caches-zh.png");
    take(to, "inventory", "en", ColorScheme.LIGHT, "console-inventory-light.png");
    take(to, "filters", "en", ColorScheme.LIGHT, "console-filters-light.png");
    try (var files = Files.list(to)) {
      assertThat(files.filter(file -> file.toString().endsWith(".png"))).hasSizeGreaterThan(5);
    }
  }

  private void take(Path to, String word, String language, ColorScheme scheme, String file) {
    open(server.uri(), language, scheme, 1280, 860);
    go(word);
    assertThat(page.locator(".state .badge.good")).isVisible();
    assertThat(page.locator("#main tbody tr").first()).isVisible();
    page.screenshot(new Page.ScreenshotOptions().setPath(to.resolve(file)));
    context.close();
    context = null;
  }
}
