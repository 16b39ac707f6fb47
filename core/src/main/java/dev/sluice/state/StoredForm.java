package dev.sluice.state;

import dev.sluice.ForeignDataException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * States as bytes, for stores that keep bytes and decide in this JVM. Each form begins with a byte
 * for its version; docs/stored-formats.md has them all.
 */
public final class StoredForm {
  private StoredForm() {}

  /** Writes a state. */
  @FunctionalInterface
  public interface Writer {

    /**
     * Writes all fields.
     *
     * @param out to where
     * @throws IOException if {@code out} fails
     */
    void write(DataOutput out) throws IOException;
  }

  /**
   * Reads a state.
   *
   * @param <S> the state
   */
  @FunctionalInterface
  public interface Reader<S> {

    /**
     * Parses the output of its {@link Writer}.
     *
     * @param in from where
     * @return the state
     * @throws IOException if {@code in} fails or ends too early
     */
    S read(DataInput in) throws IOException;
  }

  /**
   * Converts a state to bytes.
   *
   * @param state writes itself
   * @return the bytes
   */
  public static byte[] write(Writer state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try {
      state.write(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(
          e); // only what does not fit into its form, such as a long name
    }
    return bytes.toByteArray();
  }

  /**
   * Converts bytes to a state.
   *
   * @param stored all bytes of it
   * @param reader reads one
   * @param <S> the state
   * @return the state
   * @throws ForeignDataException if Sluice did not write them, or if they are too few or too many
   */
  public static <S> S read(byte[] stored, Reader<S> reader) {
    ByteArrayInputStream bytes = new ByteArrayInputStream(stored);
    try {
      S state = reader.read(new DataInputStream(bytes));
      if (bytes.available() > 0) {
        throw new ForeignDataException("holds " + bytes.available() + " bytes too many", null);
      }
      return state;
    } catch (IOException e) {
      throw new ForeignDataException(
          "holds " + stored.length + " bytes that Sluice did not write", e);
    }
  }

  /**
   * Reads the first byte.
   *
   * @param version of the form that is known
   * @param in from where
   * @throws IOException if {@code in} fails or ends too early
   * @throws ForeignDataException if it is another version
   */
  public static void expect(int version, DataInput in) throws IOException {
    int found = in.readUnsignedByte();
    if (found != version) {
      throw new ForeignDataException(
          "holds version " + found + " of a form of which this Sluice knows version " + version,
          null);
    }
  }

  /**
   * Reads the number of following entries.
   *
   * @param in from where
   * @return zero or more
   * @throws IOException if {@code in} fails or ends too early
   * @throws ForeignDataException if it is less than zero
   */
  public static int count(DataInput in) throws IOException {
    int count = in.readInt();
    if (count < 0) {
      throw new ForeignDataException("holds a list of " + count + " entries", null);
    }
    return count;
  }
}
