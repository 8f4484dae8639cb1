import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  marked,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  requestsOf,
  underway,
} from '../../../test/build.ts';

const drifted = (spec: Plain = {}, more: Plain = {}) => machine('n1', { drifted: longAgo, spec, ...more });
const carryOn = (objects: Objects, fields: Plain = {}) =>
  decide([pool(), ...objects], { ledger: ledger({ commands: [underway('n1', { step: 'tainted', ...fields })] }) });

describe('G1: what is to be tainted', () => {
  it('is asked for until the node shows it, tested against the list as it was seen', () => {
    const others = [{ key: 'team', value: 'a', effect: 'NoExecute' }];
    const round = carryOn([drifted({ taints: others }), pod()]);
    expect(round.actions).toEqual([
      {
        verb: 'patch',
        kind: 'Node',
        name: 'n1',
        command: 'drifted-n1',
        patch: [
          { op: 'test', path: '/spec/taints', value: others },
          {
            op: 'add',
            path: '/spec/taints',
            value: [
              ...others,
              { key: 'lull.dev/disrupted', value: 'drifted-n1', effect: 'NoSchedule', timeAdded: noon },
            ],
          },
        ],
      },
    ]);
  });

  it('replaces the mark of an earlier command', () => {
    const [action] = carryOn([drifted(marked('drifted-earlier')), pod()]).actions;
    expect(action?.patch?.[1]?.value).toMatchObject([{ value: 'drifted-n1' }]);
  });

  it.each([
    { it: 'without replacements it is drained', fields: {}, step: 'draining', asks: ['evict shop/p1'] },
    {
      it: 'with replacements they are made first',
      fields: { replacements: [{ name: 'r-0', pool: 'web' }] },
      step: 'replacing',
      asks: ['create NodeClaim r-0'],
    },
  ])('once the node shows it, in the same round: $it', ({ fields, step, asks }) => {
    const round = carryOn([drifted(marked()), pod()], fields);
    expect(round.ledger.commands).toMatchObject([{ step, stepAt: at(noon) }]);
    expect(requestsOf(round)).toEqual(asks);
  });

  it('Interrupted waits for no replacement: it is made beside the drain', () => {
    const interrupted = machine('n1', { spec: marked(), claim: { conditions: { Interrupted: noon } } });
    const fields = { reason: 'Interrupted', replacements: [{ name: 'r-0', pool: 'web' }] };
    const round = carryOn([interrupted, pod()], fields);
    expect(round.ledger.commands).toMatchObject([{ step: 'draining' }]);
    expect(requestsOf(round)).toEqual(['create NodeClaim r-0', 'evict shop/p1']);
  });
});

describe('G5: before the taint the gates are asked again', () => {
  const optOut = { 'karpenter.sh/do-not-disrupt': 'true' };
  it.each([
    { it: 'I4: no longer drifted', objects: [machine(), pod()], why: 'n1 is no longer Drifted' },
    { it: 'Held', objects: [drifted({}, { annotations: { 'lull.dev/hold': 'x' } }), pod()], why: /^Held/ },
    { it: 'NodeOptedOut', objects: [drifted({}, { annotations: optOut }), pod()], why: /^NodeOptedOut/ },
    { it: 'NotReady', objects: [drifted({}, { ready: 'False', readySince: noon }), pod()], why: /^NotReady/ },
    { it: 'PodOptedOut', objects: [drifted(), pod('p1', 'n1', { annotations: optOut })], why: /^PodOptedOut/ },
    { it: 'PdbSpent', objects: [drifted(), pod(), pdb('web', 0)], why: /^PdbSpent/ },
    { it: 'D6: a window', objects: [drifted(), pod(), maintenanceWindow('freeze')], why: /^WindowBlocks/ },
    {
      it: 'Nominated',
      objects: [drifted(), pod('new', '', { status: { nominatedNodeName: 'n1' } })],
      why: /^Nominated/,
    },
  ])('$it', ({ objects, why }) => {
    // Replacements that were never asked for need not be looked for: it is over at once.
    const round = carryOn(objects, { replacements: [{ name: 'r-0', pool: 'web' }] });
    expect(requestsOf(round)).toEqual([]);
    expect(round.ended).toMatchObject([{ id: 'drifted-n1', how: 'released', why: expect.stringMatching(why) }]);
  });

  it('budgets are not: they decide starts', () => {
    const round = decide([pool('web', { budgets: [{ nodes: '0' }] }), drifted(), pod()], {
      ledger: ledger({ commands: [underway('n1', { step: 'tainted' })] }),
    });
    expect(requestsOf(round)).toEqual(['patch Node n1']);
  });

  it('Interrupted is refused by nothing', () => {
    const interrupted = machine('n1', {
      annotations: { 'lull.dev/hold': 'mine' },
      claim: { conditions: { Interrupted: noon } },
    });
    const objects = [interrupted, pod('p1', 'n1', { annotations: optOut }), maintenanceWindow('freeze')];
    expect(requestsOf(carryOn(objects, { reason: 'Interrupted' }))).toEqual(['patch Node n1']);
  });
});
