// The placeholder of an empty page or list: what would be here, and what to do.
import type { ComponentChildren } from 'preact';

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 64 24" width="96" height="36" aria-hidden="true">
        <path
          d="M2 13c10-11 20-11 30 0s20 11 30 0"
          fill="none"
          stroke="currentColor"
          stroke-width="2.5"
          stroke-linecap="round"
        />
      </svg>
      <h2>{title}</h2>
      <p class="dim">{children}</p>
    </div>
  );
}
