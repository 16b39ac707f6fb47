package dev.sluice.cli.lock;

import dev.sluice.cli.terminal.DurationText;
import dev.sluice.cli.terminal.Text;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.jr.ob.JSON;

/** Formats locks as a table, as lines, and as JSON. The names of the JSON fields are a promise. */
final class LockView {
  private static final String ROW = "%-8s  %-16s  %-7s  %-7s  %s%n";

  private LockView() {}

  static String table(List<LockInfo> locks) {
    StringBuilder out = new StringBuilder();
    out.append(String.format(ROW, "HOLDER", "TOKEN", "LEFT", "WAITERS", "NAME"));
    for (LockInfo lock : locks) {
      out.append(
          String.format(
              ROW,
              lock.holder().map(holder -> Text.shortId(holder.client())).orElse("-"),
              token(lock.holder().map(LockInfo.Holder::token).orElse(lock.lastToken())),
              lock.holder().map(holder -> DurationText.brief(holder.remaining())).orElse("-"),
              lock.waiters().size(),
              Text.visible(lock.name())));
    }
    return out.toString();
  }

  static String lines(LockInfo lock) {
    StringBuilder out = new StringBuilder();
    line(out, "name", Text.visible(lock.name()));
    lock.holder()
        .ifPresentOrElse(
            holder -> {
              line(out, "holder", Text.visible(holder.client()));
              line(out, "token", token(holder.token()));
              line(out, "since", holder.since().toString());
              line(out, "left", DurationText.brief(holder.remaining()));
            },
            () -> line(out, "holder", "-"));
    line(out, "last token", token(lock.lastToken()));
    line(out, "waiters", String.valueOf(lock.waiters().size()));
    int place = 1;
    for (LockInfo.Waiter waiter : lock.waiters()) {
      line(out, "  " + place++, Text.visible(waiter.client()));
    }
    return out.toString();
  }

  static String lines(ForcedRelease forced) {
    StringBuilder out = new StringBuilder();
    line(out, "taken from", Text.visible(forced.holder().client()));
    line(out, "token", token(forced.holder().token()));
    line(out, "since", forced.holder().since().toString());
    line(out, "fence", token(forced.fence()));
    return out.toString();
  }

  static String json(String name, Optional<ForcedRelease> forced) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("taken", forced.isPresent());
    forced.ifPresent(
        ended -> {
          fields.put("holder", fields(ended.holder()));
          fields.put("fence", ended.fence());
        });
    return write(fields);
  }

  private static void line(StringBuilder out, String label, String value) {
    out.append(String.format("%-11s %s%n", label, value));
  }

  private static String token(long token) {
    return token == 0 ? "-" : String.valueOf(token);
  }

  static String json(List<LockInfo> locks) {
    return write(locks.stream().map(LockView::fields).toList());
  }

  static String json(LockInfo lock) {
    return write(fields(lock));
  }

  private static Map<String, Object> fields(LockInfo lock) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", lock.name());
    fields.put("held", lock.holder().isPresent());
    lock.holder().ifPresent(holder -> fields.put("holder", fields(holder)));
    fields.put("lastToken", lock.lastToken());
    fields.put(
        "waiters",
        lock.waiters().stream()
            .map(
                waiter -> {
                  Map<String, Object> waits = new LinkedHashMap<>();
                  waits.put("client", waiter.client());
                  waits.put("attempt", waiter.attempt());
                  return waits;
                })
            .toList());
    return fields;
  }

  private static Map<String, Object> fields(LockInfo.Holder holder) {
    Map<String, Object> held = new LinkedHashMap<>();
    held.put("client", holder.client());
    held.put("attempt", holder.attempt());
    held.put("token", holder.token());
    held.put("since", holder.since().toString());
    held.put("remainingMillis", holder.remaining().toMillis());
    return held;
  }

  private static String write(Object value) {
    return Text.visibleJson(JSON.std.asString(value));
  }
}
