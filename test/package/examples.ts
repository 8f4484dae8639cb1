// The examples of a page: a heading with the name of the import, the code, and its output.
import { readFileSync } from 'node:fs';

export interface Example {
  readonly name: string;
  readonly code: string;
  readonly prints: string;
}

export function examplesIn(page: string): readonly Example[] {
  const found = readFileSync(page, 'utf8').matchAll(
    /^## .*`([^`]+)`$[\s\S]*?^```js\n([\s\S]*?)^```$\s+^```text\n([\s\S]*?)^```$/gm,
  );
  const examples = [...found].map(([, name = '', code = '', prints = '']) => ({ name, code, prints }));
  if (examples.length === 0) throw new Error(`${page} shows no example`);
  return examples;
}
