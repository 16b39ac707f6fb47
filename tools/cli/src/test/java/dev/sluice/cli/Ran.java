package dev.sluice.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** The output and the exit code of one command line, run inside this JVM. */
public record Ran(int code, String out, String err) {
  public static Ran sluice(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = Main.run(args, new PrintWriter(out), new PrintWriter(err, true));
    return new Ran(code, out.toString(), err.toString());
  }
}
