// Files that cannot be read, and files that only look dangerous.
import { afterAll, describe, expect, it } from 'vitest';
import { Apart } from './apart.ts';
import { readable, unreadable } from './hostileFiles.ts';
import { inCluster, many, pod } from './objects.ts';
import { expectErrors, expectRound } from './says.ts';

const apart = new Apart();
afterAll(() => apart.end());

describe('K1: a file that cannot be read is reported with its line', () => {
  it.each(unreadable)('$name', async ({ content, says }) => {
    expectErrors(await apart.read(content), [says]);
  });

  it('an endless device', async () => {
    expectErrors(await apart.run(['decide', '-o', 'json', '-f', '/dev/zero']), [
      { message: /Too large to read at once/ },
    ]);
  });
});

describe('K1: a file that only looks dangerous is read', () => {
  it.each(readable)('$name', async ({ content }) => {
    expectRound(await apart.read(content), []);
  });

  it('10 MB of YAML as kubectl prints it', async () => {
    const item =
      '- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: NAME\n    namespace: shop\n  spec:\n    nodeName: n1\n';
    const pods = many(75_000, (i) => item.replace('NAME', `web-${i}`)).join('');
    const list = `apiVersion: v1\nitems:\n${pods}- apiVersion: v1\n  kind: Node\n  metadata: {name: 5}\nkind: List\nmetadata: {}\n`;
    const told = await apart.read(list);
    expectRound({ ...told, seconds: 0 }, [
      { object: 'Node', path: 'metadata.name', line: 525_005, message: /5 is not a valid string/ },
    ]);
  }, 180_000);

  it('50,000 pods on one line of JSON', async () => {
    const text = JSON.stringify({
      kind: 'List',
      items: inCluster(...many(5e4, (i) => pod({}, `web-${i}`)))
        .split('\n')
        .map((line) => JSON.parse(line)),
    });
    expect(text).not.toContain('\n');
    expectRound(await apart.read(text), []);
  });
});
