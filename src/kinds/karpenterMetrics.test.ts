import { describe, expect, it } from 'vitest';
import { estimate, MetricsReader, readMetrics } from './catalogue.ts';

const offering = (type: string, zone: string, value: number, more: { capacity?: string; available?: number } = {}) => {
  const labels = `capacity_type="${more.capacity ?? 'on-demand'}",instance_type="${type}",zone="${zone}"`;
  return `karpenter_cloudprovider_instance_type_offering_available{${labels}} ${more.available ?? 1}
karpenter_cloudprovider_instance_type_offering_price_estimate{${labels}} ${value}`;
};
const size = (type: string, cores: number, gibi: number) =>
  `karpenter_cloudprovider_instance_type_cpu_cores{instance_type="${type}"} ${cores}
karpenter_cloudprovider_instance_type_memory_bytes{instance_type="${type}"} ${(gibi * 2 ** 30).toExponential()}`;

/** As the AWS provider prints it, among much else. */
const text = `# HELP karpenter_cloudprovider_instance_type_cpu_cores VCPUs cores for a given instance type.
# TYPE karpenter_cloudprovider_instance_type_cpu_cores gauge
${size('m5.large', 2, 8)}
${size('m6g.large', 2, 8)}
${size('without.price', 2, 8)}
karpenter_nodepools_limit{nodepool="default",resource_type="cpu"} 100
${offering('m5.large', 'eu-central-1a', 0.115)}
${offering('m5.large', 'eu-central-1a', 0.042, { capacity: 'spot' })}
${offering('m5.large', 'eu-central-1b', 0.115, { available: 0 })}
${offering('m6g.large', 'eu-central-1a', 0.092)}
${offering('without.size', 'eu-central-1a', 0.01)}
go_goroutines 812
`;

describe("F5: instance types from Karpenter's own metrics", () => {
  it('have their offerings, whether each can be had, and what it costs', () => {
    const types = readMetrics(text);
    expect(types?.map(({ name }) => name)).toEqual(['m5.large', 'm6g.large']);
    expect(types?.[0]).toMatchObject({
      estimated: true,
      offerings: [
        { zone: 'eu-central-1a', capacityType: 'on-demand', price: 0.115, available: true },
        { zone: 'eu-central-1a', capacityType: 'spot', price: 0.042, available: true },
        { zone: 'eu-central-1b', capacityType: 'on-demand', price: 0.115, available: false },
      ],
    });
  });

  it('a capacity reservation that does not exist is not on offer, though its price is 0', () => {
    const reserved = offering('m5.large', 'eu-central-1a', 0, { capacity: 'reserved', available: 0 });
    expect(readMetrics(`${text}${reserved}`)?.[0]?.offerings).toContainEqual({
      zone: 'eu-central-1a',
      capacityType: 'reserved',
      price: 0,
      available: false,
    });
  });

  it('of a name of AWS the labels that pools ask for are known', () => {
    expect(readMetrics(text)?.map(({ labels }) => labels)).toMatchObject([
      {
        'karpenter.k8s.aws/instance-category': 'm',
        'karpenter.k8s.aws/instance-generation': '5',
        'karpenter.k8s.aws/instance-family': 'm5',
        'karpenter.k8s.aws/instance-size': 'large',
        'karpenter.k8s.aws/instance-cpu': '2',
        'karpenter.k8s.aws/instance-memory': '8192',
        'kubernetes.io/arch': 'amd64',
      },
      { 'kubernetes.io/arch': 'arm64' },
    ]);
  });

  it.each([
    { cores: 2, gibi: 2, cpu: 1910, memory: 1209, pods: 14 },
    { cores: 4, gibi: 16, cpu: 3890, memory: 14_140, pods: 28 },
    { cores: 64, gibi: 256, cpu: 63_290, memory: 239_378, pods: 110 },
  ])('of $cores cores and $gibi GiB it is worked out what pods may use', ({ cores, gibi, cpu, memory, pods }) => {
    const { memory: bytes = 0, ...rest } = estimate(cores, gibi * 2 ** 30);
    expect(rest).toEqual({ cpu, pods });
    expect(Math.floor(bytes / 2 ** 20)).toBe(memory);
  });

  it.each(['', 'karpenter_cloudprovider_instance_type_cpu_cores{', '<html>', '\u0000', `${text.slice(0, 300)}`])(
    'nothing is read from %j',
    (nonsense) => {
      expect(readMetrics(nonsense)).toBeUndefined();
    },
  );

  it('it is bounded, however long the text', () => {
    const reader = new MetricsReader();
    for (let index = 0; index < 5000; index++)
      for (const it of `${size(`t${index}`, 2, 8)}\n${offering(`t${index}`, 'a', 1)}`.split('\n')) reader.read(it);
    expect(reader.types()).toHaveLength(3000);
  });
});
