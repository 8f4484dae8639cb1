// Loads the code of a page when it is first opened, which keeps the first view small.

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Empty } from './parts/Empty.tsx';
import type { PagePath } from './route.ts';

type LazyPath = Exclude<PagePath, '/' | '/why'>;

const loaders: Readonly<Record<LazyPath, () => Promise<ComponentType>>> = {
  '/roll': async () => (await import('./roll/RollPage.tsx')).RollPage,
  '/time': async () => (await import('./time/TimePage.tsx')).TimePage,
  '/what-if': async () => (await import('./whatif/WhatIfPage.tsx')).WhatIfPage,
  '/history': async () => (await import('./history/HistoryPage.tsx')).HistoryPage,
};

const known = new Map<LazyPath, ComponentType>();

export function LazyPage({ path }: { path: LazyPath }) {
  const failed = useSignal(false);
  const loaded = useSignal(known.has(path));
  useEffect(() => {
    if (known.has(path)) return;
    loaders[path]().then(
      (page) => {
        known.set(path, page);
        loaded.value = true;
      },
      () => {
        failed.value = true;
      },
    );
  }, [path]);
  const Page = loaded.value ? known.get(path) : undefined;
  if (Page) return <Page />;
  return failed.value ? (
    <Empty title="Cannot load this page">Lull may have restarted. Reload the page.</Empty>
  ) : (
    <div class="loading" />
  );
}
