// Who are you? A server that others can reach wants the token it was started with.
import { useSignal } from '@preact/signals';
import { giveToken, hasToken } from './live/ask.ts';
import { connect } from './live/live.ts';

export function TokenForm() {
  const text = useSignal('');
  return (
    <form
      class="card token"
      onSubmit={(event) => {
        event.preventDefault();
        giveToken(text.value);
        connect();
      }}
    >
      <h1>This Lull wants a token</h1>
      <p>It shows the cluster only to those who have a token. The read-only token is enough for every page.</p>
      {hasToken() && (
        <p class="fault" role="alert">
          That is not the token.
        </p>
      )}
      <label>
        Token
        <input
          type="password"
          autocomplete="current-password"
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit">Open</button>
    </form>
  );
}
