// The button that switches between light and dark; the system's setting is the default.
import { useSignal } from '@preact/signals';

const storageKey = 'lull-theme';
type Theme = 'light' | 'dark';

export function startTheme(): void {
  try {
    const saved = localStorage.getItem(storageKey);
    if (saved === 'light' || saved === 'dark') document.documentElement.dataset.theme = saved;
  } catch {
    // Without storage the theme follows the system.
  }
}

const current = (): Theme => {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
};

export function ThemeButton() {
  const theme = useSignal<Theme>(current());
  const other: Theme = theme.value === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      class="quiet theme"
      aria-label={`Switch to ${other} mode`}
      title={`Switch to ${other} mode`}
      onClick={() => {
        document.documentElement.dataset.theme = other;
        theme.value = other;
        dispatchEvent(new Event('lull-theme'));
        try {
          localStorage.setItem(storageKey, other);
        } catch {
          // As above.
        }
      }}
    >
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
        <circle cx="10" cy="10" r="7.5" fill="none" stroke="currentColor" stroke-width="2" />
        <path d="M10 2.5a7.5 7.5 0 0 1 0 15z" fill="currentColor" />
      </svg>
    </button>
  );
}
