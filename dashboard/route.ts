// Which page is shown, of what? The address says it, so that every view can be sent to a colleague.
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

/** `replace` = the way back leads to where one was before. */
export function go(href: string, { replace = false } = {}): void {
  if (href === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  const before = route.value.path;
  route.value = read();
  if (route.value.path === before) return;
  scrollTo(0, 0);
  // Who goes by keyboard, or has it read out, goes on with what is new.
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** What the address says of this page, with something other. */
export const goHere = (change: Readonly<Record<string, string | undefined>>): void =>
  go(hrefOf(route.value.path, { ...route.value.query, ...change }), { replace: true });

/** Links of our own are followed without leaving the page. */
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
