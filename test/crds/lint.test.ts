// What the API server would reject is an error of lint (L5), for windows and pod schedules of any form.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maintenanceWindow } from '../../src/kinds/read/maintenanceWindow.ts';
import { podDisruptionSchedule } from '../../src/kinds/read/podDisruptionSchedule.ts';
import { schemaOf } from '../../src/kinds/schema/crds.ts';
import type { Definition } from '../../src/kinds/schema/schema.ts';
import { lint } from '../../src/lint/runRules.ts';
import { policyOf, rule } from '../fixtures/lintPolicy.ts';
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
        const findings = lint(policyOf(JSON.stringify(object)), [rule('fault'), rule('rejected-by-api')]);
        expect({ errors, found: findings.some(({ severity }) => severity === 'error') }).toMatchObject({ found: true });
      }),
      { numRuns: 2000, seed: 14 },
    );
    expect(rejected).toBeGreaterThan(20);
  });
});
