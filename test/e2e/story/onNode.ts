// describeOnNode: a story whose cluster real nodes can join; skipped if none can run, with the reason in its name.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { whyNoCluster } from '../../cluster/binaries.ts';
import { residueName } from '../../cluster/node/cgroups.ts';
import { whyNoNode } from '../../cluster/node/requirements.ts';
import { program } from '../../cluster/places.ts';
import type { StoryOptions } from './openStory.ts';
import { describeStory, type Story } from './story.ts';

interface OnNodeOptions extends Omit<StoryOptions, 'realNode'> {
  /** Why this story in particular cannot run. */
  readonly whyNot?: string | undefined;
}

export function describeOnNode(name: string, options: OnNodeOptions, tell: (story: Story) => void): void {
  const { whyNot, ...rest } = options;
  const why = whyNoCluster() ?? whyNoNode() ?? whyNot;
  if (why) describe.skip(`${name} (${why})`, () => it('is skipped', () => undefined));
  else describeStory(name, { ...rest, realNode: true }, tell);
}

/** Runs it as an administrator; throws if it fails. */
export const kubectl = ({ cluster }: Story, ...words: readonly string[]): string =>
  execFileSync(program('kubectl'), words, {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** What a real node of this cluster has left on the machine; none = it is gone without a trace. */
export function residueOf(folder: string): readonly string[] {
  const name = residueName(folder);
  const groups = ['/sys/fs/cgroup', ...readdirSync('/sys/fs/cgroup').map((it) => join('/sys/fs/cgroup', it))];
  return [
    ...groups.map((it) => join(it, name)).filter((it) => existsSync(it)),
    ...(existsSync(`/sys/class/net/${name}`) ? [`link ${name}`] : []),
    ...lines('/proc/self/mounts').filter((line) => line.includes(`${folder}/`)),
    ...readdirSync('/proc')
      .filter((it) => /^\d+$/.test(it))
      .filter((pid) => lines(`/proc/${pid}/cgroup`).some((line) => line.includes(name)))
      .map((pid) => `process ${lines(`/proc/${pid}/cmdline`)[0]?.replaceAll('\0', ' ')}`),
  ];
}

/** Empty for a process that has just ended. */
function lines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** What a kubelet and its network would change for the whole machine: filter rules and kernel settings. */
export function machineState(): object {
  const rules = execFileSync('iptables-save', { encoding: 'utf8' }).split('\n');
  const settings = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'net/ipv4/ip_forward'];
  return {
    rules: rules.filter((line) => line.startsWith('-A')),
    settings: settings.map((it) => `${it} ${lines(`/proc/sys/${it}`)[0]}`),
  };
}
