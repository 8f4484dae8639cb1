// The policy editor: YAML with line numbers, and lint findings at their lines and below.
import { useRef } from 'preact/hooks';
import type { Mark } from '../worker/protocol.ts';

export interface EditorProps {
  readonly text: string;
  /** Undefined = not linted yet. */
  readonly marks: readonly Mark[] | undefined;
  readonly onEdit: (text: string) => void;
}

const rank = { error: 0, warning: 1, info: 2 } as const;

export function Editor({ text, marks, onEdit }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split('\n');
  const byLine = Map.groupBy(marks ?? [], ({ line }) => line ?? 0);
  const goTo = (line: number): void => {
    const element = area.current;
    if (!element) return;
    const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    element.focus();
    element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    element.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(element).lineHeight));
  };
  return (
    <div class="editor">
      <div class="editor-frame">
        <div ref={gutter} class="gutter" aria-hidden="true">
          {lines.map((_, index) => {
            const worst = [...(byLine.get(index + 1) ?? [])].sort((a, b) => rank[a.severity] - rank[b.severity])[0];
            return (
              <span key={index} class={worst?.severity ?? ''} title={worst?.message}>
                {index + 1}
              </span>
            );
          })}
        </div>
        <textarea
          ref={area}
          spellcheck={false}
          autocapitalize="off"
          wrap="off"
          aria-label="Policy (YAML)"
          aria-describedby="marks"
          value={text}
          onInput={(event) => onEdit(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <ul id="marks" class="marks" aria-label="Lint findings">
        {!marks && <li class="dim">Linting …</li>}
        {marks?.length === 0 && <li class="dim">No lint findings.</li>}
        {marks?.map(({ line, severity, message, suggestion, rule }, index) => (
          <li key={index} class={severity}>
            {line !== undefined && (
              <button type="button" class="quiet line" onClick={() => goTo(line)}>
                line {line}
              </button>
            )}{' '}
            <strong>{severity}</strong> {message}
            {suggestion && <pre>{suggestion}</pre>}
            {rule && <span class="dim"> {rule}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
