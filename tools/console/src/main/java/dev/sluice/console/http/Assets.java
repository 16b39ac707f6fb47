package dev.sluice.console.http;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** The files of the page. Only those that are listed exist. */
public final class Assets {

  /** Every file, by its path under {@code page/}. */
  public static final List<String> FILES =
      List.of(
          "index.html",
          "style.css",
          "icon.svg",
          "app/theme.js",
          "app/main.js",
          "app/api.js",
          "app/place.js",
          "app/i18n.js",
          "app/findings.js",
          "app/ui.js",
          "app/charts.js",
          "app/pages/overview.js",
          "app/pages/locks.js",
          "app/pages/limiters.js",
          "app/pages/filters.js",
          "app/pages/caches.js",
          "app/pages/inventory.js",
          "app/pages/events.js",
          "i18n/en.json",
          "i18n/zh-CN.json",
          "i18n/findings.zh-CN.json",
          "vendor/preact/standalone.module.js",
          "vendor/uplot/uPlot.iife.min.js");

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Asset(byte[] bytes, byte[] zipped, String type, String tag) {}

  private final Map<String, Asset> assets = new LinkedHashMap<>();

  public Assets() {
    for (String file : FILES) {
      byte[] bytes = read(file);
      assets.put("/" + file, new Asset(bytes, zip(bytes), type(file), tag(bytes)));
    }
    assets.put("/", requireNonNull(assets.get("/index.html")));
  }

  private static byte[] read(String file) {
    try (InputStream in = Assets.class.getResourceAsStream("/dev/sluice/console/page/" + file)) {
      if (in == null) {
        throw new IllegalStateException("page/" + file + " is missing");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] zip(byte[] bytes) {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return zipped.toByteArray();
  }

  private static String type(String file) {
    return switch (file.substring(file.lastIndexOf('.') + 1)) {
      case "html" -> "text/html; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> "application/json";
    };
  }

  private static String tag(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return '"' + HexFormat.of().formatHex(hash, 0, 12) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /** The file, or null if there is none at this path. */
  @Nullable
  public ConsoleResponse answer(ConsoleRequest request) {
    Asset asset = assets.get(request.path());
    if (asset == null) {
      return null;
    }
    if (asset.tag.equals(request.header("If-None-Match"))) {
      return file(304, asset, new byte[0]);
    }
    String accepted = request.header("Accept-Encoding");
    return accepted != null && accepted.contains("gzip")
        ? file(200, asset, asset.zipped).with("Content-Encoding", "gzip")
        : file(200, asset, asset.bytes);
  }

  private static ConsoleResponse file(int status, Asset asset, byte[] bytes) {
    return ConsoleResponse.of(status, asset.type, bytes)
        .with("ETag", asset.tag)
        .with("Vary", "Accept-Encoding")
        .with("Cache-Control", "no-cache");
  }
}
