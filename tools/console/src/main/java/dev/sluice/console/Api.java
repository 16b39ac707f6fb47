package dev.sluice.console;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.console.audit.Audit;
import dev.sluice.console.fleet.LimitChange;
import dev.sluice.console.http.ConsoleRequest;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.console.http.Json;
import dev.sluice.console.http.Refusal;
import dev.sluice.console.http.Sessions;
import dev.sluice.console.store.Hints;
import dev.sluice.console.store.Page;
import dev.sluice.console.store.Sampler;
import dev.sluice.console.store.Trend;
import dev.sluice.console.store.View;
import dev.sluice.console.store.Watchers;
import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.PolicyEntry;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.text.Names;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The resources under {@code /api/}: statistics, a stream of them, and a few changes. */
final class Api {
  static final int MAX_BODY_BYTES = 16 * 1024;
  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(15);

  private final Sluice sluice;
  private final Sampler sampler;
  private final Sessions sessions;
  private final Audit audit;
  private final Hints hints;
  private final boolean writes;

  Api(Sluice sluice, Sampler sampler, Sessions sessions, Audit audit, Hints hints, boolean writes) {
    this.sluice = sluice;
    this.sampler = sampler;
    this.sessions = sessions;
    this.audit = audit;
    this.hints = hints;
    this.writes = writes;
  }

  ConsoleResponse answer(ConsoleRequest request) {
    String path = request.path().substring("/api/".length());
    return switch (path) {
      case "session" -> get(request, () -> session(request));
      case "login" -> post(request, () -> login(request));
      case "logout" -> post(request, () -> logout(request));
      case "stream" -> read(request, () -> stream(request, view(request, page(request))));
      case "lock" -> read(request, () -> lock(request));
      case "examine" -> examine(request);
      case "limiters/history" -> read(request, () -> history(request));
      case "limiters/plan" -> plan(request);
      case "locks/release" -> run(() -> change(request, "lock.release", this::release));
      case "limiters/change" -> run(() -> change(request, "limit.change", this::changeLimit));
      default -> {
        Page page = Page.of(path);
        if (page == null) {
          throw new Refusal(404, "no-such-path", "there is nothing at /api/" + brief(path));
        }
        yield read(request, () -> snapshot(view(request, page)));
      }
    };
  }

  @FunctionalInterface
  private interface Answer {
    ConsoleResponse get() throws IOException;
  }

  private static ConsoleResponse get(ConsoleRequest request, Answer answer) {
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      throw new Refusal(405, "wrong-method", "use GET");
    }
    return run(answer);
  }

  private ConsoleResponse read(ConsoleRequest request, Answer answer) {
    checkSignedIn(request);
    return get(request, answer);
  }

  private static ConsoleResponse post(ConsoleRequest request, Answer answer) {
    checkPost(request);
    return run(answer);
  }

  private static void checkPost(ConsoleRequest request) {
    if (!request.method().equals("POST")) {
      throw new Refusal(405, "wrong-method", "use POST");
    }
    String type = request.header("Content-Type");
    String kind = type == null ? "" : type.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
    if (!kind.equals("application/json")) {
      throw new Refusal(415, "not-json", "send Content-Type: application/json");
    }
  }

  private void checkSignedIn(ConsoleRequest request) {
    if (!sessions.admits(request)) {
      throw new Refusal(
          401, "sign-in", "send the token: Authorization: Bearer TOKEN, or sign in at the page");
    }
  }

  private static ConsoleResponse run(Answer answer) {
    try {
      return answer.get();
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, "bad-input", String.valueOf(e.getMessage()));
    } catch (UnsupportedOperationException e) {
      throw new Refusal(501, "not-here", String.valueOf(e.getMessage()));
    } catch (BackendException e) {
      throw new Refusal(502, "store-away", String.valueOf(e.getMessage()));
    } catch (SluiceException e) {
      throw new Refusal(500, "store-says-no", String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new Refusal(400, "no-body", "the body could not be read");
    }
  }

  // ---- sessions ----

  private ConsoleResponse session(ConsoleRequest request) {
    boolean signedIn = sessions.admits(request);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("signedIn", signedIn);
    json.put("writes", signedIn && writes);
    json.put("store", signedIn ? sluice.describe() : "");
    json.put("example", signedIn ? hints.sluice("lock", "nightly", "--", "./report") : "");
    return ConsoleResponse.json(200, json);
  }

  private ConsoleResponse login(ConsoleRequest request) throws IOException {
    String key;
    try {
      key = sessions.open(required(body(request), "token", 1000));
    } catch (Refusal refusal) {
      audit.note(request, "sign-in", "", "refused: " + refusal.code, false);
      throw refusal;
    }
    audit.note(request, "sign-in", "", "done", true);
    return done(Map.of("session", key));
  }

  private ConsoleResponse logout(ConsoleRequest request) {
    sessions.close(request);
    return done(Map.of("signedIn", false));
  }

  // ---- figures ----

  private static Page page(ConsoleRequest request) {
    String word = parameter(request, "page");
    Page page = Page.of(word);
    if (page == null) {
      throw new IllegalArgumentException(
          "page must be overview, locks, limiters, filters, caches, inventory or events: "
              + (word == null ? "there is none" : "'" + brief(word) + "'"));
    }
    return page;
  }

  private static View view(ConsoleRequest request, Page page) {
    return View.of(page, name -> parameter(request, name));
  }

  private ConsoleResponse snapshot(View view) {
    return ConsoleResponse.of(
            200, "application/json", sampler.once(view).getBytes(StandardCharsets.UTF_8))
        .with("Cache-Control", "no-store");
  }

  private ConsoleResponse lock(ConsoleRequest request) {
    String name = parameter(request, "name");
    return ConsoleResponse.json(200, sampler.lock(Names.check(name == null ? "" : name)));
  }

  private ConsoleResponse history(ConsoleRequest request) {
    String name = parameter(request, "name");
    List<Map<String, Object>> entries = new ArrayList<>();
    for (PolicyEntry entry : book().history(Names.check(name == null ? "" : name))) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("version", entry.version());
      json.put("limits", texts(entry.limits()));
      json.put("keys", texts(entry.overrides()));
      json.put("plans", texts(entry.plans()));
      json.put("author", entry.author());
      json.put("reason", entry.reason());
      json.put("at", entry.writtenAt().toEpochMilli());
      entries.add(json);
    }
    return ConsoleResponse.json(200, Map.of("entries", entries));
  }

  private static List<String> texts(List<Limit> limits) {
    return limits.stream().map(Limit::toString).toList();
  }

  private static Map<String, List<String>> texts(Map<String, List<Limit>> limits) {
    Map<String, List<String>> texts = new TreeMap<>();
    limits.forEach((name, tiers) -> texts.put(name, texts(tiers)));
    return texts;
  }

  private ConsoleResponse stream(ConsoleRequest request, View view) {
    boolean changes = "true".equals(parameter(request, "changes"));
    sampler.watchers().enter(view);
    return ConsoleResponse.events(
        out -> {
          try {
            send(request, view, changes, out);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } finally {
            sampler.watchers().leave(view);
          }
        });
  }

  /**
   * Runs until the page is left or the session ends. The history again, before the page has too
   * much.
   */
  private void send(ConsoleRequest request, View view, boolean changes, OutputStream out)
      throws IOException, InterruptedException {
    write(out, "retry: 2000\n");
    long seen = -2;
    for (int sent = 0; !sampler.watchers().isClosed() && sessions.admits(request); sent++) {
      if (sent % Trend.FINE_SECONDS == 0) {
        write(out, "event: history\ndata: " + Json.text(sampler.history(view)) + "\n\n");
      }
      Watchers.Shown shown = sampler.watchers().await(view, seen, SIGN_OF_LIFE);
      if (shown == null) {
        write(out, ": still here\n\n");
      } else if (changes && shown.before() == seen) {
        write(out, "event: change\ndata: " + shown.changes() + "\n\n");
      } else {
        write(out, "event: tick\ndata: " + shown.text() + "\n\n");
      }
      seen = shown == null ? seen : shown.tick();
    }
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  // ---- changes ----

  private ConsoleResponse examine(ConsoleRequest request) {
    checkSignedIn(request);
    return post(request, () -> done(Map.of("started", sampler.examine())));
  }

  /** A change of a name, and its audit record. */
  private record Done(String outcome, Map<String, ?> json) {}

  @FunctionalInterface
  private interface Change {
    Done to(String who, String name, Map<String, Object> body);
  }

  /** Logs a line for every outcome. */
  private ConsoleResponse change(ConsoleRequest request, String what, Change change)
      throws IOException {
    String name = "";
    boolean known = false;
    try {
      checkSignedIn(request);
      known = true;
      checkPost(request);
      Map<String, Object> body = body(request);
      name = name(body);
      if (!writes) {
        throw new Refusal(
            403, "writes-off", "this console is read-only: start it with --allow-writes");
      }
      Done done = change.to(request.who(), name, body);
      audit.note(request, what, name, "done: " + done.outcome, true);
      return done(done.json);
    } catch (Refusal refusal) {
      audit.note(request, what, name, "refused: " + refusal.code, known);
      throw refusal;
    } catch (IllegalArgumentException e) {
      audit.note(request, what, name, "refused: " + e.getMessage(), known);
      throw e;
    } catch (SluiceException | UnsupportedOperationException e) {
      audit.note(request, what, name, failure(e), known);
      throw e;
    }
  }

  private Done release(String who, String name, Map<String, Object> body) {
    long token = Json.count(body, "token");
    LockInfo.Holder holder =
        sluice
            .inspect()
            .lock(name)
            .holder()
            .orElseThrow(
                () -> new Refusal(409, "not-held", "no client holds lock " + Names.quoted(name)));
    if (holder.token() != token) {
      throw new Refusal(
          409,
          "moved-on",
          "the lock has another holder by now: its token is "
              + holder.token()
              + ", and that of the request "
              + token);
    }
    Optional<ForcedRelease> ended = sluice.lock(name).forceRelease(token);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("released", ended.isPresent());
    ended.ifPresent(e -> json.put("fence", e.fence()));
    return new Done(
        ended
            .map(e -> "token " + e.holder().token() + " of " + e.holder().client())
            .orElse("that holder had gone by itself"),
        json);
  }

  /** Computes the effect of a change without applying it, so it writes no audit record. */
  private ConsoleResponse plan(ConsoleRequest request) {
    checkSignedIn(request);
    return post(
        request,
        () -> {
          Map<String, Object> body = body(request);
          String name = name(body);
          return done(sampler.plan(name, tiers(body), version(book().find(name))).toJson());
        });
  }

  /** A written policy is not in force yet: each process applies it when it reads the book. */
  private Done changeLimit(String who, String name, Map<String, Object> body) {
    Optional<PolicyEntry> present = book().find(name);
    LimitChange change = sampler.plan(name, tiers(body), version(present));
    change.requireSmallOr(Boolean.TRUE.equals(body.get("large")));
    RateLimiterOptions policy =
        RateLimiterOptions.of(change.after())
            .overrides(present.map(PolicyEntry::overrides).orElse(Map.of()))
            .plans(present.map(PolicyEntry::plans).orElse(Map.of()))
            .version(change.version(), CarryOver.KEEP);
    String reason = Json.text(body, "reason", 200, "");
    book().set(name, policy, "console, " + who, reason);
    return new Done(
        "wrote "
            + change.after().stream().map(Limit::toString).collect(Collectors.joining(" + "))
            + ", version "
            + change.version()
            + ", for "
            + change.processes()
            + " processes, in place of "
            + String.join(" or ", change.before())
            + (reason.isEmpty() ? "" : ", reason: " + reason),
        change.toJson());
  }

  private PolicyBook book() {
    return sluice.policyBook();
  }

  private static int version(Optional<PolicyEntry> entry) {
    return entry.map(PolicyEntry::version).orElse(0);
  }

  private static List<Limit> tiers(Map<String, Object> body) {
    return LimitChange.tiers(Json.texts(body, "limits", 9));
  }

  private static String name(Map<String, Object> body) {
    return Names.check(required(body, "name", 1024));
  }

  private static String failure(RuntimeException e) {
    return (e instanceof OutcomeUnknownException ? "unknown: " : "failed: ") + e.getMessage();
  }

  private static ConsoleResponse done(Map<String, ?> json) {
    return ConsoleResponse.json(200, json);
  }

  // ---- input ----

  private static Map<String, Object> body(ConsoleRequest request) throws IOException {
    byte[] bytes = request.body().readNBytes(MAX_BODY_BYTES + 1);
    if (bytes.length > MAX_BODY_BYTES) {
      throw new Refusal(413, "too-long", "a body must be at most " + MAX_BODY_BYTES + " bytes");
    }
    return Json.object(new String(bytes, StandardCharsets.UTF_8));
  }

  private static String required(Map<String, Object> body, String field, int most) {
    String text = Json.text(body, field, most, "");
    if (text.isEmpty()) {
      throw new IllegalArgumentException(field + " must be text of 1 to " + most + " characters");
    }
    return text;
  }

  private static @Nullable String parameter(ConsoleRequest request, String name) {
    String query = request.query();
    if (query == null) {
      return null;
    }
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0 && pair.substring(0, equals).equals(name)) {
        return URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
      }
    }
    return null;
  }

  private static String brief(String text) {
    return text.length() > 60 ? text.substring(0, 60) + "…" : text;
  }
}
