package dev.sluice.console;

import static java.util.Objects.requireNonNull;

import dev.sluice.Extensions;
import dev.sluice.Sluice;
import dev.sluice.console.audit.Audit;
import dev.sluice.console.audit.EventLog;
import dev.sluice.console.http.Assets;
import dev.sluice.console.http.ConsoleRequest;
import dev.sluice.console.http.ConsoleResponse;
import dev.sluice.console.http.Refusal;
import dev.sluice.console.http.Sessions;
import dev.sluice.console.store.Hints;
import dev.sluice.console.store.Sampler;
import dev.sluice.console.store.Samplers;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A web console over one client: pages, figures as JSON and as server-sent events, and a few
 * changes where they are allowed. It answers requests that a server hands over, and knows no server
 * itself; {@link ConsoleServer} is one.
 *
 * <p>It always asks for a token, wherever a request comes from: the one that was set, or one that
 * it makes. Changes are off unless allowed; each leaves a line in the log {@code
 * dev.sluice.console.audit}. It looks at the store each second while a page is open, and each 15
 * seconds otherwise, until it is closed.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public final class Console implements AutoCloseable {
  private static final String POLICY =
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self';"
          + " frame-ancestors 'none'";

  private final Sampler sampler;
  private final Assets assets = new Assets();
  private final Api api;
  private final @Nullable String madeToken;

  private Console(Builder builder) {
    EventLog events = new EventLog(System::currentTimeMillis);
    Sluice sluice = builder.sluice;
    Hints hints = new Hints(builder.url);
    this.sampler = Extensions.of(sluice, Samplers.class, Samplers::new).add(sluice, events, hints);
    this.madeToken = builder.token == null ? Sessions.random() : null;
    String token = madeToken == null ? requireNonNull(builder.token) : madeToken;
    Sessions sessions = new Sessions(token, System::nanoTime);
    this.api = new Api(sluice, sampler, sessions, new Audit(events), hints, builder.writes);
  }

  /**
   * Settings of a console.
   *
   * @param sluice the client whose store is shown; stays open when the console is closed
   * @return settings to fill in
   */
  public static Builder builder(Sluice sluice) {
    return new Builder(requireNonNull(sluice, "sluice must not be null"));
  }

  /**
   * Checks a token before it is used.
   *
   * @param token at least 16 printable ASCII characters without blanks
   * @return the token
   * @throws IllegalArgumentException if it breaks the rule
   */
  public static String checkToken(String token) {
    return Sessions.checkToken(requireNonNull(token, "token must not be null"));
  }

  /**
   * The token to give to users, if none was set. It is a secret: a user that has it may read
   * everything and make all changes that are allowed.
   *
   * @return 32 printable characters, random; empty if a token was set
   */
  public Optional<String> madeToken() {
    return Optional.ofNullable(madeToken);
  }

  /**
   * Handles a request. Blocks while the store is asked; a response with a stream goes on in {@link
   * ConsoleResponse.Stream#writeTo}, which must be called.
   *
   * @param request the request
   * @return the response, also for a failure
   */
  public ConsoleResponse handle(ConsoleRequest request) {
    ConsoleResponse response;
    try {
      response = answer(request);
    } catch (Refusal refusal) {
      response = refusal.response();
    } catch (RuntimeException e) {
      System.getLogger("dev.sluice.console")
          .log(System.Logger.Level.ERROR, "a request of the console failed", e);
      response = new Refusal(500, "defect", "the console failed; its log says why").response();
    }
    return guarded(response);
  }

  /** {@return the response with the headers that every response has} */
  static ConsoleResponse guarded(ConsoleResponse response) {
    return response
        .with("Content-Security-Policy", POLICY)
        .with("X-Content-Type-Options", "nosniff")
        .with("X-Frame-Options", "DENY")
        .with("Referrer-Policy", "no-referrer")
        .with("Cross-Origin-Opener-Policy", "same-origin")
        .with("Cross-Origin-Resource-Policy", "same-origin");
  }

  private ConsoleResponse answer(ConsoleRequest request) {
    if (request.path().startsWith("/api/")) {
      return api.answer(request);
    }
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      throw new Refusal(405, "wrong-method", "use GET");
    }
    ConsoleResponse file = assets.answer(request);
    if (file == null) {
      throw new Refusal(404, "no-such-path", "there is nothing at this path");
    }
    return file;
  }

  /** Ends the streams. The client stays open. Idempotent. */
  @Override
  public void close() {
    sampler.close();
  }

  /** Settings of a console. Not safe for use by several threads. */
  public static final class Builder {
    private final Sluice sluice;
    private @Nullable String token;
    private @Nullable String url;
    private boolean writes;

    private Builder(Sluice sluice) {
      this.sluice = sluice;
    }

    /**
     * Sets the sign-in of the console. Unless set, the console makes a token: {@link
     * Console#madeToken()}.
     *
     * @param token at least 16 printable ASCII characters without blanks
     * @return this
     * @throws IllegalArgumentException if it breaks the rule
     */
    public Builder token(String token) {
      this.token = checkToken(token);
      return this;
    }

    /**
     * Sets the name of the store in the commands that the page offers to copy. Unless set, and if
     * it holds a user or a secret, these take it from the variable {@code SLUICE_URL}.
     *
     * @param url as it is given to {@code sluice --url}
     * @return this
     */
    public Builder url(String url) {
      this.url = requireNonNull(url, "url must not be null");
      return this;
    }

    /**
     * Allows users to release locks by force and to change limits.
     *
     * @param allowed whether they may (default: they may not)
     * @return this
     */
    public Builder writes(boolean allowed) {
      this.writes = allowed;
      return this;
    }

    /** {@return a console that waits for requests} */
    public Console build() {
      return new Console(this);
    }
  }
}
