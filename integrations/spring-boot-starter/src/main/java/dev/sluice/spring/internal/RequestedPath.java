package dev.sluice.spring.internal;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The path of a request inside the application, as the container passes it to servlets: decoded,
 * normalized, without parameters. There is none for a request whose URI is not canonical, because
 * what stands behind the filters may read that URI differently.
 *
 * @since 0.1
 */
public final class RequestedPath {
  /** The form of {@code StrictHttpFirewall}, which allows no other spelling of a path. */
  private static final Pattern NOT_CANONICAL =
      Pattern.compile(
          "//|/\\.\\.?(?:/|$)|[;\\\\\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029]"
              + "|%(?![0-9a-fA-F]{2})|%(?:2[eEfF5]|5[cC]|3[bB]|[01].|7[fF])");

  /** The path is already decoded, so an apparent escape is literal. */
  private static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

  private final PathContainer path;
  private final @Nullable PathContainer withoutSlash;

  private RequestedPath(String path) {
    this.path = PathContainer.parsePath(path, DECODED);
    this.withoutSlash =
        path.length() > 1 && path.endsWith("/")
            ? PathContainer.parsePath(path.substring(0, path.length() - 1), DECODED)
            : null;
  }

  /**
   * Reads the path of a request, or answers 400 if it is not canonical.
   *
   * @return null if the request has been answered
   */
  public static @Nullable RequestedPath of(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String uri = request.getRequestURI();
    String info = request.getPathInfo();
    String path = info == null ? request.getServletPath() : request.getServletPath() + info;
    if (uri.chars().allMatch(c -> c > ' ' && c < 0x7f) && isCanonical(uri) && isCanonical(path)) {
      return new RequestedPath(path.isEmpty() ? "/" : path);
    }
    new ProblemDocument(ProblemDocument.BLANK, "Bad Request", 400)
        .with("detail", "the path is not canonical")
        .write(response);
    return null;
  }

  private static boolean isCanonical(String path) {
    return !NOT_CANONICAL.matcher(path).find();
  }

  /** {@return the match; a trailing slash is ignored, as servlets do} */
  public PathPattern.@Nullable PathMatchInfo match(PathPattern pattern) {
    PathPattern.PathMatchInfo match = pattern.matchAndExtract(path);
    return match == null && withoutSlash != null ? pattern.matchAndExtract(withoutSlash) : match;
  }
}
