// The reference page of policy fields, from the schemas of the CRDs.
import { embeddedKinds, ownKinds } from '../../src/kinds/schema/crds.ts';
import type { Schema } from '../../src/kinds/schema/schema.ts';
import { page, table } from './page.ts';

export function policyPage(): string {
  const sections = [...ownKinds, ...embeddedKinds].map(
    ({ kind, spec }) =>
      `## ${kind}\n\n${spec.description}\n\n${table(['field', 'type', 'meaning'], fieldsOf(spec, 'spec'))}`,
  );
  const intro =
    'The fields of Lull’s own kinds, and of a NodePool in the embedded cluster. In a cluster with Karpenter, write the budgets in the pool’s annotation `lull.dev/budgets`, with the same fields.';
  return page('Policy fields', intro, sections.join('\n\n'));
}

function fieldsOf(schema: Schema, path: string): string[][] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [`\`${path}.${name}\``, typeOf(field), field.description ?? ''],
    ...fieldsOf(field, `${path}.${name}`),
  ]);
  return schema.items ? [...below, ...fieldsOf(schema.items, `${path}[]`)] : below;
}

function typeOf(schema: Schema): string {
  const words = schema.enum ? schema.enum.map((word) => `\`${String(word)}\``).join(', ') : schema.type;
  return schema.default === undefined
    ? String(words)
    : `${String(words)}; default \`${JSON.stringify(schema.default)}\``;
}
