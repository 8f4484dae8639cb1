// `lull` with the rights of the hourly job that releases a cluster whose Lull is gone (N10).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfig } from '../../cluster/keys.ts';
import type { Printed } from './lull.ts';
import type { Story } from './story.ts';

export async function asJob({ cluster, lull }: Story, ...words: readonly string[]): Promise<Printed> {
  const path = '/api/v1/namespaces/lull-system/serviceaccounts/lull-release/token';
  const { status } = await cluster.api.must({ method: 'POST', path, body: { spec: { expirationSeconds: 3600 } } });
  const { token } = status as { token: string };
  const ca = readFileSync(cluster.caFile).toString('base64');
  const file = join(cluster.folder, 'release.kubeconfig');
  writeFileSync(
    file,
    kubeconfig({
      cluster: cluster.name,
      server: cluster.server,
      ca,
      token,
      user: 'lull-release',
      namespace: 'lull-system',
    }),
  );
  return lull(...words, '--kubeconfig', file);
}
