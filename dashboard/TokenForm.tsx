// The form that asks for the access token.
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
      <h1>Enter the access token</h1>
      <p>This server requires a token. The read-only token is enough for every page.</p>
      {hasToken() && (
        <p class="fault" role="alert">
          This token is not valid.
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
