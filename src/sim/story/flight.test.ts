// Tracking of nodes being disrupted.
import { describe, expect, it } from 'vitest';
import { claim, command, node, openStage, withTrue } from '../../../test/sim/storyStage.ts';
import { Flight } from './flight.ts';

function setTheStage() {
  const stage = openStage();
  stage.objects.create(node('web-1'), 'test');
  stage.objects.create(claim('web-1'), 'test');
  const leaving = (): string[] => [...stage.flight.leaving.keys()];
  return { ...stage, leaving };
}

describe('C4: a node is on its way out', () => {
  it('while a command has it', () => {
    const { leaving, writeLedger } = setTheStage();
    expect(leaving()).toEqual([]);
    writeLedger([command('c1', 'web-1')]);
    expect(leaving()).toEqual(['web-1']);
    writeLedger([]);
    expect(leaving()).toEqual([]);
  });

  it('while its claim is being deleted, by any actor', () => {
    const { leaving, objects } = setTheStage();
    objects.delete('NodeClaim', 'web-1', 'script');
    expect(leaving()).toEqual(['web-1']);
  });

  it('while it is being deleted itself', () => {
    const { leaving, objects } = setTheStage();
    objects.write('Node', 'web-1', 'test', (it) => ({ ...it, metadata: { ...it.metadata, finalizers: ['x'] } }));
    objects.delete('Node', 'web-1', 'script');
    expect(leaving()).toEqual(['web-1']);
  });

  it('C3: until its machine is given back', () => {
    const { leaving, objects, writeLedger } = setTheStage();
    writeLedger([command('c1', 'web-1')]);
    objects.delete('NodeClaim', 'web-1', 'lull-1');
    objects.write('NodeClaim', 'web-1', 'karpenter', (it) => withTrue(it, 'InstanceTerminating'));
    expect(leaving()).toEqual([]);
  });

  it('until it is gone, even if the ledger still has its command', () => {
    const { leaving, objects, writeLedger } = setTheStage();
    writeLedger([command('c1', 'web-1')]);
    objects.delete('Node', 'web-1', 'karpenter');
    expect(leaving()).toEqual([]);
  });

  it('C3: and never before it was initialized', () => {
    const { leaving, objects } = openStageWithNew();
    objects.delete('NodeClaim', 'web-2', 'lull-1');
    expect(leaving()).toEqual([]);
  });

  it('from the start, if the cluster existed before the tracker', () => {
    const { objects, writeLedger } = setTheStage();
    writeLedger([command('c1', 'web-1')]);
    expect([...new Flight(objects).leaving.keys()]).toEqual(['web-1']);
  });

  it('and is reported once, with the command that has it', () => {
    const { flight, writeLedger, objects } = setTheStage();
    const told: (string | undefined)[] = [];
    flight.onLeaving((it) => told.push(`${it.node} ${it.pool} ${it.command?.id}`));
    writeLedger([command('c1', 'web-1')]);
    writeLedger([command('c1', 'web-1', { step: 'draining' })]);
    objects.delete('NodeClaim', 'web-1', 'lull-1');
    expect(told).toEqual(['web-1 web c1']);
  });
});

function openStageWithNew() {
  const stage = setTheStage();
  stage.objects.create(node('web-2', 'a', { 'karpenter.sh/initialized': 'false' }), 'test');
  stage.objects.create(claim('web-2'), 'test');
  return stage;
}
