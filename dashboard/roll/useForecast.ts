// A hook that forecasts in the worker, and again after changes.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Forecast } from '../../src/forecast/poolForecasts.ts';
import { livePicture } from '../live/live.ts';
import { WorkerClient } from '../worker/client.ts';

export interface ForecastState {
  readonly forecast?: Forecast;
  readonly isWorking: boolean;
  readonly error?: string;
}

/** The least time between two forecasts. */
const pause = 4000;

export function useForecast(isWanted: boolean): ForecastState {
  const state = useSignal<ForecastState>({ isWorking: false });
  useEffect(() => {
    if (!isWanted) return undefined;
    const worker = new WorkerClient();
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (next: Partial<ForecastState>): void => {
      if (!isOver) state.value = { ...state.value, ...next };
    };
    const work = async (): Promise<void> => {
      show({ isWorking: true });
      try {
        await worker.loadNow();
        const forecast = await worker.ask<'forecast'>({ kind: 'forecast' }, (first) => {
          if (!state.peek().forecast) show({ forecast: first });
        });
        const { error: _, ...rest } = state.peek();
        if (!isOver) state.value = { ...rest, forecast, isWorking: false };
      } catch (error) {
        show({ error: (error as Error).message, isWorking: false });
      }
      const seen = livePicture.peek();
      const again = (): void => {
        if (isOver) return;
        if (livePicture.peek() !== seen) void work();
        else timer = setTimeout(again, pause);
      };
      timer = setTimeout(again, pause);
    };
    void work();
    return () => {
      isOver = true;
      clearTimeout(timer);
      worker.close();
    };
  }, [isWanted]);
  return state.value;
}
