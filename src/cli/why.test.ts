import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runInMemory } from './inMemory.ts';

const given = ['-f', 'scenarios/first-look.yaml', '--at', '2026-11-17T10:20:00Z'];
const why = (target: string, ...more: string[]) => runInMemory(['why', target, ...given, ...more]);

describe('lull why', () => {
  it('tells a node: the headline, each wish, each refusal with its rule, when it lifts and what could be done', async () => {
    const { stdout, status } = await why('ip-10-0-2-18');
    expect(stdout).toBe(`\
ip-10-0-2-18 goes not before Sat 21:00 UTC: pod data/reports-0 may be moved only in its window (0 22
* * sat for 4h (Europe/Berlin)); it waits as well: it is the turn of zone eu-central-1a; in use: 1
of its 2 nodes
  pool general, claim general-8ztwn, Ready, 2 pods to move

Drifted  held, not before 2026-11-21 21:00Z (in 4d10h)
  because     label image-release: was 2026-10, now 2026-11
  pods agree  2026-11-21 21:00Z (in 4d10h)
  PodScheduleClosed  pod data/reports-0 may be moved only in its window (0 22 * * sat for 4h
                     (Europe/Berlin))
    rule of    Pod data/reports-0
    lifts      2026-11-21 21:00Z (in 4d10h)
    you could  Wait for the window, or ask the pod's owner for a wider one.
  NotItsTurn  it is the turn of zone eu-central-1a; in use: 1 of its 2 nodes
    rule of    NodePool general, budget 2
    lifts      not by time alone
    you could  Wait for the turn. A domain that cannot go on passes it after \`patience\`.

pods with a say
  data/reports-0  held  pod data/reports-0 may be moved only in its window (0 22 * * sat for 4h
                        (Europe/Berlin)); from 2026-11-21 21:00Z (in 4d10h)

as of 2026-11-17 10:20Z
`);
    expect(status).toBe(0);
  });

  it('N1: of a node that may go it says in observe that nothing is touched, and does not call it under way', async () => {
    const { stdout } = await why('ip-10-0-2-151');
    expect(stdout).toMatch(/^ip-10-0-2-151 may go now \(\w+\); in the role observe Lull touches nothing\n/);
    expect(stdout).toContain('\nnot begun  in the role observe Lull touches nothing;');
    expect(stdout).not.toMatch(/under way|\[\w+\] >/);
    const driven = (await why('ip-10-0-2-151', '--set', 'role=drive')).stdout;
    expect(driven).toMatch(/^begins now {2}\S+ \(\w+\), by Lull's own hands\n {2}steps +\[\w+\] > /m);
  });

  it('tells a pod: when it may move, by which rules, and how its node fares', async () => {
    const { stdout } = await why('pod/data/reports-0');
    expect(stdout).toMatch(/^data\/reports-0 may be moved from Sat 21:00 UTC on/);
    expect(stdout).toContain('  node     ip-10-0-2-18 goes not before Sat 21:00 UTC');
    expect(stdout).toMatch(/rules\n {2}refuses {2}it may be moved only in its window/);
  });

  it('tells a pool: budgets, the turn, what is under way and what holds the rest', async () => {
    const { stdout } = await why('pool/general');
    expect(stdout).toMatch(/^general has 1 under way, 4 held/);
    expect(stdout).toContain('  2  holds  1 of each topology.kubernetes.io/zone, one after another for Drifted');
    expect(stdout).toContain('turn  topology.kubernetes.io/zone: eu-central-1a');
    expect(stdout).toContain('steps      offered > [taken] > gone');
    expect(stdout).toContain('  2 nodes  ip-10-0-2-77, ip-10-0-3-90\n  PdbSpent');
  });

  it('L: answers in JSON and YAML alike, with instants in RFC 3339', async () => {
    const json = JSON.parse((await why('ip-10-0-2-18', '-o', 'json')).stdout);
    expect(json).toMatchObject({ kind: 'node', name: 'ip-10-0-2-18', at: '2026-11-17T10:20:00Z', pool: 'general' });
    expect(json.wishes[0].refusals[0]).toMatchObject({ code: 'PodScheduleClosed', liftsAt: '2026-11-21T21:00:00Z' });
    expect(parse((await why('ip-10-0-2-18', '-o', 'yaml')).stdout)).toEqual(json);
  });

  it.each([
    ['nobody', 'lull: There is no node, pod or pool called nobody.\n'],
    ['reports', 'lull: There is no node, pod or pool called reports. There is pod/data/reports-0.\n'],
  ])('%s is told to be unknown, with what is like it', async (target, message) => {
    expect(await why(target)).toEqual({ status: 2, stdout: '', stderr: message });
  });

  it('takes settings, as decide does', async () => {
    const { stdout } = await why('general', '--set', 'pools=team=nobody');
    expect(stdout).toContain('this pool is not there');
  });

  it.each([
    [['why', 'x', ...given, '--server', 'http://127.0.0.1:1'], /either -f or --server/],
    [['why', 'x', '--server', 'http://127.0.0.1:1', '--at', '2026-11-17T10:20:00Z'], /its own clock and settings/],
    [['why', 'x', '--server', 'http://127.0.0.1:1'], /^lull: No Lull answers at http:\/\/127.0.0.1:1 \(/],
    [['why', 'x', '--server', 'http://127.0.0.1:1', '--context', 'dev'], /either --server or/],
    [['why', 'x', '--kubeconfig', '/nowhere'], /no kubeconfig at \/nowhere/],
    [['why', 'x', '--server', 'http://['], /is no address/],
    [['why'], /missing required argument/],
  ])('%j is wrong usage', async (argv, message) => {
    const { status, stderr } = await runInMemory(argv);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });
});
