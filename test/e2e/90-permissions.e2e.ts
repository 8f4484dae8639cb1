// Lull's permissions against the audit logs of all earlier stories: no request was refused, and no permission is unused.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { permissionsOf } from '../../src/kube/permissions.ts';
import { whyNoCluster } from '../cluster/binaries.ts';
import { runs } from '../cluster/places.ts';
import { type Excuse, needless, refusedTo, unusedBy } from '../manifests/usedPermissions.ts';
import { readAudit } from './story/audit.ts';

/**
 * In these stories Lull's ServiceAccount deliberately does what it must not, or may not; an API server that was just restarted refuses
 * every client until it has loaded RBAC; and after an upgrade to another role (helm) it needs a moment to apply the new policies.
 */
const provoked = new Set(['e2e-restraint', 'e2e-refused', 'e2e-away', 'e2e-helm']);

const logs = existsSync(runs)
  ? readdirSync(runs)
      .filter((name) => name.startsWith('e2e-') && !provoked.has(name))
      .map((name) => join(runs, name, 'audit.log'))
      .filter((file) => existsSync(file))
  : [];

/** Lists are streamed by a watch. These are for servers that do not support it, for lists that break off, and for a viewer that uses What if. */
const streamed: readonly Excuse[] = ['', 'karpenter.sh', 'policy', 'lull.dev', 'apiextensions.k8s.io'].map((group) => ({
  group,
  resource: '*',
  verb: 'list',
  why: 'Used if the server does not stream lists.',
}));

const excuses: readonly Excuse[] = [
  {
    group: '',
    resource: 'nodes',
    verb: 'delete',
    why: 'Only a node without a claim is deleted directly: Karpenter creates none, and the simulator covers it.',
  },
];

const excusesOfRelease: readonly Excuse[] = [
  {
    group: 'karpenter.sh',
    resource: 'nodeclaims',
    verb: 'delete',
    why: 'Only if a Lull in drive has died between creating a replacement and using it; the simulator covers it.',
  },
];

describe.skipIf(whyNoCluster() !== undefined)('permissions', () => {
  const requests = logs.flatMap((file) => readAudit(file));
  const account = (name: string): string => `system:serviceaccount:lull-system:${name}`;

  it('stories have run before', () => {
    const users = new Set(requests.map(({ user }) => user));
    expect([...users]).toEqual(expect.arrayContaining([account('lull'), account('lull-release')]));
  });

  it.each(['lull', 'lull-release'])('no request of %s was refused', (name) =>
    expect(refusedTo(account(name), requests)).toEqual([]),
  );

  it('every permission of Lull was used in some role, or has a reason', () => {
    const granted = (['observe', 'guide', 'drive'] as const).flatMap(permissionsOf);
    expect(unusedBy(account('lull'), granted, { requests, excuses: [...excuses, ...streamed] })).toEqual([]);
    expect(needless(account('lull'), granted, { requests, excuses })).toEqual([]);
  });

  it('every permission of the release job was used, or has a reason', () => {
    const used = { requests, excuses: excusesOfRelease };
    expect(unusedBy(account('lull-release'), permissionsOf('release'), used)).toEqual([]);
    expect(needless(account('lull-release'), permissionsOf('release'), used)).toEqual([]);
  });
});
