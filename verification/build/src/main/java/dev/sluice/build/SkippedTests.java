package dev.sluice.build;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Prints which tests the build skipped, and why, one line for each reason. A reason names what the
 * machine lacks and how to get it.
 */
public final class SkippedTests {
  private static final String REPORTS = "target/surefire-reports";
  private static final Pattern MESSAGE =
      Pattern.compile("^\\S+TestAbortedException: (?:Assumption failed: )?(.+)");

  private SkippedTests() {}

  /**
   * Reads the reports of all modules and prints to standard output.
   *
   * @param args the root folder of the repository
   * @throws IOException if a report cannot be read
   */
  public static void main(String[] args) throws IOException {
    reasons(Path.of(args[0]))
        .forEach(
            (reason, count) ->
                System.out.printf(
                    "Skipped %d %s. %s%n", count, count == 1 ? "test" : "tests", reason));
  }

  /** Counts skipped tests by reason. A class that is skipped as a whole counts as one. */
  static Map<String, Integer> reasons(Path root) throws IOException {
    Map<String, Integer> reasons = new TreeMap<>();
    try (Stream<Path> files =
        Files.find(root, 6, (file, attributes) -> isReport(root.relativize(file)))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        try (InputStream report = Files.newInputStream(file)) {
          count(report, reasons);
        } catch (XMLStreamException e) {
          throw new IOException("'" + file + "' is not a test report: " + e.getMessage(), e);
        }
      }
    }
    return reasons;
  }

  private static boolean isReport(Path file) {
    Path folder = file.getParent();
    String name = file.getFileName().toString();
    return folder != null
        && folder.endsWith(REPORTS)
        && name.startsWith("TEST-")
        && name.endsWith(".xml");
  }

  private static void count(InputStream report, Map<String, Integer> reasons)
      throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    XMLStreamReader reader = factory.createXMLStreamReader(report);
    while (reader.hasNext()) {
      if (reader.next() == XMLStreamReader.START_ELEMENT
          && reader.getLocalName().equals("skipped")) {
        reasons.merge(reason(reader.getElementText()), 1, Integer::sum);
      }
    }
  }

  /** The message of the exception that the report has with its stack trace. */
  private static String reason(String exception) {
    Matcher message = MESSAGE.matcher(exception.strip());
    return message.find() ? message.group(1) : "No reason given";
  }
}
