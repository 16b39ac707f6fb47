package dev.sluice.cli.limit;

import picocli.CommandLine.Option;

/** The author of a policy, and the reason for the change. */
final class PolicyAuthor {

  @Option(
      names = "--author",
      paramLabel = "WHO",
      description = "Who writes it, at most 100 characters. Default: the user of this system.")
  private String author = System.getProperty("user.name", "unknown");

  @Option(names = "--reason", paramLabel = "WHY", description = "Why, at most 200 characters.")
  private String reason = "";

  String name() {
    return author;
  }

  String reason() {
    return reason;
  }
}
