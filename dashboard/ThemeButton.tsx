// Light or dark? As the system says, until somebody wants it otherwise.
import { useSignal } from '@preact/signals';

const place = 'lull-theme';
type Theme = 'light' | 'dark';

export function startTheme(): void {
  try {
    const kept = localStorage.getItem(place);
    if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept;
  } catch {
    // A browser that keeps nothing follows the system.
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
      aria-label={`Show it ${other}`}
      title={`Show it ${other}`}
      onClick={() => {
        document.documentElement.dataset.theme = other;
        theme.value = other;
        dispatchEvent(new Event('lull-theme'));
        try {
          localStorage.setItem(place, other);
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
