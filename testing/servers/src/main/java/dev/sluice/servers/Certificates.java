package dev.sluice.servers;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority and what it signs, made with the JDK's own keytool, as files in PEM. */
public final class Certificates {
  private static final String SECRET = "changeit";

  private final Path folder;
  private final String authority;

  /**
   * Makes an authority.
   *
   * @param folder where all files are
   * @param authority its name
   * @throws Exception if keytool fails
   */
  public Certificates(Path folder, String authority) throws Exception {
    this.folder = folder;
    this.authority = authority;
    keytool(
        authority,
        "-genkeypair",
        "-alias",
        "ca",
        "-keyalg",
        "EC",
        "-dname",
        "CN=" + authority,
        "-ext",
        "bc:c",
        "-validity",
        "2");
    export(authority, "ca", authority);
  }

  /** {@return the authority's certificate} */
  public Path authority() {
    return folder.resolve(authority + ".crt");
  }

  /**
   * Signs a certificate.
   *
   * @param name of the files
   * @param names as keytool's san extension takes them
   * @param validity such as "-startdate", "-3d", "-validity", "1"
   * @return this
   * @throws Exception if keytool fails
   */
  public Certificates sign(String name, String names, String... validity) throws Exception {
    List<String> made =
        new ArrayList<>(
            List.of(
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-validity",
                "2"));
    keytool(name, made.toArray(String[]::new));
    Path request = folder.resolve(name + ".csr");
    keytool(name, "-certreq", "-alias", name, "-file", request.toString());
    Path certificate = folder.resolve(name + ".crt");
    List<String> signed =
        new ArrayList<>(
            List.of(
                "-gencert",
                "-alias",
                "ca",
                "-rfc",
                "-infile",
                request.toString(),
                "-outfile",
                certificate.toString(),
                "-ext",
                "san=" + names));
    signed.addAll(validity.length == 0 ? List.of("-validity", "2") : List.of(validity));
    keytool(authority, signed.toArray(String[]::new));
    KeyStore store =
        KeyStore.getInstance(folder.resolve(name + ".p12").toFile(), SECRET.toCharArray());
    Key key = store.getKey(name, SECRET.toCharArray());
    Files.writeString(
        key(name),
        "-----BEGIN PRIVATE KEY-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded())
            + "\n-----END PRIVATE KEY-----\n");
    return this;
  }

  /**
   * Returns the file of a signed certificate.
   *
   * @param name as in {@link #sign}
   * @return its certificate
   */
  public Path certificate(String name) {
    return folder.resolve(name + ".crt");
  }

  /**
   * The key to what was signed.
   *
   * @param name as in {@link #sign}
   * @return its key, which has no password
   */
  public Path key(String name) {
    return folder.resolve(name + ".key");
  }

  private void export(String store, String alias, String name) throws Exception {
    keytool(store, "-exportcert", "-rfc", "-alias", alias, "-file", certificate(name).toString());
  }

  private void keytool(String store, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")); // short-lived
    command.addAll(List.of(arguments));
    command.addAll(
        List.of(
            "-keystore",
            folder.resolve(store + ".p12").toString(),
            "-storetype",
            "PKCS12",
            "-storepass",
            SECRET));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
    if (process.waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", command) + ": " + said);
    }
  }
}
