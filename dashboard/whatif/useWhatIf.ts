// A hook that evaluates an edited policy in the worker: decision, explanation and lint, then forecast.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Forecast } from '../../src/forecast/poolForecasts.ts';
import { WorkerClient } from '../worker/client.ts';
import type { Decided, Loaded, Loading, Reading } from '../worker/protocol.ts';

export interface WhatIfState {
  readonly loaded?: Loaded;
  /** The progress of loading, until it is complete. */
  readonly loading?: Loading;
  readonly decided?: Decided;
  /** The text that `decided` is the result of. */
  readonly decidedOf?: string;
  readonly reading?: Reading;
  readonly before?: Forecast;
  readonly after?: Forecast | undefined;
  readonly patch: string;
  readonly error?: string;
}

/** Delays after the last key: for decisions and for forecasts. */
const typing = 60;
const idle = 900;

export interface WhatIfHandle {
  readonly state: Signal<WhatIfState>;
  readonly yaml: Signal<string>;
  edit(yaml: string): void;
  reload(): void;
}

export function useWhatIf(): WhatIfHandle {
  const state = useSignal<WhatIfState>({ patch: '' });
  const yaml = useSignal('');
  const handle = useSignal<Pick<WhatIfHandle, 'edit' | 'reload'>>({ edit: () => undefined, reload: () => undefined });
  useEffect(() => {
    const worker = new WorkerClient();
    let soon: ReturnType<typeof setTimeout> | undefined;
    let later: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const show = (next: Partial<WhatIfState>): void => {
      if (!isOver) state.value = { ...state.value, ...next };
    };
    const guarded = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        show({ error: (error as Error).message });
      }
    };
    const isCurrent = (asked: string): boolean => !isOver && asked === yaml.peek();
    const decide = (): Promise<void> =>
      guarded(async () => {
        const asked = yaml.peek();
        const decided = await worker.ask<'decide'>({ kind: 'decide', yaml: asked });
        if (!isCurrent(asked)) return;
        show({ decided, decidedOf: asked });
        const reading = await worker.ask<'read'>({ kind: 'read', yaml: asked });
        const { text } = await worker.ask<'patch'>({ kind: 'patch', yaml: asked });
        if (isCurrent(asked)) show({ reading, patch: text });
      });
    const forecast = (): Promise<void> =>
      guarded(async () => {
        const asked = yaml.peek();
        const before = state.peek().before ?? (await worker.ask<'forecast'>({ kind: 'forecast' }));
        if (!isCurrent(asked)) return show({ before });
        const after = await worker.ask<'forecast-if'>({ kind: 'forecast-if', yaml: asked });
        if (isCurrent(asked)) show({ before, after });
      });
    const edit = (text: string): void => {
      yaml.value = text;
      const { after: _, ...rest } = state.peek();
      state.value = rest;
      clearTimeout(soon);
      clearTimeout(later);
      soon = setTimeout(() => void decide(), typing);
      later = setTimeout(() => void forecast(), idle);
    };
    const reload = (): void =>
      void guarded(async () => {
        state.value = { patch: '' };
        const loaded = await worker.loadNow((loading) => show({ loading }));
        show({ loaded });
        yaml.value = loaded.yaml;
        await decide();
      });
    handle.value = { edit, reload };
    reload();
    return () => {
      isOver = true;
      clearTimeout(soon);
      clearTimeout(later);
      worker.close();
    };
  }, []);
  return { state, yaml, ...handle.value };
}
