// Values of MaintenanceWindows and PodDisruptionSchedules that their CRDs reject, though Lull could read them (L5).
import { maintenanceWindow } from '../../kinds/crds/maintenanceWindow.ts';
import { podDisruptionSchedule } from '../../kinds/crds/podDisruptionSchedule.ts';
import type { Schema } from '../../kinds/crds/schema.ts';
import { violationsOf } from '../../kinds/crds/violations.ts';
import { show } from '../../kinds/findings.ts';
import { nameOfObject } from '../../kinds/metadata.ts';
import type { Rule } from '../rule.ts';

const name = 'rejected-by-api';

const schemas: ReadonlyMap<unknown, Schema> = new Map(
  [maintenanceWindow, podDisruptionSchedule].map(({ kind, spec }) => [kind, spec]),
);

export const rejectedByApi: Rule = {
  name,
  finds: 'A value that the CRD of a MaintenanceWindow or PodDisruptionSchedule rejects.',
  why: 'The API server refuses the object, so the window or schedule would not exist in the cluster.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: two-at-a-time}
spec:
  note: platform team, all pools together
  nodes: 2
`,
  *check({ documents, cluster }) {
    const told = new Set(
      cluster.faults.filter(({ severity }) => severity === 'error').map(({ object, path }) => `${object} ${path}`),
    );
    for (const { object } of documents) {
      const { apiVersion, kind } = object;
      const schema = schemas.get(kind);
      if (!schema || typeof apiVersion !== 'string' || !apiVersion.startsWith('karpenter.sh/')) continue;
      const of = nameOfObject(object);
      for (const { path, value, must } of violationsOf(schema, object.spec, 'spec')) {
        // The readers say more of what they cannot read either.
        if (told.has(`${of} ${path}`)) continue;
        const isNumber = typeof value === 'number' && must.startsWith('must be a text');
        yield {
          rule: name,
          severity: 'error',
          object: of,
          path,
          message: `The API server rejects ${show(value)} here: it ${must}.`,
          ...(isNumber && { suggestion: `Write "${value}" in quotes.`, fix: [{ path, set: String(value) }] }),
        };
      }
    }
  },
};
