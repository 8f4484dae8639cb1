import { describe, expect, it } from 'vitest';
import { emptyLedger } from '../cluster/ledger.ts';
import type { Answer, Request } from '../runtime/port.ts';
import { after, asDuration, type Instant, parseInstant, second } from '../time/instant.ts';
import { Refusals } from './liveRefusals.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const at = (seconds: number): Instant => after(noon, asDuration(seconds * second));

const commit: Request = { verb: 'commit', ledger: emptyLedger };
const park: Request = { verb: 'patch', kind: 'Node', name: 'n1' };
const evict: Request = { verb: 'evict', kind: 'Pod', namespace: 'shop', name: 'p' };
const done: Answer = { status: 'done' };
const mayNot =
  'nodes "n1" is forbidden: User "lull" cannot patch resource "nodes" in API group "" at the cluster scope';
const ledgerNo = 'disruptionledgers.lull.dev is forbidden: User "lull" cannot create resource "disruptionledgers"';

function scene() {
  const lines: string[] = [];
  const refusals = new Refusals({
    log: ({ kind, text }) => lines.push(`${kind} ${text}`),
    namespace: 'ops',
    role: () => 'guide',
  });
  return { lines, refusals };
}

describe('K5: what the API server refuses', () => {
  it('the ledger: is told at once, with what to do, and when it goes through', () => {
    const { lines, refusals } = scene();
    const no: Answer = { status: 'away', message: `403: ${ledgerNo}` };
    for (const seconds of [0, 1, 3, 7, 15, 30]) expect(refusals.hears(commit, no, at(seconds))).toBe(true);
    expect(refusals.hears(commit, done, at(40))).toBe(false);
    expect(lines).toEqual([
      `refused The ledger may not be written, so nothing is started: 403: ${ledgerNo}. \`lull install --namespace ops --set role=guide\` brings the rights of this role.`,
      'granted commit goes through, after 40s',
    ]);
    expect(refusals.standing(at(40))).toBeUndefined();
  });

  it('the ledger: whose CustomResourceDefinition was deleted is told so, with what brings it back', () => {
    const { lines, refusals } = scene();
    const no: Answer = { status: 'away', message: '404: 404 page not found\n' };
    expect(refusals.hears(commit, no, at(0))).toBe(true);
    expect(lines).toEqual([
      'refused The ledger may not be written, so nothing is started: 404: the CustomResourceDefinition disruptionledgers.lull.dev is missing. `lull install --namespace ops --set role=guide` brings it back, and Lull goes on by itself.',
    ]);
  });

  it('an action: is told once for all objects of its kind, and stands until it is wanted no more', () => {
    const { lines, refusals } = scene();
    const no: Answer = { status: 'refused', code: 403, message: mayNot };
    expect(refusals.hears(park, no, at(0))).toBe(true);
    expect(refusals.hears({ ...park, name: 'n2' }, no, at(1))).toBe(true);
    expect(refusals.hears(commit, done, at(2))).toBe(false);
    expect(lines).toHaveLength(1);
    expect(refusals.standing(at(60))).toMatch(/^The API server refuses to patch Node n2: 403: .*lull install/);
    expect(refusals.standing(at(62))).toBeUndefined();
  });

  const deniedBy = (policy: string): Answer => ({
    status: 'refused',
    code: 403,
    message: `nodes "n1" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: Its spec may not change.`,
  });

  it('N12: an own policy that is of another version, or finds a defect or a thief, is told with what to do', () => {
    const { lines, refusals } = scene();
    expect(refusals.hears(park, deniedBy('lull-restraint-nodes'), at(0))).toBe(true);
    expect(lines).toEqual([
      "refused The API server refuses to patch Node n1: 403: nodes \"n1\" is forbidden: ValidatingAdmissionPolicy 'lull-restraint-nodes' with binding 'lull-restraint-nodes' denied request: Its spec may not change. Lull's own admission policy lull-restraint-nodes is there to stop this. Where it was installed with another version or role of Lull, `lull install --namespace ops --set role=guide` replaces it. Else do not delete it: find out who has changed the object, or who uses Lull's token, and report it as a defect if nobody has.",
    ]);
    expect(refusals.standing(at(1))).toMatch(/lull-restraint-nodes/);
  });

  it("another's policy or webhook is told with whom to ask", () => {
    const { lines, refusals } = scene();
    const webhook = 'admission webhook "validate.kyverno.svc" denied the request: no annotations';
    expect(refusals.hears(park, deniedBy('platform-nodes'), at(0))).toBe(true);
    expect(refusals.hears(evict, { status: 'refused', code: 400, message: webhook }, at(0))).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(/It is tried again: ask whoever runs platform-nodes for an exception[.]$/),
      expect.stringMatching(/It is tried again: ask whoever runs validate[.]kyverno[.]svc for an exception[.]$/),
    ]);
  });

  it.each<[string, Request, Answer]>([
    ['a server that is away', commit, { status: 'away', message: 'connect ECONNREFUSED' }],
    ['a server that has too much to do', commit, { status: 'away', message: '429: later' }],
    ['a server that cannot', commit, { status: 'away', message: '500: etcd' }],
    ['who we are', commit, { status: 'away', message: '401: Unauthorized' }],
    ['a ledger that another has written', commit, { status: 'refused', code: 409, message: 'modified' }],
    ['a node that is another by now', park, { status: 'refused', code: 422, message: 'test failed' }],
    [
      'a PDB that has lost count',
      evict,
      { status: 'refused', code: 403, message: 'pdb disruptions allowed is negative' },
    ],
  ])('is not %s', (_, request, answer) => {
    const { lines, refusals } = scene();
    expect(refusals.hears(request, answer, at(0))).toBe(false);
    expect([lines, refusals.standing(at(0))]).toEqual([[], undefined]);
  });

  it('a ledger that is refused for what is in it is told as well', () => {
    const { lines, refusals } = scene();
    refusals.hears(commit, { status: 'away', message: '422: spec.commands: too many' }, at(0));
    expect(lines).toEqual([
      'refused The ledger may not be written, so nothing is started: 422: spec.commands: too many. It is tried again.',
    ]);
  });
});
