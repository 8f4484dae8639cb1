// Which pages come later? Those that few open at once: their code is fetched when they are opened, so that the first view is small.

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Empty } from './parts/Empty.tsx';
import type { PagePath } from './route.ts';

type Late = Exclude<PagePath, '/' | '/why'>;

const loaders: Readonly<Record<Late, () => Promise<ComponentType>>> = {
  '/roll': async () => (await import('./roll/RollPage.tsx')).RollPage,
  '/time': async () => (await import('./time/TimePage.tsx')).TimePage,
  '/what-if': async () => (await import('./whatif/WhatIfPage.tsx')).WhatIfPage,
  '/history': async () => (await import('./history/HistoryPage.tsx')).HistoryPage,
};

const known = new Map<Late, ComponentType>();

export function LazyPage({ path }: { path: Late }) {
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
    <Empty title="This page cannot be loaded">Lull may have been started anew. Load the whole page again.</Empty>
  ) : (
    <div class="loading" />
  );
}
