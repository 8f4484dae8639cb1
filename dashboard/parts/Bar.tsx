// A progress bar of several parts, with text for screen readers.

export interface BarPart {
  readonly kind: 'done' | 'moving' | 'held' | 'waiting';
  readonly value: number;
  readonly name: string;
}

export function Bar({ label, parts }: { label: string; parts: readonly BarPart[] }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const shown = parts.filter(({ value }) => value > 0);
  const words = shown.map(({ value, name }) => `${value} ${name}`).join(', ');
  return (
    <div class="bar" role="img" aria-label={`${label}: ${words || 'nothing'}`} title={words}>
      {shown.map(({ kind, value }) => (
        <span key={kind} class={kind} style={{ width: `${(100 * value) / total}%` }} />
      ))}
    </div>
  );
}
