// The helper for optional fields.
import { expect, it } from 'vitest';
import { defined } from './defined.ts';

it('leaves out undefined fields and keeps every other value, in order', () => {
  const none: number | undefined = undefined;
  const fields = defined({ b: 0, none, a: '', no: false, nothing: null });
  expect(JSON.stringify(fields)).toBe('{"b":0,"a":"","no":false,"nothing":null}');
  expect('none' in fields).toBe(false);
});
