import { describe, expect, it } from 'vitest';
import { emptyLedger } from '../../cluster/ledger.ts';
import type { ApiRequest, ApiResponse } from '../../runtime/port.ts';
import { after, asDuration, type Instant, parseInstant, second } from '../../time/instant.ts';
import { RefusedRequests } from './liveContact.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const at = (seconds: number): Instant => after(noon, asDuration(seconds * second));

const commit: ApiRequest = { verb: 'commit', ledger: emptyLedger };
const park: ApiRequest = { verb: 'patch', kind: 'Node', name: 'n1' };
const evict: ApiRequest = { verb: 'evict', kind: 'Pod', namespace: 'shop', name: 'p' };
const done: ApiResponse = { status: 'done' };
const mayNot =
  'nodes "n1" is forbidden: User "lull" cannot patch resource "nodes" in API group "" at the cluster scope';
const ledgerNo = 'disruptionledgers.lull.dev is forbidden: User "lull" cannot create resource "disruptionledgers"';

function scene() {
  const lines: string[] = [];
  const refusals = new RefusedRequests({
    log: ({ kind, text }) => lines.push(`${kind} ${text}`),
    namespace: 'ops',
    role: () => 'guide',
  });
  return { lines, refusals };
}

describe('K5: requests that the API server refuses', () => {
  it('the ledger: logged at once, with a remedy, and when it succeeds again', () => {
    const { lines, refusals } = scene();
    const no: ApiResponse = { status: 'away', message: `403: ${ledgerNo}` };
    for (const seconds of [0, 1, 3, 7, 15, 30]) expect(refusals.hears(commit, no, at(seconds))).toBe(true);
    expect(refusals.hears(commit, done, at(40))).toBe(false);
    expect(lines).toEqual([
      `refused The API server refuses to write the ledger, so nothing is started: 403: ${ledgerNo}. \`lull install --namespace ops --set role=guide\` grants the permissions of this role.`,
      'granted commit succeeds again, after 40s',
    ]);
    expect(refusals.standing(at(40))).toBeUndefined();
  });

  it('the ledger: a deleted CustomResourceDefinition is named, with the command that creates it again', () => {
    const { lines, refusals } = scene();
    const no: ApiResponse = { status: 'away', message: '404: 404 page not found\n' };
    expect(refusals.hears(commit, no, at(0))).toBe(true);
    expect(lines).toEqual([
      'refused The API server refuses to write the ledger, so nothing is started: 404: the CustomResourceDefinition disruptionledgers.lull.dev is missing. `lull install --namespace ops --set role=guide` creates it again; Lull then continues by itself.',
    ]);
  });

  it('an action: logged once for all objects of its kind, and kept until it is no longer wanted', () => {
    const { lines, refusals } = scene();
    const no: ApiResponse = { status: 'refused', code: 403, message: mayNot };
    expect(refusals.hears(park, no, at(0))).toBe(true);
    expect(refusals.hears({ ...park, name: 'n2' }, no, at(1))).toBe(true);
    expect(refusals.hears(commit, done, at(2))).toBe(false);
    expect(lines).toHaveLength(1);
    expect(refusals.standing(at(60))).toMatch(/^The API server refuses to patch Node n2: 403: .*lull install/);
    expect(refusals.standing(at(62))).toBeUndefined();
  });

  const deniedBy = (policy: string): ApiResponse => ({
    status: 'refused',
    code: 403,
    message: `nodes "n1" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: Its spec may not change.`,
  });

  it('N12: a policy of Lull: logged with what to do', () => {
    const { lines, refusals } = scene();
    expect(refusals.hears(park, deniedBy('lull-restraint-nodes'), at(0))).toBe(true);
    expect(lines).toEqual([
      "refused The API server refuses to patch Node n1: 403: nodes \"n1\" is forbidden: ValidatingAdmissionPolicy 'lull-restraint-nodes' with binding 'lull-restraint-nodes' denied request: Its spec may not change. Lull's own admission policy lull-restraint-nodes exists to prevent this. If it was installed for another version or role of Lull, `lull install --namespace ops --set role=guide` replaces it. Otherwise keep it: find out who changed the object or who else uses Lull's token, and report a defect if there is no such person.",
    ]);
    expect(refusals.standing(at(1))).toMatch(/lull-restraint-nodes/);
  });

  it('another policy or webhook: logged with the name of whom to ask', () => {
    const { lines, refusals } = scene();
    const webhook = 'admission webhook "validate.kyverno.svc" denied the request: no annotations';
    expect(refusals.hears(park, deniedBy('platform-nodes'), at(0))).toBe(true);
    expect(refusals.hears(evict, { status: 'refused', code: 400, message: webhook }, at(0))).toBe(true);
    expect(lines).toEqual([
      expect.stringMatching(/Lull tries again: ask the owner of platform-nodes for an exception[.]$/),
      expect.stringMatching(/Lull tries again: ask the owner of validate[.]kyverno[.]svc for an exception[.]$/),
    ]);
  });

  it.each<[string, ApiRequest, ApiResponse]>([
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

  it('a ledger that is refused for its content is logged as well', () => {
    const { lines, refusals } = scene();
    refusals.hears(commit, { status: 'away', message: '422: spec.commands: too many' }, at(0));
    expect(lines).toEqual([
      'refused The API server refuses to write the ledger, so nothing is started: 422: spec.commands: too many. Lull tries again.',
    ]);
  });
});
