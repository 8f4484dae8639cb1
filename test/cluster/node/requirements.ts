// What a real node needs beyond the cluster's own programs, and the message if it is missing.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt, nodeModule } from '../binaries.ts';
import { base } from '../places.ts';

/** Each with its Debian package. */
const programs: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  ip: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  busybox: 'busybox-static',
};

const pluginFolders = ['/usr/lib/cni', '/opt/cni/bin'];
const plugins = ['bridge', 'host-local', 'loopback', 'portmap'];

/** The PATH of root, which includes sbin. */
const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

export const nodePath = folders.join(':');

const findProgram = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path));

export const pluginFolder = (): string | undefined =>
  pluginFolders.find((folder) => plugins.every((name) => existsSync(join(folder, name))));

/** Why no node can run here, whether or not its programs are built; undefined = one can. */
export function whyNoNodeHere(): string | undefined {
  if (process.platform !== 'linux') return 'A real node needs Linux';
  if (process.getuid?.() !== 0) return 'A real node needs root';
  // They are hidden from the node (init.sh).
  if (/^\/(run|var\/lib|var\/log)\//.test(base)) return `A real node cannot use a checkout in ${base}`;
  const missing = Object.entries(programs).filter(([name]) => !findProgram(name));
  const packages = new Set(missing.map(([, debian]) => debian));
  if (!pluginFolder()) packages.add('containernetworking-plugins');
  if (packages.size > 0) return `A real node needs the Debian packages ${[...packages].sort().join(', ')}`;
  return mayUnshare() ? undefined : 'A real node needs namespaces of its own, which this machine does not allow';
}

/** Root in a container often does not have it. */
function mayUnshare(): boolean {
  try {
    execFileSync('unshare', ['--fork', '--pid', '--mount', '--net', '--mount-proc', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function whyNoNode(): string | undefined {
  const why = whyNoNodeHere();
  if (why) return why;
  return isBuilt(nodeModule) ? undefined : 'The kubelet is not built. Run: npm run cluster:build';
}
