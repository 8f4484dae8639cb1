// The user data of an EKS node with Amazon Linux 2023: the labels and taints its kubelet registers with.
import { parse } from 'yaml';

export interface Registration {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

interface NodeConfig {
  readonly spec?: {
    readonly kubelet?: {
      readonly flags?: readonly string[];
      readonly config?: { readonly registerWithTaints?: Registration['taints'] };
    };
  };
}

/** `text`: base64, as EC2 keeps it. Throws if no part of it configures the kubelet: such an instance would never join. */
export function readUserData(text: string): Registration {
  const parts = Buffer.from(text, 'base64')
    .toString('utf8')
    .split(/^--.*$/m);
  const part = parts.find((it) => it.includes('kind: NodeConfig'));
  if (!part) throw new Error(`No NodeConfig in the user data: ${parts.join('').slice(0, 300)}`);
  const { spec }: NodeConfig = parse(part.slice(part.indexOf('apiVersion:')));
  const { flags = [], config } = spec?.kubelet ?? {};
  const [, list = ''] = /--node-labels="?([^"\s]*)/.exec(flags.join(' ')) ?? [];
  const pairs = list.split(',').filter(Boolean);
  const labels = pairs.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { labels: Object.fromEntries(labels), taints: config?.registerWithTaints ?? [] };
}
