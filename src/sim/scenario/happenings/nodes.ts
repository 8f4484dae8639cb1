// A machine gets into trouble: the cloud takes it back, or it falls silent.
import { formatDuration } from '../../../time/duration.ts';
import { failNode, interruptNode } from '../../actors/misfortunes.ts';
import { needText, refuseUnknown } from '../known.ts';
import type { HappeningRow } from './row.ts';

export const interrupt: HappeningRow = {
  name: 'interrupt',
  means: 'The cloud announces that it takes the node’s machine back: it is gone two minutes later, whatever happens.',
  example: '{ at: 2h, interrupt: { node: web-3 } }',
  read: (what) => {
    refuseUnknown(what, ['node']);
    const node = needText(what, 'node', 'web-3');
    return ({ world, tell }) => {
      interruptNode(world, node);
      tell({ kind: 'Fault', node, text: `The cloud will take ${node} back in two minutes.` });
    };
  },
};

export const fail: HappeningRow = {
  name: 'fail',
  means: 'The node’s kubelet falls silent: it is not Ready, for so long or for ever.',
  example: '{ at: 2h, fail: { node: web-4, for: 10m } }',
  read: (what) => {
    refuseUnknown(what, ['node', 'for']);
    const node = needText(what, 'node', 'web-4');
    const length = what.duration('for');
    return ({ world, tell }) => {
      failNode(world, node, length);
      const until = length === undefined ? '' : ` for ${formatDuration(length)}`;
      tell({ kind: 'Fault', node, text: `${node} falls silent${until}.` });
    };
  },
};
