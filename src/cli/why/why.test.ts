// Tests of `lull why` for nodes, pods and pools.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runInMemory } from '../../../test/inMemory.ts';

const given = ['-f', 'scenarios/first-look.yaml', '--at', '2026-11-17T10:20:00Z'];
const why = (target: string, ...more: string[]) => runInMemory(['why', target, ...given, ...more]);

describe('lull why', () => {
  it('prints for a node each wish and each refusal, with its owner, when it lifts and what to do', async () => {
    const { stdout, status } = await why('ip-10-0-2-18');
    expect(stdout).toBe(`\
ip-10-0-2-18 is held at least until Sat 21:00 UTC: pod data/reports-0 may be moved only in its
window (Saturdays 22:00–02:00 Europe/Berlin); also: zone eu-central-1a has the turn; 1 of its 2
nodes in use
  pool general, claim general-8ztwn, Ready, 2 pods to move

Drifted  held at least until 2026-11-21 21:00Z (in 4d10h)
  because      label image-release: was 2026-10, now 2026-11
  pods permit  2026-11-21 21:00Z (in 4d10h)
  PodScheduleClosed  pod data/reports-0 may be moved only in its window (Saturdays 22:00–02:00
                     Europe/Berlin)
    rule of     Pod data/reports-0
    lifts       2026-11-21 21:00Z (in 4d10h)
    what to do  Wait for the window, or ask the pod's owner for a wider one.
  NotItsTurn  zone eu-central-1a has the turn; 1 of its 2 nodes in use
    rule of     NodePool general, budgets[2]
    lifts       when the cluster changes
    what to do  Wait for the turn. A domain without progress passes it after \`patience\`.

pods that restrict when they move
  data/reports-0  held  pod data/reports-0 may be moved only in its window (Saturdays 22:00–02:00
                        Europe/Berlin); from 2026-11-21 21:00Z (in 4d10h)

as of 2026-11-17 10:20Z
`);
    expect(status).toBe(0);
  });

  it('N1: does not print a node as under way in observe mode', async () => {
    const { stdout } = await why('ip-10-0-2-151');
    expect(stdout).toMatch(/^ip-10-0-2-151 may be disrupted now \(\w+\); in observe mode Lull changes nothing\n/);
    expect(stdout).toContain('\nnot started  observe mode: Lull changes nothing;');
    expect(stdout).not.toMatch(/under way|\[\w+\] >/);
    const driven = (await why('ip-10-0-2-151', '--set', 'role=drive')).stdout;
    expect(driven).toMatch(/^starts now {2}\S+ \(\w+\), by Lull\n {2}steps +\[\w+\] > /m);
  });

  it('prints for a pod when it may move, its rules and its node', async () => {
    const { stdout } = await why('pod/data/reports-0');
    expect(stdout).toMatch(/^data\/reports-0 may be moved from Sat 21:00 UTC on/);
    expect(stdout).toContain('  node     ip-10-0-2-18 is held at least until Sat 21:00 UTC');
    expect(stdout).toMatch(/rules\n {2}refuses {2}it may be moved only in its window/);
  });

  it('prints for a pool its budgets, turn, commands and refusals', async () => {
    const { stdout } = await why('pool/general');
    expect(stdout).toMatch(/^general has 1 under way, 4 held/);
    expect(stdout).toContain(
      '  budgets[2]  active  1 of each topology.kubernetes.io/zone, one domain at a time, for Drifted',
    );
    expect(stdout).toContain('turn  topology.kubernetes.io/zone: eu-central-1a');
    expect(stdout).toContain('steps        offered > [taken] > gone');
    expect(stdout).toContain('  2 nodes  ip-10-0-2-77, ip-10-0-3-90\n  PdbSpent');
  });

  it('L: answers in JSON and YAML alike, with instants in RFC 3339', async () => {
    const json = JSON.parse((await why('ip-10-0-2-18', '-o', 'json')).stdout);
    expect(json).toMatchObject({ kind: 'node', name: 'ip-10-0-2-18', at: '2026-11-17T10:20:00Z', pool: 'general' });
    expect(json.wishes[0].refusals[0]).toMatchObject({ code: 'PodScheduleClosed', liftsAt: '2026-11-21T21:00:00Z' });
    expect(parse((await why('ip-10-0-2-18', '-o', 'yaml')).stdout)).toEqual(json);
  });

  it.each([
    ['absent', 'lull: No node, pod or pool is named "absent".\n'],
    ['reports', 'lull: No node, pod or pool is named "reports". Similar names: pod/data/reports-0.\n'],
  ])('%s is unknown, and similar names are listed', async (target, message) => {
    expect(await why(target)).toEqual({ status: 2, stdout: '', stderr: message });
  });

  it('takes settings, like decide', async () => {
    const { stdout } = await why('general', '--set', 'pools=team=absent');
    expect(stdout).toContain('this pool does not exist');
  });

  it.each([
    [['why', 'x', ...given, '--server', 'http://127.0.0.1:1'], /either -f or --server/],
    [['why', 'x', '--server', 'http://127.0.0.1:1', '--at', '2026-11-17T10:20:00Z'], /its own clock and settings/],
    [['why', 'x', '--server', 'http://127.0.0.1:1'], /^lull: No Lull answers at http:\/\/127.0.0.1:1 \(/],
    [['why', 'x', '--server', 'http://127.0.0.1:1', '--context', 'dev'], /either --server or/],
    [['why', 'x', '--kubeconfig', '/nowhere'], /no kubeconfig at \/nowhere/],
    [['why', 'x', '--server', 'http://['], /is not a valid address/],
    [['why'], /missing required argument/],
  ])('%j is wrong usage', async (argv, message) => {
    const { status, stderr } = await runInMemory(argv);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });
});
