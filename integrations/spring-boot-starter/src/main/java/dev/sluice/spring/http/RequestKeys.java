package dev.sluice.spring.http;

import dev.sluice.text.Names;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.Collections;
import java.util.HexFormat;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Determines the limiter's key for a request. Each kind of key has its own prefix: a user whose
 * name looks like an address does not spend the permits of that address.
 */
final class RequestKeys {
  private static final String HEADER = "header:";

  private final ClientAddress addresses;
  private final Function<String, @Nullable RateLimitKeyResolver> beans;

  RequestKeys(ClientAddress addresses, Function<String, @Nullable RateLimitKeyResolver> beans) {
    this.addresses = addresses;
    this.beans = beans;
  }

  /**
   * Reads the key of a rule.
   *
   * @throws IllegalArgumentException if it is none
   */
  RateLimitKeyResolver of(String key) {
    if (key.equals("ip")) {
      return this::address;
    }
    if (key.equals("principal")) {
      return request -> {
        Principal principal = request.getUserPrincipal();
        String name = principal == null ? null : principal.getName();
        return orAddress("user/", name, request);
      };
    }
    if (key.startsWith(HEADER) && key.length() > HEADER.length()) {
      String name = key.substring(HEADER.length());
      return request -> orAddress("header/", request.getHeader(name), request);
    }
    RateLimitKeyResolver bean = beans.apply(key);
    if (bean == null) {
      throw new IllegalArgumentException(
          "must be principal, ip, header:NAME, or the name of a bean of type RateLimitKeyResolver:"
              + " '"
              + key
              + "'");
    }
    return request -> {
      String found = bean.resolve(request);
      return found == null ? null : fit(found);
    };
  }

  /** {@return whether the address of a client may be its key} */
  static boolean mayBeAddress(String key) {
    return key.equals("ip") || key.equals("principal") || key.startsWith(HEADER);
  }

  /** A client that omits the header or the name is limited by its address. */
  private String orAddress(String prefix, @Nullable String value, HttpServletRequest request) {
    return value == null || value.isBlank() ? address(request) : fit(prefix + value);
  }

  private String address(HttpServletRequest request) {
    HttpServletRequest received = ClientAddress.asReceived(request);
    String hops = String.join(",", Collections.list(received.getHeaders(addresses.header())));
    return "ip/" + addresses.of(received.getRemoteAddr(), hops);
  }

  /** A key that breaks the rule for names, mostly by its length, is replaced by its hash. */
  private static String fit(String key) {
    try {
      return Names.check(key);
    } catch (IllegalArgumentException e) {
      return "sha256/" + sha256(key);
    }
  }

  private static String sha256(String key) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_16)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform has it
    }
  }
}
