// Where can the volumes of a pod be had, and what do they take up where they are attached (F6)?
import { label } from '../../cluster/names.ts';
import type { NodeTerm } from '../../cluster/selector.ts';
import type { StorageClass, Volume, VolumeClaim, Volumes } from '../../cluster/volumes.ts';

/** Plain data. */
export interface VolumeRule {
  /** A claim is missing, or waits for a volume: the scheduler would leave the pod pending. */
  readonly isNowhere: boolean;
  /** One list a volume; one of its terms must hold. */
  readonly terms: readonly (readonly NodeTerm[])[];
  /** Labels of volumes that bind a node of zones. */
  readonly zones: readonly { readonly key: string; readonly values: readonly string[] }[];
}

export interface MountedVolumes {
  /** Absent = they can be had anywhere. */
  readonly rule?: VolumeRule;
  readonly attachments: readonly Attachment[];
  /** Claims that one pod at a time may use. */
  readonly exclusive: readonly string[];
}

/** A volume of a CSI driver. Two pods with the same on one node attach it once. */
export interface Attachment {
  readonly driver: string;
  readonly volume: string;
}

/** `claims`: `namespace/name` of each. */
export function mountedVolumes(claims: readonly string[], volumes: Volumes): MountedVolumes {
  const found = claims.map((key) => resolve(key, volumes));
  const rule: VolumeRule = {
    isNowhere: found.some(({ isNowhere }) => isNowhere),
    terms: found.flatMap(({ terms }) => (terms ? [terms] : [])),
    zones: found.flatMap(({ volume }) => (volume ? zonesOf(volume) : [])),
  };
  const binds = rule.isNowhere || rule.terms.length > 0 || rule.zones.length > 0;
  return {
    ...(binds && { rule }),
    attachments: found.flatMap(({ attachment }) => attachment ?? []),
    exclusive: found.flatMap(({ claim }, index) => (claim?.isForOnePod ? [claims[index] as string] : [])),
  };
}

interface Resolved {
  readonly isNowhere: boolean;
  readonly claim?: VolumeClaim;
  readonly volume?: Volume;
  readonly terms?: readonly NodeTerm[];
  readonly attachment?: Attachment;
}

const nowhere: Resolved = { isNowhere: true };

function resolve(key: string, volumes: Volumes): Resolved {
  const claim = volumes.claim(key);
  if (!claim || claim.isDeleting) return nowhere;
  const { isEphemeral, volume, storageClass } = claim;
  if (volume !== undefined && !isEphemeral) return resolveBound(claim, volumes.volume(volume));
  const storage = storageClass === undefined ? undefined : volumes.storageClass(storageClass);
  // The pod's successor gets a claim of its own, whenever that is bound.
  return storage && (storage.isLate || isEphemeral) ? resolveLate(key, claim, storage) : { ...nowhere, claim };
}

function resolveBound(claim: VolumeClaim, volume: Volume | undefined): Resolved {
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

/** Its volume is made, or found, once its pod has a node. */
function resolveLate(key: string, claim: VolumeClaim, { provisioner, topologies }: StorageClass): Resolved {
  // Without a provisioner a volume would have to be there that nobody uses: which one fits is not known here.
  if (provisioner === 'kubernetes.io/no-provisioner') return { ...nowhere, claim };
  return {
    isNowhere: false,
    claim,
    ...(topologies && { terms: topologies.map((labels) => ({ labels, names: [] })) }),
    attachment: { driver: provisioner, volume: `claim ${key}` },
  };
}

/** Today's names, and those before. */
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
