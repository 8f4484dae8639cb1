// The CustomResourceDefinitions that Lull installs, as API objects.
import { disruptionLedger } from '../read/disruptionLedger.ts';
import { healthGate } from '../read/healthGate.ts';
import { maintenanceWindow } from '../read/maintenanceWindow.ts';
import { podDisruptionSchedule } from '../read/podDisruptionSchedule.ts';
import { nodePool } from './nodePoolSchema.ts';
import { type Definition, record, type Schema, text, withRules } from './schema.ts';

/** Installed in every cluster. */
export const ownKinds: readonly Definition[] = [maintenanceWindow, podDisruptionSchedule, healthGate, disruptionLedger];

/** Installed only without Karpenter. Never apply it next to Karpenter: it would replace Karpenter's own CRD (N9). */
export const embeddedKinds: readonly Definition[] = [nodePool];

export type Crd = ReturnType<typeof asCrd>;

/** `maintenancewindows.karpenter.sh` */
export const crdName = ({ plural, group }: Definition): string => `${plural}.${group}`;

export function asCrd(definition: Definition) {
  const { kind, plural, group, version, shortNames, categories, columns } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(definition) },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames, categories },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: schemaOf(definition) },
        },
      ],
    },
  };
}

export function schemaOf({ description, spec, status, rules = [] }: Definition): Schema {
  const whole = record(
    description,
    {
      apiVersion: text('The API version of this object.'),
      kind: text('The kind of this object.'),
      // The API server itself validates metadata.
      metadata: { type: 'object' },
      spec,
      ...(status && { status }),
    },
    { required: ['spec'] },
  );
  return rules.length > 0 ? withRules(whole, ...rules) : whole;
}
