// Routing by URL, so that every view has a link.
import { signal } from '@preact/signals';

export const pages = [
  { path: '/', name: 'Cluster' },
  { path: '/roll', name: 'Roll' },
  { path: '/time', name: 'Time' },
  { path: '/why', name: 'Why' },
  { path: '/what-if', name: 'What if' },
  { path: '/history', name: 'History' },
] as const;

export type PagePath = (typeof pages)[number]['path'];

export interface Route {
  readonly path: PagePath;
  readonly query: Readonly<Record<string, string>>;
}

function read(): Route {
  const path = pages.find((page) => page.path === location.pathname)?.path ?? '/';
  return { path, query: Object.fromEntries(new URLSearchParams(location.search)) };
}

export const route = signal<Route>(read());

export function hrefOf(path: PagePath, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** `replace` = adds no entry to the browser's history. */
export function go(href: string, { replace = false } = {}): void {
  if (href === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  const before = route.value.path;
  route.value = read();
  if (route.value.path === before) return;
  scrollTo(0, 0);
  // Moves keyboard and screen reader users to the new content.
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** The same page with some query parameters changed. */
export const goHere = (change: Readonly<Record<string, string | undefined>>): void =>
  go(hrefOf(route.value.path, { ...route.value.query, ...change }), { replace: true });

/** Follows internal links without reloading the page. */
export function startRouting(): void {
  addEventListener('popstate', () => {
    route.value = read();
  });
  document.addEventListener('click', (event) => {
    const anchor = (event.target as Element).closest?.('a[href^="/"]');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!anchor || !isPlain || anchor.hasAttribute('download')) return;
    event.preventDefault();
    go(anchor.getAttribute('href') ?? '/');
  });
}
