import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accessInside, findAccess, runProgram } from './findAccess.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lull-access-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const kubeconfig = (context: string) => `
current-context: ${context}
contexts: [{name: ${context}, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: "https://${context}:6443"}}]
`;

describe('the cluster is found', () => {
  it('in the file that is named, before KUBECONFIG', () => {
    const [named, other] = [write('named', kubeconfig('a')), write('other', kubeconfig('b'))];
    expect(findAccess({ kubeconfig: named }, { KUBECONFIG: other }).context).toBe('a');
    expect(findAccess({}, { KUBECONFIG: other }).context).toBe('b');
  });

  it('in several files, of which those that are not there are passed over', () => {
    const paths = [join(folder, 'none'), write('one', kubeconfig('a')), write('two', kubeconfig('b'))];
    const env = { KUBECONFIG: paths.join(delimiter) };
    expect(findAccess({}, env).context).toBe('a');
    expect(findAccess({ context: 'b' }, env).context).toBe('b');
  });

  it('K1: otherwise the error names the searched files', () => {
    expect(() => findAccess({}, { HOME: folder })).toThrow(join(folder, '.kube', 'config'));
    expect(() => findAccess({ kubeconfig: join(folder, 'none') }, {})).toThrow(join(folder, 'none'));
  });
});

describe('from within a pod', () => {
  const source = { now: () => 0 as never, readFile: (path: string) => path.split('/').at(-1) ?? '', run: runProgram };

  it.each([
    { host: '10.0.0.1', port: '6443', server: 'https://10.0.0.1:6443/' },
    { host: 'fd00::1', port: '443', server: 'https://[fd00::1]/' },
  ])('the cluster is at $server', async ({ host, port, server }) => {
    write('token', 't');
    const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port };
    const inside = accessInside(env, source, folder);
    expect(inside?.access.server.href).toBe(server);
    expect(inside).toMatchObject({ context: 'in-cluster', namespace: 'namespace', access: { tls: { ca: 'ca.crt' } } });
    expect(await inside?.access.identify()).toEqual({ authorization: 'Bearer token' });
  });

  it('outside of a pod there is none', () => {
    expect(accessInside({}, source, folder)).toBeUndefined();
    expect(accessInside({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, source, folder)).toBeUndefined();
  });
});

describe('a program', () => {
  const script = (text: string) => ['-e', text];

  it('gives what it prints, and has what it was given', async () => {
    const program = { command: process.execPath, args: script('process.stdout.write(process.env.WHO)'), folder };
    expect(await runProgram({ ...program, env: { WHO: 'me' } })).toBe('me');
  });

  it('that fails is reported with its message', async () => {
    const args = script('process.stderr.write("session expired"); process.exit(1)');
    const program = { command: process.execPath, args, env: {}, folder };
    await expect(runProgram(program)).rejects.toThrow('session expired');
  });

  it.each([
    ['process.exit(3)', 'it exited with 3 and printed nothing'],
    ['process.stdout.write("hunter2"); process.exit(3)', 'it exited with 3 and printed nothing'],
    ['process.stdout.write("hunter2".repeat(200_000))', /ERR_CHILD_PROCESS_STDIO_MAXBUFFER|it was stopped/],
  ])('K7: that fails silently is reported without its arguments and output: %s', async (text, says) => {
    const program = { command: process.execPath, args: [...script(text), '--', '--secret=hunter2'], env: {}, folder };
    const error: unknown = await runProgram(program).catch((reason: unknown) => reason);
    expect(error).toHaveProperty('message', expect.stringMatching(says));
    expect(inspect(error)).not.toContain('hunter2');
  });

  it("K7: does not get the tokens of Lull's server", async () => {
    vi.stubEnv('LULL_TOKEN', 'hunter2');
    vi.stubEnv('LULL_READ_TOKEN', 'hunter2');
    const args = script('process.stdout.write(JSON.stringify(process.env))');
    const printed = await runProgram({ command: process.execPath, args, env: { WHO: 'me' }, folder });
    vi.unstubAllEnvs();
    expect(printed).toContain('"WHO":"me"');
    expect(printed).not.toContain('hunter2');
  });
});
