// Is a port of the node itself still free? The same port and protocol on the same address belongs to one pod at a time.
import type { ContainerPort, Pod } from '../manifest.ts';
import type { Around, Judge } from './around.ts';

const everyAddress = '0.0.0.0';

/** Sidecars keep their ports; init containers that end do not. */
export function hostPortsOf({ spec }: Pod): readonly ContainerPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.filter(({ hostPort = 0 }) => hostPort > 0);
}

export function hostPortRule(pod: Pod, around: Around): Judge | undefined {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return undefined;
  return ({ metadata }) => {
    for (const other of around.podsOn(metadata.name))
      for (const taken of hostPortsOf(other)) {
        const port = wanted.find((each) => areSame(each, taken));
        if (port) return `ports: ${port.hostPort} is taken by ${other.metadata.name}`;
      }
    return undefined;
  };
}

function areSame(a: ContainerPort, b: ContainerPort): boolean {
  const [left, right] = [a.hostIP || everyAddress, b.hostIP || everyAddress];
  if (a.hostPort !== b.hostPort || (a.protocol || 'TCP') !== (b.protocol || 'TCP')) return false;
  return left === right || left === everyAddress || right === everyAddress;
}
