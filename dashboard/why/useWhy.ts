// A hook with the answer of `lull why`, requested again after changes but not too often.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Why } from '../../src/engine/why/why.ts';
import { whyFromJson } from '../../src/engine/why/whyJson.ts';
import { askJson } from '../live/ask.ts';
import { livePicture } from '../live/live.ts';

export interface WhyState {
  readonly why?: Why;
  readonly error?: string;
}

const pause = 700;

export function useWhy(target: string): WhyState {
  const state = useSignal<WhyState>({});
  useEffect(() => {
    let isOver = false;
    let isAsking = false;
    let isStale = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    state.value = {};
    const askNow = async (): Promise<void> => {
      timer = undefined;
      isAsking = true;
      isStale = false;
      const next = await fetchWhy(target);
      isAsking = false;
      if (isOver) return;
      state.value = next;
      timer = setTimeout(later, pause);
    };
    const later = (): void => {
      timer = undefined;
      if (isStale && !isAsking && !isOver) void askNow();
    };
    const stop = livePicture.subscribe(() => {
      isStale = true;
      if (timer === undefined && !isAsking) void askNow();
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [target]);
  return state.value;
}

async function fetchWhy(target: string): Promise<WhyState> {
  try {
    const why = whyFromJson(await askJson(`/api/why?target=${encodeURIComponent(target)}`));
    return why ? { why } : { error: 'The server returned an invalid answer.' };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
