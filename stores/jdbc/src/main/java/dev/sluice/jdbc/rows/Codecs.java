package dev.sluice.jdbc.rows;

import dev.sluice.state.LatchState;
import dev.sluice.state.LimitState;
import dev.sluice.state.QueueState;
import dev.sluice.state.StoredForm;
import dev.sluice.text.Names;

/** The stored form of each kind of state in a row. */
public final class Codecs {
  private Codecs() {}

  public static final Rows.Codec<LatchState> LATCH =
      new Rows.Codec<>() {
        @Override
        public LatchState empty(String name) {
          return new LatchState();
        }

        @Override
        public byte[] write(LatchState state) {
          return StoredForm.write(state::write);
        }

        @Override
        public LatchState read(String name, byte[] bytes) {
          return StoredForm.read(bytes, LatchState::read);
        }

        @Override
        public long forgetAt(LatchState state) {
          return state.forgettableAt();
        }

        @Override
        public long concernedUntil(LatchState state, String client) {
          return state.concernedUntil(client);
        }

        @Override
        public void remind(
            String name, LatchState state, String client, RowTransactions.Post post) {
          if (state.isOpen()) {
            post.send(client, Names.encode(name));
          }
        }
      };

  public static final Rows.Codec<QueueState> QUEUE =
      new Rows.Codec<>() {
        @Override
        public QueueState empty(String name) {
          return new QueueState();
        }

        @Override
        public byte[] write(QueueState state) {
          return StoredForm.write(state::write);
        }

        @Override
        public QueueState read(String name, byte[] bytes) {
          return StoredForm.read(bytes, QueueState::read);
        }

        @Override
        public long forgetAt(QueueState state) {
          return state.forgettableAt();
        }

        @Override
        public long concernedUntil(QueueState state, String client) {
          return state.concernedUntil(client);
        }

        @Override
        public void remind(
            String name, QueueState state, String client, RowTransactions.Post post) {
          state.remind(client, (to, ticket) -> post.send(to, Long.toString(ticket)));
        }
      };

  public static final Rows.Codec<LimitState.Cell> CELL =
      new Rows.Codec<>() {
        @Override
        public LimitState.Cell empty(String name) {
          return new LimitState.Cell();
        }

        @Override
        public byte[] write(LimitState.Cell cell) {
          return StoredForm.write(cell::write);
        }

        @Override
        public LimitState.Cell read(String name, byte[] bytes) {
          return StoredForm.read(bytes, LimitState.Cell::read);
        }

        @Override
        public long forgetAt(LimitState.Cell cell) {
          return cell.forgettableAt();
        }
      };
}
