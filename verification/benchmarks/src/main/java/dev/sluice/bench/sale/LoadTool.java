package dev.sluice.bench.sale;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs {@code ab} and {@code wrk}, and reads what they print. */
final class LoadTool {
  private static final long MAX_SECONDS = 600;

  private LoadTool() {}

  /**
   * Looks for the tools and for enough file descriptors.
   *
   * @param files how many are open together
   * @return what is not there, and what to do about it
   */
  static Optional<String> missing(int files) {
    try {
      for (String tool : List.of("ab", "wrk")) {
        if (say("command -v " + tool).isEmpty()) {
          return Optional.of("no " + tool + " on the PATH (Debian: apache2-utils, wrk)");
        }
      }
      String limit = say("ulimit -Hn");
      return limit.matches("\\d{1,9}") && Integer.parseInt(limit) < files
          ? Optional.of("at most " + limit + " open files (ulimit -Hn), and it takes " + files)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.of("no shell: " + e.getMessage());
    }
  }

  private static String say(String command) throws IOException {
    Process shell = new ProcessBuilder("sh", "-c", command).start();
    return new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
  }

  /**
   * The result of a load tool.
   *
   * @param perSecond answers
   * @param failed those that broke off, had another length or another status than 2xx
   * @param p50Millis median time
   * @param p99Millis time of the slowest in a hundred
   */
  record Reading(double perSecond, double failed, double p50Millis, double p99Millis) {}

  /** Every connection needs a file descriptor, and ab does not ask for more than it is given. */
  static Reading ab(int concurrency, int requests, String url)
      throws IOException, InterruptedException {
    String text =
        run(
            "ulimit -n $(ulimit -Hn); exec ab -q -r -s 300 -c "
                + concurrency
                + " -n "
                + requests
                + " '"
                + url
                + "'");
    return new Reading(
        number(text, "Requests per second:\\s+([\\d.]+)"),
        number(text, "Failed requests:\\s+(\\d+)")
            + (text.contains("Non-2xx") ? number(text, "Non-2xx responses:\\s+(\\d+)") : 0),
        number(text, "\\n\\s+50%\\s+(\\d+)"),
        number(text, "\\n\\s+99%\\s+(\\d+)"));
  }

  static Reading wrk(int connections, int seconds, String url)
      throws IOException, InterruptedException {
    String text =
        run("exec wrk -t2 -c" + connections + " -d" + seconds + "s --latency '" + url + "'");
    double failed =
        text.contains("Non-2xx") ? number(text, "Non-2xx or 3xx responses:\\s+(\\d+)") : 0;
    return new Reading(
        number(text, "Requests/sec:\\s+([\\d.]+)"),
        failed,
        millis(text, "50%"),
        millis(text, "99%"));
  }

  private static double millis(String text, String share) {
    Matcher found = Pattern.compile("\\s" + share + "\\s+([\\d.]+)(us|ms|s)\\b").matcher(text);
    if (!found.find()) {
      return Double.NaN;
    }
    double value = Double.parseDouble(found.group(1));
    return switch (found.group(2)) {
      case "us" -> value / 1000;
      case "s" -> value * 1000;
      default -> value;
    };
  }

  private static double number(String text, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    if (!found.find()) {
      throw new IllegalStateException("the load tool did not say " + pattern + ":\n" + text);
    }
    return Double.parseDouble(found.group(1));
  }

  private static String run(String command) throws IOException, InterruptedException {
    Process tool =
        new ProcessBuilder(List.of("sh", "-c", command)).redirectErrorStream(true).start();
    String text = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!tool.waitFor(MAX_SECONDS, TimeUnit.SECONDS) || tool.exitValue() != 0) {
      tool.destroyForcibly();
      throw new IllegalStateException(
          command
              + " ended with an error (are ab and wrk installed? Debian: apache2-utils, wrk):\n"
              + text);
    }
    return text;
  }
}
