// A cluster that needs a search: three small nodes with a pod each that no other can take in: one larger, cheaper node replaces all three.
import { emptyLedger } from '../src/cluster/ledger.ts';
import { defaultSettings, type Settings } from '../src/cluster/settings.ts';
import { type SearchRequest, searchRequest } from '../src/engine/consolidation/searchTask.ts';
import { decide } from '../src/engine/round.ts';
import { at, machine, noon, type Objects, type Plain, pod, pool, settings, storeOf } from './build.ts';

const offerings = (price: number): Plain[] => [{ zone: 'a', capacityType: 'on-demand', price }];

const catalogue: readonly Plain[] = [
  { name: 'small', cpu: '2', memory: '8Gi', pods: '110', offerings: offerings(0.1) },
  { name: 'medium', cpu: '4', memory: '16Gi', pods: '110', offerings: offerings(0.2) },
];

export const savingSettings = (values: Plain = {}): Settings => ({
  ...defaultSettings,
  ...settings({ role: 'drive', catalogue, ...values }),
});

const small = (name: string): Plain[] =>
  machine(name, {
    zone: 'a',
    labels: { 'node.kubernetes.io/instance-type': 'small', 'karpenter.sh/capacity-type': 'on-demand' },
    allocatable: { cpu: '2', memory: '8Gi' },
  });

export const threeForOne: Objects = [
  pool('web', { consolidateAfter: '0s' }),
  ...['n1', 'n2', 'n3'].flatMap((name) => [small(name), pod(`p-${name}`, name, { cpu: '1200m' })]),
];

/** The search request over these objects after a round. */
export function requestOn(objects: Objects): SearchRequest {
  const decision = decide({ cluster: storeOf(...objects), ledger: emptyLedger }, at(noon), savingSettings());
  const request = searchRequest(decision);
  if (!request) throw new Error('Nothing to search');
  return request;
}
