// The configuration files of a real node's programs.
import { join } from 'node:path';

export interface NodePlan {
  readonly folder: string;
  readonly address: string;
  /** The parent cgroup of the pods. */
  readonly cgroup: string;
  readonly plugins: string;
  readonly taints: readonly Taint[];
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** The image of a pod's sandbox: any program that does nothing. */
export const pauseImage = 'lull.test/pause:1';

/** A name and its text each. */
export const nodeFiles = (plan: NodePlan): Readonly<Record<string, string>> => ({
  'containerd.toml': containerd(plan),
  'cni/10-bridge.conflist': JSON.stringify(network(plan)),
  'kubelet.json': JSON.stringify(kubelet(plan)),
});

/** restrict_oom_score_adj: sandboxes fail without it if the machine withholds CAP_SYS_RESOURCE. */
const containerd = ({ folder, plugins }: NodePlan): string => `version = 2
root = ${JSON.stringify(join(folder, 'containerd'))}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${JSON.stringify(plugins)}
    conf_dir = ${JSON.stringify(join(folder, 'cni'))}
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "runc"
      SystemdCgroup = false
`;

/** Every node has the same range: each is behind its own address. */
const network = ({ folder }: NodePlan): object => ({
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods',
      isGateway: true,
      ipMasq: true,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        dataDir: join(folder, 'addresses'),
        ranges: [[{ subnet: '10.244.0.0/24' }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
});

const kubelet = ({ folder, address, cgroup, taints }: NodePlan): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address,
  // Only this machine and the pods of a test reach it.
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  cgroupDriver: 'cgroupfs',
  cgroupRoot: cgroup,
  clusterDNS: ['10.0.0.10'],
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  enforceNodeAllocatable: [],
  // A test node ignores disk pressure: the machine's disk may be full.
  evictionHard: { 'memory.available': '100Mi' },
  failCgroupV1: false,
  failSwapOn: false,
  imageGCHighThresholdPercent: 100,
  podLogsDir: join(folder, 'pods'),
  readOnlyPort: 0,
  registerWithTaints: taints,
  resolvConf: '',
  volumePluginDir: join(folder, 'plugins'),
});
