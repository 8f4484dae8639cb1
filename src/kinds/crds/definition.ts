// How does a kind become a CustomResourceDefinition? Its names, fields and columns in the form that the API server takes.
import { type Rule, record, type Schema, text, withRules } from './schema.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 1 = only with `-o wide`. */
  readonly priority?: 1;
}

export interface Definition {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  readonly version: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description: string;
  readonly columns: readonly Column[];
  readonly spec: Schema;
  readonly status?: Schema;
  /** On the whole object; they see its name, too. */
  readonly rules?: readonly Rule[];
}

export const age: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'How long it has been there.',
};

/** D7: what cannot be read says so. */
export const ready: Column = {
  name: 'Ready',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].status',
  description: 'Whether it can be read; where it cannot, it holds all that it may mean.',
};

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
      apiVersion: text('The version of the form of this object.'),
      kind: text('The kind of this object.'),
      // The API server knows its form, and admits no other.
      metadata: { type: 'object' },
      spec,
      ...(status && { status }),
    },
    { required: ['spec'] },
  );
  return rules.length > 0 ? withRules(whole, ...rules) : whole;
}
