// N12: the policies that limit what Lull may write, evaluated offline; test/e2e/12-restraint runs the same table on a real API server.
import { describe, expect, it } from 'vitest';
import { restraintsFor } from '../../src/cli/install/manifests/manifests.ts';
import type { Case, Duty, Plain } from './restraint/case.ts';
import { restraintCases } from './restraint/cases.ts';
import { judge } from './restraint/judge.ts';
import { mergePatch, specimenOf, surroundings } from './restraint/specimens.ts';

const roleOf = (duty: Duty) => (duty === 'release' ? 'drive' : duty);

const policiesOf = (duty: Duty) =>
  restraintsFor({ role: roleOf(duty), namespace: 'lull-system', settings: '', version: '1' });

const saidTo = (duty: Duty, each: Case, user: string): readonly string[] => {
  const { kind, operation, subresource, change, graceSeconds } = each;
  const before = mergePatch(specimenOf(each), { metadata: { uid: uidOf(each) } }) as Plain;
  const metadata = before.metadata as { name: string; namespace?: string };
  const options = { gracePeriodSeconds: graceSeconds ?? 1 };
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata,
    ...(graceSeconds !== undefined && { deleteOptions: options }),
  };
  const scale = { kind: 'Scale', metadata, spec: change?.spec };
  const after = subresource === 'eviction' ? eviction : subresource === 'scale' ? scale : changed(before, change);
  return judge(
    policiesOf(duty),
    {
      user,
      ...(each.isOwnPod && duty !== 'release' && { podUid: uidOf(each) }),
      operation,
      resource: `${kind.toLowerCase()}s`,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      ...(subresource && { subResource: subresource }),
      ...(operation === 'DELETE' && { options }),
      object: operation === 'DELETE' ? null : operation === 'CREATE' && !subresource ? before : after,
      oldObject: operation === 'CREATE' ? null : before,
    },
    surroundings,
  );
};

const uidOf = (each: Case): string => `uid of ${each.kind}`;

/** With the fields that the server changes in every write. */
const changed = (before: Plain, change: Plain = {}): Plain => mergePatch(mergePatch(before, written), change) as Plain;

const written = { metadata: { managedFields: [{}], generation: 2, resourceVersion: '2' } };

const accountOf = (duty: Duty): string =>
  `system:serviceaccount:lull-system:${duty === 'release' ? 'lull-release' : 'lull'}`;

describe.each<Duty>(['observe', 'guide', 'drive', 'release'])('N12: in %s', (duty) => {
  it.each(restraintCases.map((each) => [`${each.kind}: ${each.it}`, each] as const))('%s', (_, each) => {
    const said = saidTo(duty, each, accountOf(duty));
    // A rule that could not be evaluated gives its error in brackets: that would be an accidental refusal.
    const outcome = said.length === 0 ? 'allowed' : said.every((it) => it.endsWith('.')) ? 'refused' : said;
    expect(outcome).toEqual(each.duties.includes(duty) ? 'allowed' : 'refused');
  });

  it('does not refuse other clients if its parameters are missing: the API server looks them up before it checks the user', () => {
    const specs = policiesOf(duty).map(({ kind, spec }) => ({ kind, ...(spec as Plain) }) as Plain);
    const withParams = specs.filter((spec) => spec.paramKind !== undefined || spec.paramRef !== undefined);
    expect(withParams).toHaveLength(4);
    for (const { kind, failurePolicy, paramRef } of withParams)
      expect(kind === 'ValidatingAdmissionPolicy' ? failurePolicy : paramRef).toEqual(
        kind === 'ValidatingAdmissionPolicy' ? 'Ignore' : expect.objectContaining({ parameterNotFoundAction: 'Allow' }),
      );
  });

  it('does not apply to other clients', () => {
    for (const user of ['ann', 'system:serviceaccount:karpenter:karpenter', 'system:serviceaccount:other:lull'])
      for (const each of restraintCases) expect(saidTo(duty, each, user)).toEqual([]);
  });
});
