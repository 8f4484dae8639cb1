// Names in random clusters: few per kind, so that rules match.

export const zoneLabel = 'topology.kubernetes.io/zone';
export const hostLabel = 'kubernetes.io/hostname';
export const rackLabel = 'example.com/rack';
export const zones = ['z1', 'z2', 'z3'] as const;

/** With their labels. */
export const namespaces: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shop: { team: 'red', stage: 'live' },
  bank: { team: 'blue', stage: 'live' },
  lab: { team: 'red' },
};
