// The nodes on which a pod's volumes are available, and the attachments they use there (F6).
import { label } from '../../cluster/names.ts';
import type { NodeTerm } from '../../cluster/selector.ts';
import type { StorageClass, Volume, VolumeClaim, Volumes } from '../../cluster/volumes.ts';

/** Plain data. */
export interface VolumeRule {
  /** A claim is missing or unbound, so the scheduler would leave the pod pending. */
  readonly isNowhere: boolean;
  /** One list per volume, of which one term must hold. */
  readonly terms: readonly (readonly NodeTerm[])[];
  /** Zone and region labels of the volumes. */
  readonly zones: readonly { readonly key: string; readonly values: readonly string[] }[];
}

export interface MountedVolumes {
  /** Absent = available on every node. */
  readonly rule?: VolumeRule;
  readonly attachments: readonly VolumeAttachment[];
  /** Claims that only one pod at a time may use. */
  readonly exclusive: readonly string[];
}

/** A volume of a CSI driver. It is attached once per node, even if several pods use it. */
interface VolumeAttachment {
  readonly driver: string;
  readonly volume: string;
}

/** `claims`: `namespace/name` of each. */
export function mountedVolumes(claims: readonly string[], volumes: Volumes): MountedVolumes {
  const found = claims.map((key) => ({ ...resolve(key, volumes), key }));
  const rule: VolumeRule = {
    isNowhere: found.some(({ isNowhere }) => isNowhere),
    terms: found.flatMap(({ terms }) => (terms ? [terms] : [])),
    zones: found.flatMap(({ volume }) => (volume ? zonesOf(volume) : [])),
  };
  const binds = rule.isNowhere || rule.terms.length > 0 || rule.zones.length > 0;
  return {
    ...(binds && { rule }),
    attachments: found.flatMap(({ attachment }) => attachment ?? []),
    exclusive: found.flatMap(({ claim, key }) => (claim?.isForOnePod ? [key] : [])),
  };
}

interface ResolvedClaim {
  readonly isNowhere: boolean;
  readonly claim?: VolumeClaim;
  readonly volume?: Volume;
  readonly terms?: readonly NodeTerm[];
  readonly attachment?: VolumeAttachment;
}

const nowhere: ResolvedClaim = { isNowhere: true };

function resolve(key: string, volumes: Volumes): ResolvedClaim {
  const claim = volumes.claim(key);
  if (!claim || claim.isDeleting) return nowhere;
  const { isEphemeral, volume, storageClass } = claim;
  if (volume !== undefined && !isEphemeral) return resolveBound(claim, volumes.volume(volume));
  const storage = storageClass === undefined ? undefined : volumes.storageClass(storageClass);
  // For an ephemeral volume the successor gets a new claim, whatever the binding mode.
  return storage && (storage.isLate || isEphemeral) ? resolveLate(key, claim, storage) : { ...nowhere, claim };
}

function resolveBound(claim: VolumeClaim, volume: Volume | undefined): ResolvedClaim {
  if (!volume) return { ...nowhere, claim };
  const { nodeTerms, driver, handle } = volume;
  return {
    isNowhere: false,
    claim,
    volume,
    ...(nodeTerms && { terms: nodeTerms }),
    ...(driver !== undefined && { attachment: { driver, volume: handle ?? volume.name } }),
  };
}

/** The volume is provisioned after the pod is scheduled. */
function resolveLate(key: string, claim: VolumeClaim, { provisioner, topologies }: StorageClass): ResolvedClaim {
  // Without a provisioner an unbound volume would have to exist, and which one fits is not known here.
  if (provisioner === 'kubernetes.io/no-provisioner') return { ...nowhere, claim };
  return {
    isNowhere: false,
    claim,
    ...(topologies && { terms: topologies.map((labels) => ({ labels, names: [] })) }),
    attachment: { driver: provisioner, volume: `claim ${key}` },
  };
}

/** Current and deprecated names. */
export const zoneKeys: readonly string[] = [
  label.zone,
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
];

/** Several zones are written `a__b`. */
const zonesOf = ({ labels }: Volume): VolumeRule['zones'] =>
  zoneKeys.flatMap((key) => {
    const text = labels[key];
    return text === undefined ? [] : [{ key, values: text.split('__').map((zone) => zone.trim()) }];
  });
