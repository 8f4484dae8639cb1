// A kubeconfig with one context, `dev`, for a front.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Front } from './front.ts';

/** The path of the file. */
export function kubeconfigOf({ url }: Front, folder: string): string {
  const file = join(folder, 'config');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    clusters: [{ name: 'c', cluster: { server: url.origin } }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
