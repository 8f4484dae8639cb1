// What is a replacement to be asked for as? What was planned, so that it is as cheap as was said.
import type { Pod } from '../../cluster/model.ts';
import { add } from '../../cluster/nodeView.ts';
import type { PlannedReplacement } from '../placement/placement.ts';
import type { Launched } from './thrift.ts';

/** `pods`: those that are to go there. */
export function replacementOf({ pool, plan }: Launched, pods: readonly Pod[]): PlannedReplacement {
  const requests: Record<string, number> = {};
  for (const pod of pods) add(requests, pod.requests);
  const { instanceTypes, capacityTypes, zones, price } = plan;
  const [instanceType] = instanceTypes;
  return {
    pool,
    ...(instanceType !== undefined && { instanceType }),
    launch: { instanceTypes, capacityTypes, zones, requests },
    price,
  };
}
