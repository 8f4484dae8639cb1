// What the API server would reject is an error of lint (L5), for windows and pod schedules of any form.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Definition, schemaOf } from '../../src/kinds/crds/definition.ts';
import { maintenanceWindow } from '../../src/kinds/crds/maintenanceWindow.ts';
import { podDisruptionSchedule } from '../../src/kinds/crds/podDisruptionSchedule.ts';
import { policyOf } from '../../src/lint/facts/policyOf.ts';
import { lint } from '../../src/lint/lint.ts';
import { fault } from '../../src/lint/rules/fault.ts';
import { rejectedByApi } from '../../src/lint/rules/rejected-by-api.ts';
import { admit } from './admit.ts';
import { arbitraryOf } from './arbitrary.ts';

const objectOf = ({ kind, group, version }: Definition, spec: unknown) => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name: 'x' },
  spec,
});

describe.each([maintenanceWindow, podDisruptionSchedule])('L5: a $kind that the API server rejects', (definition) => {
  it('is an error', () => {
    let rejected = 0;
    fc.assert(
      fc.property(arbitraryOf(definition.spec), (spec) => {
        const object = objectOf(definition, spec);
        const { errors } = admit(schemaOf(definition), object);
        if (errors.length === 0) return;
        rejected++;
        const findings = lint(policyOf(JSON.stringify(object)), [fault, rejectedByApi]);
        expect({ errors, found: findings.some(({ severity }) => severity === 'error') }).toMatchObject({ found: true });
      }),
      { numRuns: 2000, seed: 14 },
    );
    expect(rejected).toBeGreaterThan(20);
  });
});
