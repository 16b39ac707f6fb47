package dev.sluice.servers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The beginning of a command line that starts a JVM of the JDK that runs this one. */
public final class JavaCommand {
  /**
   * Lets SQLite and Netty load their native libraries. Without it, newer JDKs print a warning on
   * standard error, where it mixes with the output of the program.
   */
  public static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

  private JavaCommand() {}

  /**
   * Returns the program and its first flags. The caller appends the class path and the main class.
   *
   * @param flags more flags of the JVM
   * @return a list that can be extended
   */
  public static List<String> of(String... flags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(NATIVE_ACCESS);
    command.addAll(List.of(flags));
    return command;
  }
}
