// N12: does the API server keep Lull to what is its own? The policies run offline; test/e2e asks the real server the same.
import { describe, expect, it } from 'vitest';
import { restraintsFor } from '../../src/cli/manifests/restraint.ts';
import { judge } from './judge.ts';
import { type Case, type Plain, type Role, restraintCases } from './restraintCases.ts';
import { mergePatch, specimenOf } from './specimens.ts';

const policiesOf = (role: Role) =>
  restraintsFor({ role, namespace: 'lull-system', settings: '', version: '1' }).filter(
    ({ kind }) => kind === 'ValidatingAdmissionPolicy',
  );

const saidTo = (role: Role, { kind, operation, subresource, ...rest }: Case, user: string): readonly string[] => {
  const before = specimenOf({ kind, operation, ...rest });
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: before.metadata };
  const after = subresource === 'eviction' ? eviction : operation === 'CREATE' ? before : changed(before, rest.change);
  return judge(policiesOf(role), {
    user,
    operation,
    resource: `${kind.toLowerCase()}s`,
    ...(subresource && { subResource: subresource }),
    object: operation === 'DELETE' ? null : after,
    oldObject: operation === 'CREATE' ? null : before,
  });
};

/** With what the server changes in every write. */
const changed = (before: Plain, change: Plain = {}): Plain => mergePatch(mergePatch(before, written), change) as Plain;

const written = { metadata: { managedFields: [{}], generation: 2, resourceVersion: '2' } };

const lull = 'system:serviceaccount:lull-system:lull';

describe.each<Role>(['observe', 'guide', 'drive'])('N12: in %s', (role) => {
  it.each(restraintCases.map((each) => [`${each.kind}: ${each.it}`, each] as const))('%s', (_, each) => {
    const said = saidTo(role, each, lull);
    expect(said.length === 0 ? 'allowed' : said).toEqual(
      each.roles.includes(role) ? 'allowed' : expect.arrayContaining([expect.stringMatching(/\.$/)]),
    );
  });

  it('says nothing to what anybody else does', () => {
    for (const user of ['ann', 'system:serviceaccount:karpenter:karpenter', 'system:serviceaccount:other:lull'])
      for (const each of restraintCases) expect(saidTo(role, each, user)).toEqual([]);
  });

  it('binds the job that releases as well', () => {
    const label = restraintCases.find((each) => each.kind === 'Node' && each.it === 'gets a label') as Case;
    expect(saidTo(role, label, 'system:serviceaccount:lull-system:lull-release')).not.toEqual([]);
  });
});
