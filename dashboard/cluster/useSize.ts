// Hooks for the size of an element and for the colour scheme.
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export interface Size {
  readonly width: number;
  /** The height of the window without the header. */
  readonly height: number;
}

const above = 250;

export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 600 });
  useEffect(() => {
    const measure = (): void => {
      const width = Math.floor(element.current?.clientWidth ?? 0);
      const height = Math.max(300, innerHeight - above);
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    const observer = new ResizeObserver(measure);
    if (element.current) observer.observe(element.current);
    addEventListener('resize', measure);
    measure();
    return () => {
      observer.disconnect();
      removeEventListener('resize', measure);
    };
  }, []);
  return size;
}

/** Changes whenever the colours change. */
export function useScheme(): string {
  const media = matchMedia('(prefers-color-scheme: dark)');
  const read = (): string => `${media.matches} ${document.documentElement.dataset.theme ?? ''}`;
  const [scheme, setScheme] = useState(read);
  useEffect(() => {
    const note = (): void => setScheme(read());
    media.addEventListener('change', note);
    addEventListener('lull-theme', note);
    return () => {
      media.removeEventListener('change', note);
      removeEventListener('lull-theme', note);
    };
  }, []);
  return scheme;
}
